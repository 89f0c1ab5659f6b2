import { randomBytes } from 'node:crypto'
import { CofferError } from '../../shared/errors.ts'
import { mapConcurrently } from '../../shared/map-concurrently.ts'
import { allowsNothing, mayHold, type Permission, permissionNames } from '../../shared/permissions.ts'
import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'
import { z } from '../../shared/zod.ts'
import {
  type ConformKeys,
  checkStatement,
  type Leftovers,
  removeCreated,
  type StatementRun,
} from './check-statement.ts'
import { type ConformServer, createStoppedError } from './conform-server.ts'
import type { Statement } from './statement.ts'

/** After so many statements without an answer, one after another, the server is taken to be gone. */
const MAX_UNANSWERED = 12
/** How many statements run at the same time. A tenant's limits count each key, and many statements create their own. */
const MAX_AT_ONCE = 6
const UNTIL_MS = 45_000

export type ConformOptions = {
  readonly server: ConformServer
  readonly statements: Readonly<Record<string, readonly Statement[]>>
  readonly keys: ConformKeys
  readonly leftovers: Leftovers
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** How long to wait for lists and events; 45 seconds by default. */
  readonly until_ms?: number
}

/** Its number separates what it creates from what other statements create at the same time. */
type PlacedStatement = { readonly area: string; readonly statement: Statement; readonly number: number }

/**
 * Checks the statements that these keys can check, and deletes everything that it creates. Before that, it deletes what an
 * interrupted run has left. Throws `unauthenticated` for a key that the server does not accept, `forbidden` for a key of
 * production, `bad_gateway` if the server does not answer, `rate_limited` if it goes on limiting, `cancelled` when stopped.
 */
export async function runStatements(options: ConformOptions): Promise<ConformReport> {
  try {
    return await runAll(options)
  } catch (error) {
    const isStopped = error instanceof CofferError && error.code === 'cancelled'
    throw isStopped ? createStoppedError(options.leftovers.paths.length) : error
  }
}

async function runAll(options: ConformOptions): Promise<ConformReport> {
  const { server, keys, leftovers, signal, onProgress } = options
  const started = Date.now()
  const { rights, limited } = await readRights(server, keys, signal)
  const prefix = `conform-${randomBytes(4).toString('hex')}`
  const run: StatementRun = {
    server,
    keys,
    prefix,
    leftovers,
    until_ms: options.until_ms ?? UNTIL_MS,
    signal,
    limited,
  }
  for (const path of leftovers.paths.toReversed()) await removeCreated(path, run)
  const placed: readonly PlacedStatement[] = Object.entries(options.statements)
    .flatMap(([area, list]) => list.map((statement) => ({ area, statement })))
    .map((each, number) => ({ ...each, number }))
  const outcomes = new Map<PlacedStatement, StatementOutcome>()
  let unanswered = 0
  const checkPlaced = async (each: PlacedStatement) => {
    const reason = findSkipReason(each.statement, keys, rights)
    const checked =
      reason === undefined
        ? await checkStatement(each.statement, { ...run, prefix: `${prefix}-${each.number}` })
        : { result: 'skipped' as const, reason, differences: [] }
    unanswered = checked.result === 'unanswered' ? unanswered + 1 : 0
    if (unanswered === MAX_UNANSWERED)
      throw new CofferError('bad_gateway', `The run has ended: ${checked.reason ?? 'there is no answer.'}`)
    const { rule, says, source } = each.statement
    const decision = each.statement.decision ?? differsInErrors(checked)
    outcomes.set(each, { area: each.area, rule, says, source, decision, ...checked })
    onProgress?.(outcomes.size, placed.length)
  }
  await mapConcurrently(
    placed.filter(({ statement }) => !statement.alone),
    MAX_AT_ONCE,
    checkPlaced,
  )
  for (const each of placed) if (each.statement.alone) await checkPlaced(each)
  // Statements that were ending when the run was stopped have not noticed it.
  if (signal?.aborted) throw createStoppedError(0)
  return {
    server: server.host,
    sides: { expected: 'expected', received: 'received' },
    started_at: new Date(started).toISOString(),
    seconds: Math.round((Date.now() - started) / 100) / 10,
    requests: server.requests,
    left: leftovers.paths.length,
    outcomes: placed.flatMap((each) => outcomes.get(each) ?? []),
  }
}

/** Whether a request was refused as expected, but names what is wrong in another way, which the documents do not show. */
const differsInErrors = ({ differences }: Pick<StatementOutcome, 'differences'>) =>
  differences.length > 0 && differences.every(({ at }) => /^errors\b/.test(at))

/** Why a statement cannot be checked with these keys, or undefined. */
export function findSkipReason(
  { needs, steps, skipped }: Statement,
  { management }: Pick<ConformKeys, 'management'>,
  rights: ReadonlySet<string> | null,
): string | undefined {
  if (skipped !== undefined) return skipped
  const needsManagement = needs === 'management' || steps.some(({ as }) => as === 'management')
  if (needsManagement && management === undefined) return 'a management key is missing'
  if (needs === 'management' || rights === null) return undefined
  const missing = needs.filter((permission) => !rights.has(permission))
  return missing.length > 0 ? `the key lacks ${missing.join(', ')}` : undefined
}

const application = z.object({
  type: z.string(),
  permissions: z.array(z.string()).nullish(),
  rules: z.array(z.object({ permissions: z.array(z.string()) })).nullish(),
})

type KeyApplication = z.output<typeof application>

/** Returns the permissions of the key, or null if the server does not list them, and which of the keys lack some. */
async function readRights(
  server: ConformServer,
  { key, management }: ConformKeys,
  signal: AbortSignal | undefined,
): Promise<{ rights: ReadonlySet<string> | null; limited: ReadonlySet<string> }> {
  const limited = new Set<string>()
  const found = await readApplication(server, key, 'private key', signal)
  // Rules limit a permission to containers.
  if (!found || (found.rules ?? []).length > 0) limited.add(key)
  if (management !== undefined) {
    const manager = await readApplication(server, management, 'management key', signal)
    if (manager !== undefined && manager.type !== 'management')
      throw new CofferError(
        'forbidden',
        'The management key belongs to an application of another type. Use one of a management application.',
      )
    if (!manager || permissionNames.some((name) => lacksPermission(manager, name))) limited.add(management)
  }
  return { rights: found ? listRights(found) : null, limited }
}

const lacksPermission = (manager: KeyApplication, name: Permission) =>
  mayHold('management', name) && !allowsNothing(name) && !listRights(manager).has(name)

const listRights = ({ permissions, rules }: KeyApplication): ReadonlySet<string> =>
  new Set([...(permissions ?? []), ...(rules ?? []).flatMap((rule) => rule.permissions)])

async function readApplication(
  server: ConformServer,
  key: string,
  kind: string,
  signal: AbortSignal | undefined,
): Promise<KeyApplication | undefined> {
  // SECURITY: hosted keys name their environment. Nothing is sent to a production tenant.
  if (/_prod_/.test(key))
    throw new CofferError(
      'forbidden',
      `The ${kind} belongs to a production tenant. Use one of a test tenant.`,
    )
  const { status, body } = await server.sendRequest({ method: 'GET', path: '/applications/key', key }, signal)
  if (status === 401) throw new CofferError('unauthenticated', `${server.host} does not accept the ${kind}.`)
  return status === 200 ? application.safeParse(body).data : undefined
}
