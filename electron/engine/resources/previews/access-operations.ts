import { includesContainer } from '../../../../shared/containers.ts'
import { applicationTypes, type Permission } from '../../../../shared/permissions.ts'
import { json } from '../../../../shared/schemas/common.ts'
import { newRule, permission, permissionList, rule, transforms } from '../../../../shared/schemas/rule.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import {
  decideAccess,
  describeGrant as explainGrant,
  type Grant,
  getWeakerTransform,
  hasPermission,
  type Subject,
} from '../../access/access.ts'
import type { ApplicationActor } from '../../access/actor.ts'
import { checkGrants } from '../../access/check-grants.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { findActorOfApplication } from '../applications/actors.ts'
import { createMissingError } from '../crud.ts'
import { AnswerBudget } from '../tokens/read/answer-budget.ts'
import { requireToken, toSubject } from '../tokens/read/require-token.ts'
import { findToken, type TokenRow } from '../tokens/store.ts'
import { loggedUse, readUses } from './logged-uses.ts'

const MAX_PREVIEW_TOKENS = 24

/** Yields the newest token of each type and container, at least of the combinations with the most tokens. */
function* findSampleTokens(db: Database, now: number): Generator<TokenRow> {
  const query = `SELECT (SELECT id FROM token INDEXED BY token_by_type WHERE type = c.type AND container = c.container
       ORDER BY created_at DESC, id DESC LIMIT 1) AS id
     FROM (SELECT type, container FROM token_count WHERE tokens > 0 ORDER BY tokens DESC, container, type LIMIT ?) c`
  const ids = sql<{ id: string | null }>(db, query).all(MAX_PREVIEW_TOKENS)
  for (const { id } of ids) {
    const row = id === null ? undefined : findToken(db, id, now)
    if (row) yield row
  }
}

/** The permissions that one container of a token is enough for (rule P-10). */
const readPermissions: readonly Permission[] = [
  'token:read',
  'token:search',
  'token:use',
  'proxy:invoke',
  'reactor:invoke',
  '3ds:session:create',
  'enrollment:create',
]

function findGrant(actor: ApplicationActor, requested: Permission, subject: Subject): Grant | null {
  return decideAccess(actor, requested, subject, readPermissions.includes(requested) ? 'any' : 'all')
}

const decision = {
  /** The transform that applies; null if the permission is not granted. */
  transform: z.enum(transforms).nullable(),
  /** The priority of the rule that decides; null if no rule does. */
  rule: z.int().nullable(),
  /** The decision in words, for example `mask, by rule 2 on /pci/ (token:read)`. */
  note: z.string().nullable(),
}

function toDecision(grant: Grant | null, requested: Permission) {
  return {
    transform: grant?.transform ?? null,
    rule: grant?.rule?.priority ?? null,
    note: grant && explainGrant(grant, requested),
  }
}

export const explain = defineOperation({
  entity: 'application',
  summary:
    'Explain whether an application has a permission on a token or on containers, and which rule decides',
  input: z.strictObject({
    application_id: z.string(),
    permission,
    token_id: z.string().max(400).optional(),
    containers: z.array(z.string().max(400)).max(10).optional(),
  }),
  output: z.object({
    ...decision,
    containers: z.array(z.string()),
    by_permissions: z.boolean(),
    rules: z.array(z.object({ rule, grants: z.boolean(), covers: z.boolean(), decides: z.boolean() })),
  }),
  handler(context, { application_id, permission, token_id, containers = ['/'] }) {
    const actor = findActorOfApplication(context.db, application_id)
    if (!actor) throw createMissingError('application')
    const subject =
      token_id === undefined ? { id: '', containers } : toSubject(requireToken(context, token_id))
    const grant = findGrant(actor, permission, subject)
    return {
      ...toDecision(grant, permission),
      containers: [...subject.containers],
      by_permissions: actor.permissions.includes(permission),
      rules: actor.rules.map((each) => ({
        rule: each,
        grants: each.permissions.includes(permission),
        covers: subject.containers.some((container) => includesContainer(each.container ?? '/', container)),
        decides: grant?.rule === each,
      })),
    }
  },
})

/** Permissions and rules that are not stored yet. */
const draftGrants = {
  type: z.enum(applicationTypes),
  permissions: permissionList,
  rules: z.array(newRule).max(100),
}

type DraftGrants = z.output<z.ZodObject<typeof draftGrants>>

/** Returns an application with these grants. Throws the error of creating it. */
function createDraftActor({ type, permissions, rules }: DraftGrants): ApplicationActor {
  return {
    kind: 'application',
    id: '',
    name: '',
    key_id: null,
    type,
    permissions,
    rules: checkGrants({ holder: type, permissions, rules }),
    expires_at: null,
  }
}

export const preview = defineOperation({
  summary: 'Show how an application with these permissions and rules would see tokens; nothing is stored',
  entity: 'application',
  input: z.strictObject({ ...draftGrants, permission: permission.default('token:read') }),
  output: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      containers: z.array(z.string()),
      /** SECURITY: masked or redacted, even if the rules would reveal it. */
      data: json.optional(),
      ...decision,
    }),
  ),
  handler(context, { permission, ...grants }) {
    const actor = createDraftActor(grants)
    const budget = new AnswerBudget(context)
    const previews = []
    for (const row of findSampleTokens(context.db, context.now)) {
      const grant = findGrant(actor, permission, toSubject(row))
      const visible = budget.presentToken(row, grant && grant.transform !== 'redact' ? 'mask' : 'redact')
      // The preview ends early if the next token exceeds the response's budget (rule R-03).
      if (!visible) break
      const { id, type, containers, data } = visible
      previews.push({
        id,
        type,
        containers,
        ...(data !== undefined && { data }),
        ...toDecision(grant, permission),
      })
    }
    return previews
  },
})

/**
 * The maximum number of containers in the attempts of one call, counted once per permission. Each is compared with
 * every rule (case X-65).
 */
const MAX_ATTEMPTED_CONTAINERS = 3000

const attempt = z.strictObject({
  /** The permissions, of which one is enough. */
  permissions: z.array(permission).min(1).max(10),
  /** The containers of each token; empty if the permission on any container is enough. */
  subjects: z.array(z.array(z.string().max(400)).min(1).max(10)).max(100),
})

function countTests({ permissions, subjects }: z.output<typeof attempt>): number {
  return permissions.length * subjects.flat().length
}

export const decide = defineOperation({
  summary: 'Decide what an application with these permissions and rules may do; nothing is stored',
  entity: 'application',
  input: z.strictObject({
    ...draftGrants,
    attempts: z
      .array(attempt)
      .max(2000)
      .refine((all) => all.reduce((sum, each) => sum + countTests(each), 0) <= MAX_ATTEMPTED_CONTAINERS, {
        error: `must name at most ${MAX_ATTEMPTED_CONTAINERS} containers, counted once per permission`,
      }),
  }),
  /** A decision per attempt. Without tokens, `transform` is null even if it is allowed. */
  output: z.array(z.object({ allowed: z.boolean(), transform: decision.transform, rule: decision.rule })),
  handler(_context, { attempts, ...grants }) {
    const actor = createDraftActor(grants)
    return attempts.map((each) => decideAttempt(actor, each))
  },
})

function decideAttempt(actor: ApplicationActor, { permissions, subjects }: z.output<typeof attempt>) {
  const refused = { allowed: false, transform: null, rule: null }
  if (!permissions.some((each) => hasPermission(actor, each))) return refused
  let weakest: Grant | null = null
  for (const containers of subjects) {
    const grant = findFirstGrant(actor, permissions, { id: '', containers })
    if (!grant) return refused
    if (!weakest || getWeakerTransform(grant.transform, weakest.transform) !== weakest.transform)
      weakest = grant
  }
  return { allowed: true, transform: weakest?.transform ?? null, rule: weakest?.rule?.priority ?? null }
}

function findFirstGrant(actor: ApplicationActor, permissions: readonly Permission[], subject: Subject) {
  for (const each of permissions) {
    const grant = findGrant(actor, each, subject)
    if (grant) return grant
  }
  return null
}

const DAY_MS = 86_400_000

export const uses = defineOperation({
  summary: 'Count the requests of an application by what they needed, from the log of the last days',
  entity: 'application',
  input: z.strictObject({
    application_id: z.string(),
    days: z.int().min(1).max(90),
    /** Continues before this record. */
    before: z.int().min(1).nullable().default(null),
  }),
  output: z.object({
    uses: z.array(loggedUse),
    /** The time of the oldest record of the application; null if there is none. */
    oldest_at: z.string().nullable(),
    until: z.string(),
    next: z.int().nullable(),
  }),
  handler(context, { application_id, days, before }) {
    context.flushLog()
    const since = context.now - days * DAY_MS
    const { uses, oldest_at, next } = readUses(context, { application_id, since, before })
    return {
      uses,
      oldest_at: oldest_at === null ? null : formatIsoTime(oldest_at),
      until: formatIsoTime(context.now),
      next,
    }
  },
})
