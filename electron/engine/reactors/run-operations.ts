import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { json, madeId, nothing } from '../../../shared/schemas/common.ts'
import { asyncReactAnswer, reactAnswer, reactRequest, tryReactor } from '../../../shared/schemas/reactor.ts'
import { z } from '../../../shared/zod.ts'
import { decideReading, holds, weaker } from '../access/access.ts'
import { creatorId } from '../access/actor.ts'
import type { Context } from '../door/context.ts'
import { goneSince } from '../door/idempotency.ts'
import { operation } from '../door/operation.ts'
import { secretsIn } from '../proxies/secrets.ts'
import { type Used, usableNow } from '../proxies/values.ts'
import { tokenize } from '../tokenize/operations.ts'
import { requestsOf } from '../tokenize/requests.ts'
import { problemOf, type RunAnswer, returnedBy, successOf, thrown } from './answer.ts'
import { intoArgs, jsonOf, type PreparedRun, prepareRun, runnableOf } from './prepare.ts'
import { findRequest, insertRequest, saveResult } from './requests/store.ts'

/** How long a result is kept (rule F-05). */
const KEPT_MS = 24 * 60 * 60 * 1000
const LABEL = 'result'

const invoking = ['reactor:invoke', 'token:use'] as const
const nothingToRun: PreparedRun = {
  reactor_id: null,
  name: null,
  code: '',
  configuration: {},
  application_id: null,
  args: 'null',
  secrets: [],
  token_ids: [],
  used: [],
  request: null,
  before: null,
}
const inside = { route: null, entity: 'reactor', effect: 'write', status: 200 } as const
const answered = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() })
const prepared = z.custom<PreparedRun>()
const used = z.custom<readonly Used[]>()

/** What is kept of an answer of code, for a repeated request (rule A-12). */
type KeptAnswer = {
  readonly reactor_id: string | null
  readonly answer: RunAnswer
  readonly used: readonly Used[]
}

export const react = operation({
  summary: 'Run a reactor, and answer with what it returns',
  route: 'POST /reactors/{id}/react',
  runs: true,
  permission: invoking,
  entity: 'reactor',
  effect: 'read',
  status: 200,
  refusals: ['unprocessable'],
  input: reactRequest,
  output: prepared,
  answers: reactAnswer,
  handler(context, { id, args = {} }) {
    context.about(id)
    const run = prepareRun(context, runnableOf(context, id), args)
    if (run.token_ids.length === 0) context.isPart()
    return run
  },
  replay(context, { reactor_id, answer, used }: KeptAnswer) {
    context.about(reactor_id)
    // SECURITY: the answer may hold what tokens held, as the caller saw them then.
    for (const each of used) {
      const transform = usableNow(context, each, intoArgs)
      if (!transform) throw goneSince()
      if (weaker(transform, each.transform) !== each.transform) {
        throw new CofferError('forbidden', 'The caller may see less of a token now than the answer may hold.')
      }
    }
    context.showsPlaintext()
    return { ...nothingToRun, reactor_id, before: answer }
  },
})

export const reactAsync = operation({
  summary: 'Run a reactor, and keep its result for 24 hours',
  route: 'POST /reactors/{id}/react-async',
  runs: true,
  permission: invoking,
  entity: 'reactor',
  effect: 'write',
  status: 202,
  input: reactRequest,
  output: prepared,
  answers: asyncReactAnswer,
  handler(context, { id, args = {} }) {
    context.about(id)
    const { db, actor, opening, now } = context
    const run = prepareRun(context, runnableOf(context, id), args)
    const request = { id: randomUUID(), isNew: true }
    insertRequest(db, {
      id: request.id,
      reactor_id: id,
      creator_id: creatorId(actor),
      opening,
      expires_at: now + KEPT_MS,
    })
    context.keep({ id: request.id, reactor_id: id })
    return { ...run, request }
  },
  replay(context, { id, reactor_id }: { id: string; reactor_id: string }) {
    context.about(reactor_id)
    if (!findRequest(context.db, { id, reactor_id, now: context.now })) throw goneSince()
    return { ...nothingToRun, reactor_id, request: { id, isNew: false } }
  },
})

export const results = operation({
  summary: 'Get the result of a run that nobody waited for; 404 until there is one',
  route: 'GET /reactors/{id}/results/{request_id}',
  runs: true,
  permission: invoking,
  entity: 'reactor',
  effect: 'read',
  status: 200,
  input: z.strictObject({ id: madeId, request_id: madeId }),
  output: answered,
  answers: reactAnswer,
  handler(context, { id, request_id }) {
    context.about(id)
    const row = findRequest(context.db, { id: request_id, reactor_id: id, now: context.now })
    // SECURITY: with rights on some containers alone, a caller reads what it asked for itself.
    if (!row || !mayRead(context, row.creator_id))
      throw new CofferError('not_found', 'There is no such request, or its result is no longer kept.')
    if (row.status === null || row.result === null) {
      if (row.opening !== context.opening) return problemOf(interrupted())
      throw new CofferError('not_found', 'There is no result yet.')
    }
    // SECURITY: a result may hold what tokens held.
    context.showsPlaintext()
    return JSON.parse(context.keyring.openValue(row.result, request_id, LABEL)) as RunAnswer
  },
})

export const prepareTry = operation({
  ...inside,
  summary: 'Put tokens into the arguments of code that the owner tries',
  permission: 'owner',
  runs: true,
  input: tryReactor,
  output: prepared,
  handler(context, { reactor_id, code, args, configuration, application_id }) {
    context.about(reactor_id)
    const runnable = { reactor_id, name: null, code, configuration, application_id }
    return prepareRun(context, runnable, jsonOf(args, 'args'))
  },
})

/** What `finish` gives: the answer, and what must not be shown of the run. */
const finished = z.object({
  answer: answered,
  token_ids: z.array(z.string()),
  secrets: z.array(z.string()),
})

export const finish = operation({
  ...inside,
  summary: 'Make tokens of what code returned, and keep its result',
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
    context.about(reactor_id)
    const { answer, tokenize: payload } = returnedBy(value)
    const made = payload === undefined ? null : tokenized(context, payload)
    const sent = successOf({ ...answer, ...(made && { tokens: made.tokens }) })
    if (request_id !== null) keepResult(context, request_id, sent)
    keepAnswer(context, { reactor_id, answer: sent, used }, made?.ids)
    if (made) context.isCountedElsewhere('tokens made of what the code returned')
    else context.isPart()
    return { answer: sent, token_ids: made?.ids ?? [], secrets: made?.secrets ?? [] }
  },
})

export const keep = operation({
  ...inside,
  summary: 'Keep an answer that code gave by itself, for a repeated request',
  permission: invoking,
  runs: true,
  input: z.strictObject({ reactor_id: z.string().nullable(), used, answer: answered }),
  output: nothing,
  handler(context, { reactor_id, used, answer }) {
    context.about(reactor_id)
    keepAnswer(context, { reactor_id, answer, used })
    context.isPart()
    return {}
  },
})

export const settle = operation({
  ...inside,
  summary: 'Keep the result of a run that did not succeed',
  permission: 'owner',
  runs: true,
  input: z.strictObject({ request_id: z.string(), answer: answered }),
  output: nothing,
  handler(context, { request_id, answer }) {
    keepResult(context, request_id, answer)
    context.isPart()
    return {}
  },
})

/** SECURITY: code has run and may have changed anything, so its answer cannot be made anew: it is kept itself, sealed. */
function keepAnswer(context: Context, kept: KeptAnswer, made: readonly string[] = []): void {
  const read = kept.used.filter(({ intent }) => !intent).map(({ id }) => id)
  context.keep(kept, [...made, ...read])
}

function keepResult({ db, keyring, now }: Context, id: string, answer: RunAnswer): void {
  saveResult(db, id, answer.status, keyring.sealValue(JSON.stringify(answer), id, LABEL), now + KEPT_MS)
}

/** Makes tokens exactly as `POST /tokenize` does, with the caller's rights and bounds (rule F-03). */
function tokenized(context: Context, payload: Json): { tokens: Json; ids: string[]; secrets: string[] } {
  if (!holds(context.actor, 'token:create')) {
    throw new CofferError(
      'forbidden',
      'This needs the permission token:create, because the code tokenizes.',
      {
        missing: { permissions: ['token:create'] },
      },
    )
  }
  const tokens = tokenize.handler(context, { payload }) as Json
  const asked = requestsOf(payload, context.settings.tokens_per_tokenize)
  const data = asked.map(({ request }) => dataOf(request))
  return { tokens, ids: [...(context.kept?.token_ids ?? [])], secrets: data.flatMap(secretsIn) }
}

function dataOf(request: unknown): Json {
  return typeof request === 'object' && request !== null && 'data' in request ? (request.data as Json) : null
}

function mayRead({ actor }: Context, creator_id: string | null): boolean {
  if (creatorId(actor) === creator_id) return true
  return decideReading(actor, invoking, { id: '', containers: ['/'] }) !== null
}

/** The end of a run whose process did not live to see it (rule F-05). */
function interrupted(): CofferError {
  return thrown(500, 'Reactor Runtime Error', ['Coffer was closed or locked while the reactor ran.'])
}
