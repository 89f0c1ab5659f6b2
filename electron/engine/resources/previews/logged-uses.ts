import type { Missing } from '../../../../shared/errors.ts'
import { type Permission, permissionNames } from '../../../../shared/permissions.ts'
import { permission, transforms } from '../../../../shared/schemas/rule.ts'
import { z } from '../../../../shared/zod.ts'
import { sql } from '../../db/statement.ts'
import type { Context } from '../../pipeline/context.ts'
import { parseDetail } from '../logs/present.ts'
import { getContainers } from '../tokens/store.ts'

/** The maximum numbers of log records that one call reads, of any caller and of the application (rule R-03). */
const MAX_READ = 10_000
const MAX_RECORDS = 1000
/** The maximum number of tokens of one record. */
const MAX_TOKENS = 100
/** The maximum number of tokens looked up in one call, after which it ends early. */
const MAX_LOOKUPS = 2000

/** Requests of an application that its permissions and rules decide in the same way. */
export const loggedUse = z.object({
  operation: z.string(),
  /** The permissions, of which one is enough. */
  permissions: z.array(permission),
  /** The containers of each token, as they are now; empty if the request concerned no token. */
  subjects: z.array(z.array(z.string())),
  /** Whether the containers of every token are known. */
  complete: z.boolean(),
  /** The transform and the container of the rule that decided, as far as the log says so. */
  transform: z.enum(transforms).nullable(),
  scope: z.string().nullable(),
  refused: z.boolean(),
  /**
   * Null if the application itself was the caller, or else a session that it authorized: `limited` if the session's own
   * rules would have shown more.
   */
  session: z.enum(['within', 'limited']).nullable(),
  requests: z.int(),
})
type LoggedUse = z.output<typeof loggedUse>

type UseRow = {
  readonly seq: number
  readonly at: number
  readonly actor_id: string
  readonly operation: string
  readonly entity_type: string
  readonly entity_id: string | null
  readonly status: number
  readonly note: string | null
  readonly detail: string | null
}

type UsePart = {
  readonly uses: LoggedUse[]
  readonly oldest_at: number | null
  /** The `seq` before which to continue; null if all records of the period have been read. */
  readonly next: number | null
}

type UseQuery = { readonly application_id: string; readonly since: number; readonly before: number | null }

/**
 * Reads a part of the log, newest records first, and groups the requests of an application and of the sessions that it
 * authorized, which can do no more than the application (rules O-04, R-03).
 */
export function readUses(context: Context, { application_id, since, before }: UseQuery): UsePart {
  const { db } = context
  const uses = new Map<string, LoggedUse>()
  const newest = sql<{ seq: number; at: number }>(
    db,
    'SELECT seq, at FROM log WHERE seq < ? ORDER BY seq DESC LIMIT 1',
  ).get(before ?? Number.MAX_SAFE_INTEGER)
  if (!newest || newest.at < since) return { uses: [], oldest_at: null, next: null }
  const floor = Math.max(0, newest.seq - MAX_READ)
  const rows = sql<UseRow>(
    db,
    `SELECT seq, at, actor_id, operation, entity_type, entity_id, status, note, detail FROM log
     WHERE seq <= @newest AND seq > @floor AND at >= @since AND (actor_id = @application_id
       OR (actor_type = 'session' AND EXISTS (SELECT 1 FROM log a WHERE a.entity_id = log.actor_id
         AND a.operation = 'sessions.authorize' AND a.actor_id = @application_id AND a.status < 400)))
     ORDER BY seq DESC LIMIT @limit`,
  ).all({ newest: newest.seq, floor, application_id, since, limit: MAX_RECORDS })
  const containers = new Map<string, string[] | null>()
  let oldest_at: number | null = null
  let last: UseRow | undefined
  for (const row of rows) {
    if (containers.size >= MAX_LOOKUPS) break
    last = row
    oldest_at = row.at
    const use = toUse(context, row, containers)
    if (use) addUse(uses, { ...use, session: getSession(row, application_id) })
  }
  const isPart = last !== undefined && (last !== rows.at(-1) || rows.length === MAX_RECORDS)
  const below = isPart && last ? last.seq : floor + 1
  return { uses: [...uses.values()], oldest_at, next: below > 1 ? below : null }
}

function getSession({ actor_id, note }: UseRow, application_id: string): LoggedUse['session'] {
  if (actor_id === application_id) return null
  return note?.includes('limited by the application that authorized the session') ? 'limited' : 'within'
}

function addUse(uses: Map<string, LoggedUse>, use: LoggedUse): void {
  const key = JSON.stringify(use)
  const known = uses.get(key)
  if (known) known.requests++
  else uses.set(key, use)
}

/** A decision in a record's note, such as `mask, by rule 2 on /pci/ (token:read)`. */
const decision =
  /(?:^|[;:] )(redact|mask|reveal), by (?:rule \d+(?: on (\/\S*))?|permission) \(([a-z0-9:_-]+)\)/

/** Returns what a record says about a use. Null if it was neither allowed nor refused by permissions and rules. */
function toUse(context: Context, row: UseRow, containers: Map<string, string[] | null>): LoggedUse | null {
  const { operation, status, note } = row
  const detail = parseDetail(row)
  if (status >= 400) return status === 403 && detail.missing ? toRefusedUse(operation, detail.missing) : null
  const isDuplicate = note?.includes('deduplicated') === true
  const [, transform, scope, name] = (!isDuplicate && note && decision.exec(note)) || []
  const decided = permissionNames.find((each) => each === name)
  const required = decided ? [decided] : findPermissions(context, row)
  if (required.length === 0) return null
  // Where a token was not created, or several were, the log does not name the containers that were asked for.
  const isUnknown = isDuplicate || detail.created !== undefined
  const { subjects, complete } = isUnknown
    ? { subjects: [], complete: false }
    : findSubjects(context, row, decided !== undefined, containers)
  return {
    operation,
    permissions: [...required],
    subjects,
    complete,
    transform: transforms.find((each) => each === transform) ?? null,
    scope: decided ? (scope ?? null) : null,
    refused: false,
    session: null,
    requests: 1,
  }
}

function toRefusedUse(operation: string, { permissions, containers }: Missing): LoggedUse {
  return {
    operation,
    permissions: permissionNames.filter((each) => permissions.includes(each)),
    subjects: containers ? [[...containers]] : [],
    complete: true,
    transform: null,
    scope: null,
    refused: true,
    session: null,
    requests: 1,
  }
}

/** The permissions of which an operation needs one; empty if every key may call it. */
function findPermissions(context: Context, { operation, note }: UseRow): readonly Permission[] {
  // Every key may call a proxy; only the tokens in the call are decided.
  if (operation.startsWith('proxies.')) return note?.includes('inserted') ? ['proxy:invoke', 'token:use'] : []
  return context.getRequiredPermissions(operation)
}

/** Finds the containers of the tokens that a record is about, each set of containers once. */
function findSubjects(
  { db }: Context,
  { seq, operation, entity_type, entity_id }: UseRow,
  isDecided: boolean,
  known: Map<string, string[] | null>,
): Pick<LoggedUse, 'subjects' | 'complete'> {
  const namesTokens = isDecided || entity_type === 'token' || operation.startsWith('proxies.')
  const ids =
    entity_id === null
      ? sql<string>(db, 'SELECT entity_id FROM log_entity WHERE seq = ? LIMIT ?')
          .pluck()
          .all(seq, MAX_TOKENS + 1)
      : [entity_id]
  const subjects = new Map<string, string[]>()
  let found = 0
  for (const id of ids.slice(0, MAX_TOKENS)) {
    let containers = known.get(id)
    if (containers === undefined) {
      const row = sql<{ container: string; containers: string | null }>(
        db,
        'SELECT container, containers FROM token WHERE id = ?',
      ).get(id)
      containers = row ? getContainers(row) : null
      known.set(id, containers)
    }
    if (!containers) continue
    found++
    subjects.set(containers.join(' '), containers)
  }
  return {
    subjects: [...subjects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each),
    complete: !namesTokens || found === ids.length,
  }
}
