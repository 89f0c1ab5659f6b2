import { nothing } from '../../../../shared/schemas/common.ts'
import { stepsInVault } from '../../../../shared/schemas/first-steps.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import {
  countExpiring,
  countTokens,
  countTypes,
  type ExpiringRow,
  findFirstSteps,
  listExpiringApplications,
  listExpiringTokens,
  readApplicationUses,
  readElementUses,
  readKeyUses,
} from './store.ts'
import { getTrafficCounts } from './traffic-counts.ts'

const MAX_COUNTS = 2000
const MAX_EXPIRING = 20
const MAX_COUNTED_EXPIRING = 10_000
const SOON_MS = 14 * 86_400_000
const MAX_APPLICATIONS = 2000
/** The maximum time from the creation of a vault to its sample data, in ms. Later entities are the owner's. */
const SAMPLE_DATA_TIMEOUT_MS = 10_000
/** The maximum number of listed keys: an application has at most three (rule K-03). */
const MAX_KEYS = 3 * MAX_APPLICATIONS

export const tokens = defineOperation({
  summary: 'Count the tokens by type and by primary container',
  entity: 'vault',
  input: nothing,
  output: z.object({
    total: z.int(),
    types: z.array(z.object({ type: z.string(), tokens: z.int() })),
    counts: z.array(z.object({ type: z.string(), container: z.string(), tokens: z.int() })),
  }),
  handler({ db }) {
    const types = countTypes(db)
    return {
      total: types.reduce((sum, { tokens }) => sum + tokens, 0),
      types,
      counts: countTokens(db, MAX_COUNTS),
    }
  },
})

const expiring = z.object({
  kind: z.enum(['token', 'application']),
  id: z.string(),
  label: z.string(),
  expires_at: z.string(),
})

export const expiries = defineOperation({
  summary: 'List the tokens and applications that expire within two weeks, soonest first',
  entity: 'vault',
  input: nothing,
  output: z.object({
    data: z.array(expiring),
    /** How many expire; if not exact, this is a minimum. */
    total: z.int(),
    isExact: z.boolean(),
  }),
  handler({ db, now }) {
    const toEntry = (kind: 'token' | 'application') => (row: ExpiringRow) => ({ kind, ...row })
    const total = countExpiring(db, now, now + SOON_MS, MAX_COUNTED_EXPIRING)
    const data = [
      ...listExpiringTokens(db, now, now + SOON_MS, MAX_EXPIRING).map(toEntry('token')),
      ...listExpiringApplications(db, now, now + SOON_MS, MAX_EXPIRING).map(toEntry('application')),
    ]
      .sort((a, b) => a.expires_at - b.expires_at)
      .slice(0, MAX_EXPIRING)
      .map((each) => ({ ...each, expires_at: formatIsoTime(each.expires_at) }))
    return { data, total, isExact: total < MAX_COUNTED_EXPIRING }
  },
})

export const requests = defineOperation({
  summary: "Count the applications' requests over time, and measure the duration of each operation",
  entity: 'vault',
  input: z.strictObject({
    minutes: z
      .int()
      .min(1)
      .max(7 * 24 * 60),
    buckets: z.int().min(1).max(200),
  }),
  output: z.object({
    /** The start of the counted part of the period. */
    since: z.string(),
    /** Whether the whole period is counted. Otherwise, further calls count more of it. */
    complete: z.boolean(),
    buckets: z.array(z.object({ at: z.string(), requests: z.int(), refused: z.int(), failed: z.int() })),
    operations: z.array(
      z.object({
        operation: z.string(),
        requests: z.int(),
        refused: z.int(),
        p50_ms: z.number(),
        p95_ms: z.number(),
      }),
    ),
  }),
  handler(context, { minutes, buckets }) {
    const { db, now, opening } = context
    context.flushLog()
    const counts = getTrafficCounts(db, opening, minutes)
    const complete = counts.followLog(db, now)
    return {
      since: formatIsoTime(counts.getCountedSince(now)),
      complete,
      buckets: counts.toBuckets(now, buckets).map((bucket) => ({ ...bucket, at: formatIsoTime(bucket.at) })),
      operations: counts.measureSpeeds(now),
    }
  },
})

export const keys = defineOperation({
  entity: 'vault',
  summary:
    "List an application's keys, or all keys, with the hint, the last use and the replaced key of each",
  input: z.strictObject({ application_id: z.string().optional() }),
  output: z.array(
    z.object({
      id: z.string(),
      application_id: z.string(),
      /** The key's prefix and last four characters. Null for a key older than hints, until it is used again. */
      hint: z.string().nullable(),
      created_at: z.string(),
      last_used_at: z.string().nullable(),
      /** The key that is deleted when the rotation ends; null if there is none, or if that key is already deleted. */
      replaces: z.string().nullable(),
    }),
  ),
  handler(context, { application_id }) {
    context.flushLog()
    return readKeyUses(context.db, application_id ?? null, MAX_KEYS).map((row) => ({
      ...row,
      created_at: formatIsoTime(row.created_at),
      last_used_at: row.last_used_at === null ? null : formatIsoTime(row.last_used_at),
    }))
  },
})

export const applications = defineOperation({
  summary: 'List when each application was last used, by a current or former key',
  entity: 'vault',
  input: nothing,
  output: z.array(z.object({ id: z.string(), last_used_at: z.string().nullable() })),
  handler(context) {
    context.flushLog()
    return readApplicationUses(context.db, context.now, MAX_APPLICATIONS).map(({ id, last_used_at }) => ({
      id,
      last_used_at: last_used_at === null ? null : formatIsoTime(last_used_at),
    }))
  },
})

export const elements = defineOperation({
  summary: 'List the pages whose elements used an application, with the key each used last',
  entity: 'vault',
  input: z.strictObject({ application_id: z.string() }),
  output: z.array(
    z.object({
      origin: z.string(),
      /** Null if the page used a session of the application. */
      key_id: z.string().nullable(),
      /** The key's hint; null if the key has none or was deleted. */
      hint: z.string().nullable(),
      last_used_at: z.string(),
    }),
  ),
  handler(context, { application_id }) {
    context.flushLog()
    return readElementUses(context.db, application_id).map((row) => ({
      ...row,
      last_used_at: formatIsoTime(row.last_used_at),
    }))
  },
})

export const firstSteps = defineOperation({
  summary: 'Report which first steps have been taken in the vault, by any caller',
  entity: 'vault',
  input: z.strictObject({
    /** The names of the applications that a new vault may contain. It always has `starters` of them. */
    names: z.array(z.string()).max(100),
    starters: z.int(),
  }),
  output: stepsInVault,
  handler(context, { names, starters }) {
    context.flushLog()
    const { created_at, ...steps } = findFirstSteps(context.db, {
      names,
      starters,
      within: SAMPLE_DATA_TIMEOUT_MS,
    })
    return {
      created_at: formatIsoTime(created_at),
      token: steps.token === 1,
      token_id: steps.token_id,
      application: steps.application === 1,
      proxied_call: steps.proxied_call === 1,
      webhook: steps.webhook === 1,
    }
  },
})
