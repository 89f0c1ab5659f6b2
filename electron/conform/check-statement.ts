import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../shared/errors.ts'
import type { StatementOutcome } from '../../shared/schemas/conform.ts'
import type { ConformAnswer, ConformRequest, ConformServer } from './conform-server.ts'
import { type AnswerDifference, listDifferences } from './match.ts'
import { findAtPointer, SavedValues } from './saved-values.ts'
import type { Statement, StatementStep } from './statement.ts'

/** The paths that delete what a run has created. They outlive a crash. */
export type Leftovers = {
  readonly paths: readonly string[]
  addPath(path: string): void
  removePath(path: string): void
}

export type ConformKeys = { readonly key: string; readonly management: string | undefined }

export type StatementRun = {
  readonly server: ConformServer
  readonly keys: ConformKeys
  /** Begins the names that the statement gives. */
  readonly prefix: string
  readonly leftovers: Leftovers
  /** How long a step with `until` is repeated. */
  readonly until_ms: number
  readonly signal: AbortSignal | undefined
  /** The keys that lack permissions. If one is answered 403, that says nothing about the server. */
  readonly limited: ReadonlySet<string>
}

type Checked = Pick<StatementOutcome, 'result' | 'reason' | 'request' | 'differences'>
type Creation = { readonly path: string; readonly key: string | undefined }

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 3000
/** Collections whose items are deleted at their id. */
const COLLECTION = /^\/(applications|documents|proxies|reactors|token-intents|tokens|webhooks)\/?$/

/**
 * Runs the steps of a statement until one does not get the expected answer, and deletes what they created, also when
 * stopped. Throws `cancelled`.
 */
export async function checkStatement(statement: Statement, run: StatementRun): Promise<Checked> {
  const values = new SavedValues(run.prefix, Object.values(run.keys))
  const created: Creation[] = []
  try {
    for (const step of statement.steps) {
      const differences = await checkStep(step, { run, values, created })
      if (differences.length > 0)
        return {
          result: 'differs',
          request: describeRequest(step),
          differences: differences.map(hideIn(values)),
        }
    }
    return { result: 'holds', differences: [] }
  } catch (error) {
    if (error instanceof SkippedError) return { result: 'skipped', reason: error.message, differences: [] }
    if (endsRun(error)) throw error
    return { result: 'unanswered', reason: values.hideValues(describeError(error)), differences: [] }
  } finally {
    for (const { path, key } of created.toReversed()) await removeCreated(path, run, key)
  }
}

/** Whether nothing further can be checked: the run was stopped, the server limits it, or the data folder fails. */
const endsRun = (error: unknown) =>
  error instanceof CofferError
    ? error.code === 'cancelled' || error.code === 'rate_limited'
    : error instanceof Error && 'syscall' in error

/** Why a statement turned out to be one that these keys cannot check. */
class SkippedError extends Error {}

const describeError = (error: unknown) => (error instanceof Error ? error.message : String(error))

function hideIn(values: SavedValues) {
  return ({ at, expected, received }: AnswerDifference): AnswerDifference => ({
    at: values.hideValues(at),
    expected: values.hideValues(expected),
    received: values.hideValues(received),
  })
}

/** Formats the request of a step as the statement has it: `POST /tokens as reader, {"type":"token"}`. */
export function describeRequest({ as, send }: StatementStep): string {
  const { method, path, query = {}, headers = {}, body, raw } = send
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => `${name}=${each}`),
  )
  return [
    `${method} ${path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}${as === undefined ? '' : ` as ${as}`}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(raw !== undefined ? [raw] : body !== undefined ? [JSON.stringify(body)] : []),
  ].join(', ')
}

type StepRun = { readonly run: StatementRun; readonly values: SavedValues; readonly created: Creation[] }

async function checkStep(
  step: StatementStep,
  { run, values, created }: StepRun,
): Promise<AnswerDifference[]> {
  const request = buildRequest(step, values, run.keys)
  const endsAt = Date.now() + run.until_ms
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    const answer = await run.server.sendRequest(request, run.signal)
    if (answer.status < 300) rememberCreation(step, request, answer, { run, values, created })
    assertAllowed(step, request, answer, run.limited)
    const differences = compareAnswer(step, answer, values)
    if (differences.length === 0 || !step.until || Date.now() + wait > endsAt) return differences
    // An abort ends the wait, and then the next request.
    await delay(wait, undefined, run.signal && { signal: run.signal }).catch(() => {})
  }
}

function assertAllowed(
  { as = 'key', send: { method, path } }: StatementStep,
  { key = '', expected = [] }: ConformRequest,
  { status }: ConformAnswer,
  limited: ReadonlySet<string>,
): void {
  if (status !== 403 || expected.includes(403) || !limited.has(key)) return
  const name = as === 'key' ? 'key' : 'management key'
  throw new SkippedError(`the ${name} lacks the permission for ${method} ${path}`)
}

function buildRequest(
  { as = 'key', send, expect }: StatementStep,
  values: SavedValues,
  keys: ConformKeys,
): ConformRequest {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(send.query ?? {}))
    for (const each of Array.isArray(value) ? value : [value])
      search.append(values.fillText(name), values.fillText(String(each)))
  const headers = Object.entries(send.headers ?? {})
  return {
    method: send.method,
    expected: [expect.status].flat(),
    path: values.fillText(send.path) + (search.size > 0 ? `?${search}` : ''),
    key: findKey(as, values, keys),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, values.fillText(value)])),
    body:
      send.raw !== undefined
        ? values.fillText(send.raw)
        : send.body !== undefined
          ? JSON.stringify(values.fillValue(send.body))
          : undefined,
  }
}

function findKey(as: string, values: SavedValues, keys: ConformKeys): string | undefined {
  if (as === 'nobody') return undefined
  return as === 'key' ? keys.key : as === 'management' ? keys.management : String(values.getValue(as))
}

function rememberCreation(
  step: StatementStep,
  { method, path, key }: ConformRequest,
  { body }: ConformAnswer,
  { run, values, created }: StepRun,
): void {
  for (const [name, pointer] of Object.entries(step.save ?? {})) {
    const value = findAtPointer(body, pointer)
    if (value !== undefined) values.setValue(name, value)
  }
  const theirs = listDeduplicated(body)
  for (const removal of listRemovals(step, { method, path, body }, values)) {
    // SECURITY: a tenant that deduplicates answers with a resource of its own, which is not the run's to delete.
    if (theirs.some((id) => removal.endsWith(`/${id}`))) continue
    created.push({ path: removal, key })
    run.leftovers.addPath(removal)
  }
}

/** Lists the ids of all resources in an answer that existed before. */
function listDeduplicated(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) return []
  const inside = Object.values(body).flatMap(listDeduplicated)
  return findAtPointer(body, '/_extras/deduplicated') === true
    ? [findAtPointer(body, '/id'), ...inside]
    : inside
}

function listRemovals(
  { remove, expect }: StatementStep,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
  values: SavedValues,
): string[] {
  if (remove !== undefined) {
    try {
      return [remove].flat().map((each) => values.fillText(each))
    } catch {
      // What it creates has no id, which the comparison reports.
      return []
    }
  }
  const id = findAtPointer(body, '/id')
  const isUnexpected = ![expect.status].flat().some((status) => status < 300)
  const isCreation = isUnexpected && method === 'POST' && COLLECTION.test(path) && typeof id === 'string'
  return isCreation ? [`${path.replace(/\/$/, '')}/${encodeURIComponent(id)}`] : []
}

function compareAnswer(
  { expect, save = {} }: StatementStep,
  answer: ConformAnswer,
  values: SavedValues,
): AnswerDifference[] {
  const statuses = [expect.status].flat()
  if (!statuses.includes(answer.status)) {
    // SECURITY: the body of an unexpected success may be data of the tenant. That of an error says what is wrong.
    const isExplained = answer.status >= 400 && answer.body !== undefined
    const received = `${answer.status}${isExplained ? ` ${JSON.stringify(answer.body)}` : ''}`
    return [{ at: 'status', expected: statuses.join(' or '), received }]
  }
  const body = expect.body === undefined ? undefined : values.fillValue(expect.body)
  return [
    ...Object.entries(expect.headers ?? {}).flatMap(([name, value]) =>
      listDifferences(values.fillValue(value), answer.headers[name.toLowerCase()], `header ${name}`),
    ),
    ...(body === undefined ? [] : listDifferences(body, answer.body, '')).map((each) => ({
      ...each,
      at: each.at === '' ? 'body' : each.at,
    })),
    ...Object.values(save)
      .filter((pointer) => findAtPointer(answer.body, pointer) === undefined)
      .map((pointer) => ({
        at: pointer.slice(1).replaceAll('/', '.'),
        expected: 'any value',
        received: 'absent',
      })),
  ]
}

/** Deletes what a run has created, with the first key that may. What stays is deleted by the next run. */
export async function removeCreated(path: string, run: StatementRun, own?: string): Promise<boolean> {
  const { server, keys, leftovers } = run
  const candidates = new Set([own, keys.management, keys.key].filter((key) => key !== undefined))
  for (const key of candidates) {
    const answer = await server.sendRequest({ method: 'DELETE', path, key }).catch(() => undefined)
    if (!answer) return false
    if (answer.status < 300 || answer.status === 404 || answer.status === 410) {
      leftovers.removePath(path)
      return true
    }
  }
  return false
}
