import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'
import { createdId, json, nothing } from '../../../../shared/schemas/common.ts'
import {
  asyncReactResponse,
  invocation,
  pendingResult,
  reactRequest,
  reactResponse,
  tryReactor,
} from '../../../../shared/schemas/reactor.ts'
import { z } from '../../../../shared/zod.ts'
import { decideReading, getWeakerTransform, hasPermission } from '../../access/access.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { nodeBt, readRuntime } from '../callables/runtime.ts'
import { findSecrets } from '../proxies/secrets.ts'
import { findUsableTransform, type InsertedToken } from '../proxies/values.ts'
import { tokenize } from '../tokenize/operations.ts'
import { findTokenRequests } from '../tokenize/requests.ts'
import {
  argsTokenUse,
  type PreparedRun,
  parseJsonInput,
  prepareRun,
  type RunnableCode,
  requireRunnable,
} from './prepare.ts'
import { findRequest, insertRequest, saveResult } from './requests/store.ts'
import {
  createJsonResponse,
  createProblemResponse,
  createSuccessResponse,
  createThrownError,
  parseReturned,
  type RunResponse,
} from './run-response.ts'
import { findReactor, parseRuntime } from './store.ts'

/** How long a result is stored, in ms (rule F-05). */
const RESULT_LIFETIME_MS = 24 * 60 * 60 * 1000
const LABEL = 'result'

const invoking = ['reactor:invoke', 'token:use'] as const
const emptyRun: PreparedRun = {
  reactor_id: null,
  name: null,
  code: '',
  runtime: nodeBt,
  configuration: {},
  application_id: null,
  args: 'null',
  secrets: [],
  token_ids: [],
  used: [],
  request: null,
  before: null,
}
const responseSchema = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})
const prepared = z.custom<PreparedRun>()
const used = z.custom<readonly InsertedToken[]>()

/** The data stored to answer a repeated request that started an asynchronous run (rule A-12). */
type StartReplayData = { readonly id: string; readonly reactor_id: string }

/** The data stored to answer a repeated request with the response of code (rule A-12). */
type RunReplayData = {
  readonly reactor_id: string | null
  readonly answer: RunResponse
  readonly used: readonly InsertedToken[]
}

export const react = defineOperation({
  summary: 'Run a reactor and return its result',
  route: 'POST /reactors/{id}/react',
  runs: true,
  permission: invoking,
  entity: 'reactor',
  effect: 'read',
  refusals: ['unprocessable', 'bad_gateway'],
  wholeBody: true,
  bodyless: true,
  input: invocation,
  output: prepared,
  answers: reactResponse,
  accepted: asyncReactResponse,
  handler(context, input) {
    const run = prepareInvocation(context, input)
    if (run.runtime.isAsync) return startRun(context, input.id, run)
    if (run.token_ids.length === 0) context.skipRecord()
    return run
  },
  replay(context, replayData: RunReplayData | StartReplayData) {
    if ('id' in replayData) return repeatStart(context, replayData)
    const { reactor_id, answer, used } = replayData
    context.setRecordEntity(reactor_id)
    // SECURITY: the response may contain token values with the access that the caller had then.
    for (const each of used) {
      const transform = findUsableTransform(context, each, argsTokenUse)
      if (!transform) throw createDeletedSinceError()
      if (getWeakerTransform(transform, each.transform) !== each.transform) {
        throw new CofferError(
          'forbidden',
          'The caller now has less access to a token, so the stored response can no longer be returned.',
        )
      }
    }
    context.markPlaintextShown()
    return { ...emptyRun, reactor_id, before: answer }
  },
})

export const reactAsync = defineOperation({
  summary: 'Run a reactor asynchronously and store its result for 24 hours',
  route: 'POST /reactors/{id}/react-async',
  runs: true,
  permission: invoking,
  entity: 'reactor',
  status: 202,
  wholeBody: true,
  bodyless: true,
  input: invocation,
  output: prepared,
  answers: asyncReactResponse,
  handler: (context, input) => startRun(context, input.id, prepareInvocation(context, input)),
  replay: repeatStart,
})

/** Prepares a run of a stored reactor (rule F-03). Throws `not_found`, and whatever `prepareRun` throws. */
function prepareInvocation(context: Context, { id, payload = {} }: z.output<typeof invocation>): PreparedRun {
  context.setRecordEntity(id)
  const runnable = requireRunnable(context, id)
  return prepareRun(context, runnable, readInput(context, runnable, payload))
}

/** Returns the input of code: the whole body in node22, and its `args` in node-bt, which ignores everything else. */
function readInput(context: Context, { runtime }: RunnableCode, payload: Json): Json {
  if (runtime.image === 'node22') return payload
  const part = isObject(payload) ? payload : { body: payload }
  const { args = {} } = context.parsePart({ schema: reactRequest, part }, () => undefined)
  return args
}

/** Stores the request of an asynchronous run, without its result (rule F-05). */
function startRun(context: Context, reactor_id: string, run: PreparedRun): PreparedRun {
  const { db, actor, opening, now } = context
  const request = { id: randomUUID(), isNew: true }
  const creator_id = getCreatorId(actor)
  insertRequest(db, { id: request.id, reactor_id, creator_id, opening, expires_at: now + RESULT_LIFETIME_MS })
  context.storeReplay({ id: request.id, reactor_id } satisfies StartReplayData)
  return { ...run, request }
}

function repeatStart(context: Context, { id, reactor_id }: StartReplayData): PreparedRun {
  context.setRecordEntity(reactor_id)
  if (!findRequest(context.db, { id, reactor_id, now: context.now })) throw createDeletedSinceError()
  return { ...emptyRun, reactor_id, request: { id, isNew: false } }
}

export const results = defineOperation({
  summary: 'Get the result of an asynchronous run; 404 or 202 until it has finished',
  route: 'GET /reactors/{id}/results/{request_id}',
  runs: true,
  permission: invoking,
  entity: 'reactor',
  refusals: ['unprocessable', 'bad_gateway'],
  input: z.strictObject({ id: createdId, request_id: createdId }),
  output: responseSchema,
  answers: reactResponse,
  accepted: pendingResult,
  handler(context, { id, request_id }) {
    context.setRecordEntity(id)
    const row = findRequest(context.db, { id: request_id, reactor_id: id, now: context.now })
    // SECURITY: a caller whose permissions are limited to some containers may read only the results of its own
    // requests.
    if (!row || !mayRead(context, row.creator_id))
      throw new CofferError('not_found', 'There is no such request, or its result has been deleted.')
    if (row.status === null || row.result === null) {
      if (row.opening !== context.opening) return createProblemResponse(createInterruptedError())
      const reactor = findReactor(context.db, id)
      if (reactor && readRuntime(parseRuntime(reactor)).isAsync)
        return createJsonResponse(202, { status: 'pending' })
      throw new CofferError('not_found', 'The run has not finished yet. Try again later.')
    }
    // SECURITY: a result may contain token values.
    context.markPlaintextShown()
    return JSON.parse(context.keyring.openValue(row.result, request_id, LABEL)) as RunResponse
  },
})

export const prepareTry = defineOperation({
  summary: 'Insert token values into the arguments of a test run',
  entity: 'reactor',
  effect: 'write',
  runs: true,
  input: tryReactor,
  output: prepared,
  handler(context, { reactor_id, code, runtime, args, configuration, application_id }) {
    context.setRecordEntity(reactor_id)
    const runnable = {
      reactor_id,
      name: null,
      code,
      runtime: readRuntime(runtime),
      configuration,
      application_id,
    }
    return prepareRun(context, runnable, parseJsonInput(args, 'args'))
  },
})

/** The output of `finish`: the response, and the strings to redact in the stored run. */
const finished = z.object({
  answer: responseSchema,
  token_ids: z.array(z.string()),
  secrets: z.array(z.string()),
})

export const finish = defineOperation({
  summary: 'Create tokens from the result of a run, and store the result',
  entity: 'reactor',
  effect: 'write',
  permission: invoking,
  runs: true,
  input: z.strictObject({
    reactor_id: z.string().nullable(),
    request_id: z.string().nullable(),
    used,
    value: json,
  }),
  output: finished,
  handler(context, { reactor_id, request_id, used, value }) {
    context.setRecordEntity(reactor_id)
    const { answer, tokenize: payload } = parseReturned(value)
    const created = payload === undefined ? null : tokenizePayload(context, payload)
    const sent = createSuccessResponse({ ...answer, ...(created && { tokens: created.tokens }) })
    if (request_id !== null) storeResult(context, request_id, sent)
    storeReplayData(context, { reactor_id, answer: sent, used }, created?.ids)
    if (created) context.excludeFromRequestCount('tokens created from the result of the code')
    else context.skipRecord()
    return { answer: sent, token_ids: created?.ids ?? [], secrets: created?.secrets ?? [] }
  },
})

export const keep = defineOperation({
  summary: 'Store a custom response of code for a repeated request',
  entity: 'reactor',
  effect: 'write',
  permission: invoking,
  runs: true,
  input: z.strictObject({ reactor_id: z.string().nullable(), used, answer: responseSchema }),
  output: nothing,
  handler(context, { reactor_id, used, answer }) {
    context.setRecordEntity(reactor_id)
    storeReplayData(context, { reactor_id, answer, used })
    context.skipRecord()
    return {}
  },
})

export const settle = defineOperation({
  summary: 'Store the result of a failed run',
  entity: 'reactor',
  effect: 'write',
  runs: true,
  input: z.strictObject({ request_id: z.string(), answer: responseSchema }),
  output: nothing,
  handler(context, { request_id, answer }) {
    storeResult(context, request_id, answer)
    context.skipRecord()
    return {}
  },
})

/** SECURITY: stores the response, sealed, because the code may have had effects and must not run again. */
function storeReplayData(
  context: Context,
  replayData: RunReplayData,
  createdIds: readonly string[] = [],
): void {
  const read = replayData.used.filter(({ source }) => source === undefined).map(({ id }) => id)
  context.storeReplay(replayData, [...createdIds, ...read])
}

function storeResult({ db, keyring, now }: Context, id: string, answer: RunResponse): void {
  saveResult(
    db,
    id,
    answer.status,
    keyring.sealValue(JSON.stringify(answer), id, LABEL),
    now + RESULT_LIFETIME_MS,
  )
}

/** Creates tokens like `POST /tokenize`, with the caller's permissions and limits (rule F-03). */
function tokenizePayload(
  context: Context,
  payload: Json,
): { tokens: Json; ids: string[]; secrets: string[] } {
  if (!hasPermission(context.actor, 'token:create')) {
    throw new CofferError(
      'forbidden',
      'This needs the permission token:create, because the code returned data to tokenize.',
      {
        missing: { permissions: ['token:create'] },
      },
    )
  }
  const tokens = tokenize.handler(context, { payload }) as Json
  const requests = findTokenRequests(payload, context.settings.tokens_per_tokenize)
  const data = requests.map(({ request }) => getRequestData(request))
  return { tokens, ids: [...(context.replayData?.token_ids ?? [])], secrets: data.flatMap(findSecrets) }
}

function getRequestData(request: unknown): Json {
  return typeof request === 'object' && request !== null && 'data' in request ? (request.data as Json) : null
}

function mayRead({ actor }: Context, creator_id: string | null): boolean {
  if (getCreatorId(actor) === creator_id) return true
  return decideReading(actor, invoking, { id: '', containers: ['/'] }) !== null
}

/** The error of a run that was interrupted when Coffer closed or locked (rule F-05). */
function createInterruptedError(): CofferError {
  return createThrownError(500, 'Reactor Runtime Error', [
    'Coffer was closed or locked while the reactor ran.',
  ])
}
