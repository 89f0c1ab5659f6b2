import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { type ProxyTransform, typeOf } from '../../../shared/schemas/transform.ts'
import type { Caller, CallInfo } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'
import { bodyText, hasExpression } from '../../engine/proxies/body-text.ts'
import type { TransformStep } from '../../engine/proxies/call-operations.ts'
import { type Headers, headerOf, returned } from '../../engine/proxies/headers.ts'
import { formOfMessage, type Message, type Shown } from '../../engine/proxies/message.ts'
import type { PreparedCall, ProxyCall } from '../../engine/proxies/prepare.ts'
import { DOTS, dotted } from '../../engine/proxies/secrets.ts'
import type { Transforming } from '../../engine/proxies/transform.ts'
import { failureOf } from '../../outbound/failure.ts'
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts'
import type { RunsCode } from '../code.ts'
import type { LargeBodies } from '../large-bodies.ts'
import { ownAnswer } from '../run-answer.ts'
import type { Upload } from '../uploads.ts'
import {
  answerTooLarge,
  type Beginning,
  beginningOf,
  CHANGED_LIMIT,
  decoded,
  passedOn,
  readInTime,
  tooLarge,
  wholeAnswer,
  wholeCharacters,
} from './bodies.ts'
import { afterCode, argsOf } from './code-step.ts'
import { echo, isEcho } from './echo.ts'
import type { Watch } from './watch.ts'

/** Answers of at most so many bytes are read before they are sent: such an answer is sent whole, or not at all. */
const SHORT = 64 * 1024

/** A call of a proxy, with what it needs. */
export type Incoming = Omit<ProxyCall, 'body'> & {
  readonly body: Readable | null
  /** The place of a body that may be large. */
  readonly upload: Upload | null
  readonly caller: Caller
  readonly info: CallInfo
  readonly signal: AbortSignal
  /** Receives the errors that the engine has recorded. */
  readonly recorded: WeakSet<object>
  /** Sees what happens, if calls are kept. */
  readonly watch: Watch | null
}

/** What goes back to the caller. */
export type Outgoing = {
  readonly status: number
  readonly headers: Headers
  readonly body: Readable | Buffer
  /** The status of the destination, before any transform; null if code answered in its place. */
  readonly destination_status: number | null
  readonly host: string | null
  /** The pre-configured proxy that was called. */
  readonly proxy_id: string | null
  /** The application that the proxy acted for; null if it has none, or only passed the call on. */
  readonly application_id: string | null
}

type Way = {
  readonly engine: Engine
  readonly outbound: Outbound
  readonly code: RunsCode
  readonly ephemeral: boolean
  /** Lets long messages be changed one at a time. */
  readonly large: LargeBodies
}

/**
 * Makes a call through a proxy (rules G-04 to G-08): reads what may have to change, has the engine put in tokens and
 * apply transforms, and sends it. No transaction is open while the destination is waited for. Throws a CofferError for
 * everything that the proxy itself refuses or cannot do.
 */
export async function callThrough(way: Way, incoming: Incoming): Promise<Outgoing> {
  const { body, proxy_key, proxy_url, method, path, query, headers: received } = incoming
  const begun: Beginning | null = body && (await beginningOf(body, incoming.upload))
  const whole = begun && !begun.rest ? begun.bytes : null
  const given: ProxyCall = { proxy_key, proxy_url, method, path, query, headers: received, body: whole }
  const prepared = (await way.large.answer(whole ?? undefined, () =>
    inEngine(way, incoming, 'proxies.invoke', given),
  )) as PreparedCall
  incoming.watch?.prepared(given, begun, prepared)
  if (begun?.rest) refuseLong(begun, prepared)
  const sent = await transformed(way, incoming, prepared, 'request', {
    message: prepared.message,
    shown: prepared.shown,
    secrets: prepared.secrets,
    made: {},
    ...(prepared.encrypted !== undefined && { encrypted: prepared.encrypted }),
  })
  if ('status' in sent) return sent
  incoming.watch?.goesOut(sent)
  const { url } = prepared
  // Some destinations take a long body only if it says how long it is.
  const length = begun?.rest ? headerOf(received, 'content-length') : undefined
  const headers: Headers =
    length === undefined ? sent.message.headers : [...sent.message.headers, ['Content-Length', length]]
  const answer = isEcho(url)
    ? echo(method, url, way.ephemeral ? textual(sent) : sent.shown)
    : await way.outbound.send({
        method,
        url,
        headers,
        body: begun?.rest ? Readable.from(passedOn(begun, incoming.upload)) : sent.message.body,
        signal: incoming.signal,
        whole: SHORT,
      })
  // No network has been waited for, and the transforms of the answer are to have a turn of their own (case X-65).
  if (isEcho(url)) await turn()
  return answered(way, incoming, prepared, sent, answer)
}

/** Runs an operation, which records how it ended. */
async function inEngine(
  { engine }: Way,
  { caller, info, recorded }: Incoming,
  name: string,
  input: unknown,
): Promise<unknown> {
  try {
    return (await engine.call(name, input, caller, info)).output
  } catch (error) {
    if (typeof error === 'object' && error !== null) recorded.add(error)
    throw error
  }
}

/** Refuses to change a body that is too long for it (rule G-04). */
function refuseLong({ bytes }: Beginning, { proxy, message, request_transforms }: PreparedCall): void {
  if (request_transforms.length > 0) throw tooLarge('The body, which has transforms,', CHANGED_LIMIT)
  if (proxy?.disable_detokenization) return
  // SECURITY: the expression would be sent on as it is, and look as if it had worked.
  const form = formOfMessage({ headers: message.headers, body: wholeCharacters(bytes) })
  if (hasExpression(bytes.toString('latin1'), form)) {
    throw tooLarge('The body, which has expressions,', CHANGED_LIMIT)
  }
}

function textual({ message: { headers, body } }: Transforming): Transforming['shown'] {
  return { headers, body: body && bodyText(body).text }
}

/** The types of transforms that always make another body. */
const changing: readonly string[] = ['mask', 'append_json', 'append_text']

/** Hands an answer back: as it comes, or whole where it has transforms and the destination succeeded (rule G-05). */
async function answered(
  way: Way,
  incoming: Incoming,
  prepared: PreparedCall,
  sent: Transforming,
  answer: OutboundAnswer<Readable | Buffer>,
): Promise<Outgoing> {
  const { status, host } = answer
  const recorded = recordedOf(prepared)
  const headers = returned(answer.headers)
  const isSuccess = status >= 200 && status < 300
  if (!isSuccess || prepared.response_transforms.length === 0) {
    const body = incoming.watch?.cameBack(status, headers, answer.body) ?? answer.body
    return { status, headers, body, destination_status: status, host, ...recorded }
  }
  const bytes = await wholeOf(answer)
  const plain = await decoded(bytes, headerOf(headers, 'content-encoding'))
  const message = {
    headers: headers.filter(([name]) => !/^content-(encoding|length)$/i.test(name)),
    body: plain,
  }
  incoming.watch?.cameBackWhole(status, message.headers, plain)
  // What the transforms make of it is shown in its place.
  const isChanged = prepared.response_transforms.some((each) => changing.includes(typeOf(each)))
  const bodyShown = () => (isChanged ? DOTS : dotted(bodyText(plain).text, sent.secrets))
  const shown = sent.shown.isCoded ? allDots(message) : { headers: message.headers, body: bodyShown() }
  const state = await transformed(way, incoming, prepared, 'response', {
    message,
    shown,
    secrets: sent.secrets,
    made: sent.made,
    spent: sent.spent,
    ...(sent.encrypted !== undefined && { encrypted: sent.encrypted }),
  })
  if ('status' in state) return state
  incoming.watch?.handedBack(state)
  return {
    status,
    headers: state.message.headers,
    body: state.message.body ?? Buffer.alloc(0),
    destination_status: status,
    host,
    ...recorded,
  }
}

async function wholeOf({ body, host }: OutboundAnswer<Readable | Buffer>): Promise<Buffer> {
  if (!(body instanceof Readable)) {
    // What the echo says of a long message is longer than that.
    if (body.length > CHANGED_LIMIT) throw answerTooLarge()
    return body
  }
  try {
    return await readInTime(body, host, wholeAnswer)
  } catch (error) {
    throw failureOf(error, host)
  }
}

/** Applies the transforms of one side, in order; code may answer in place of everything else. */
async function transformed(
  way: Way,
  incoming: Incoming,
  prepared: PreparedCall,
  side: 'request' | 'response',
  state: Transforming,
): Promise<Transforming | Outgoing> {
  const transforms = side === 'request' ? prepared.request_transforms : prepared.response_transforms
  const { proxy } = prepared
  if (transforms.length === 0 || !proxy) return state
  const step = async (from: number, to: number, now: Transforming): Promise<Transforming> => {
    const some = transforms.slice(from, to)
    if (some.length === 0) return now
    const input: TransformStep = { proxy_id: proxy.id, side, transforms: some, before: from, state: now }
    return (await way.large.answer(now.message.body ?? undefined, () =>
      inEngine(way, incoming, nameOf(some), input),
    )) as Transforming
  }
  const at = transforms.findIndex((each) => typeOf(each) === 'code')
  if (at < 0) return step(0, transforms.length, state)
  const before = await step(0, at, state)
  const after = await coded(way, incoming, { ...prepared, proxy }, side, transforms[at]?.code ?? '', before)
  return 'status' in after ? after : step(at + 1, transforms.length, after)
}

type OfProxy = PreparedCall & { readonly proxy: NonNullable<PreparedCall['proxy']> }

/** Runs the code of one side (rule F-03). */
async function coded(
  { engine, code: runner }: Way,
  incoming: Incoming,
  prepared: OfProxy,
  side: 'request' | 'response',
  code: string,
  state: Transforming,
): Promise<Transforming | Outgoing> {
  const { caller, signal, info, watch } = incoming
  const { secrets } = state
  const gave = await runner.transform({
    engine,
    caller,
    prepared,
    side,
    code,
    args: argsOf(state, side, incoming),
    secrets,
    trace_id: info.trace_id ?? '',
    signal,
  })
  const { application_id } = prepared.proxy
  if (gave.kind === 'returned') {
    return afterCode(state, gave.value, side, application_id !== null || secrets.length > 0)
  }
  const { status, headers, body } = ownAnswer(gave)
  watch?.answeredByCode(status)
  const own = Object.entries(headers)
  const answer = { status, headers: own, body: Buffer.from(body) }
  return { ...answer, destination_status: null, host: null, ...recordedOf(prepared) }
}

/** What the record of a call is about. */
function recordedOf({ proxy, request_transforms, response_transforms }: PreparedCall) {
  const transforms = [...request_transforms, ...response_transforms]
  const acts = transforms.some((each) => ['code', 'tokenize'].includes(typeOf(each)))
  return { proxy_id: proxy?.id ?? null, application_id: acts ? (proxy?.application_id ?? null) : null }
}

/** A message as it is shown where any of it may hold the value of a token in another form. */
function allDots({ headers }: Message): Shown {
  return { headers: headers.map(([name]) => [name, DOTS]), body: DOTS, isCoded: true }
}

/** Transforms that make tokens are a write, the others a read. */
function nameOf(transforms: readonly ProxyTransform[]): string {
  const makes = transforms.some((each) => typeOf(each) === 'tokenize')
  return makes ? 'proxies.transformAndTokenize' : 'proxies.transform'
}
