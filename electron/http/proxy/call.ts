import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { getTransformType, type ProxyTransform } from '../../../shared/schemas/transform.ts'
import {
  type Caller,
  type CallInfo,
  decodeBody,
  type Engine,
  filterResponseHeaders,
  findHeader,
  getMessageFormat,
  type Headers,
  hasExpression,
  type PreparedCall,
  type ProxyCall,
  type ProxyMessage,
  REDACTED,
  type RedactedMessage,
  redact,
  type TransformState,
  type TransformStep,
} from '../../engine/index.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import { toOutboundError } from '../../outbound/outbound-error.ts'
import type { CodeRunner } from '../code.ts'
import type { LargeBodies } from '../large-bodies.ts'
import { toOwnResponse } from '../run-response.ts'
import type { UploadSlot } from '../uploads.ts'
import {
  type BodyPrefix,
  CHANGED_LIMIT,
  createResponseTooLargeError,
  createTooLargeError,
  decodeResponse,
  readInTime,
  readPrefix,
  readWholeResponse,
  streamBody,
  trimPartialCharacter,
} from './bodies.ts'
import { applyCodeResult, formatArgs } from './code-transform.ts'
import { createEcho, isEcho } from './echo.ts'
import type { ExchangeRecorder } from './exchange-recorder.ts'

/** The maximum size in bytes of a response that is buffered, so that it is sent completely or not at all. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** A call through a proxy, as the listener received it. */
export type Incoming = Omit<ProxyCall, 'body'> & {
  readonly body: Readable | null
  /** The slot for a body that may be large; null for a small body. */
  readonly upload: UploadSlot | null
  readonly caller: Caller
  readonly info: CallInfo
  readonly signal: AbortSignal
  /** Collects the errors that the engine has already recorded, so that they are not recorded twice. */
  readonly recorded: WeakSet<object>
  /** Observes the call; null unless calls are saved or webhooks subscribe to them. */
  readonly watch: ExchangeRecorder | null
}

/** The response to the caller. */
export type Outgoing = {
  readonly status: number
  readonly headers: Headers
  readonly body: Readable | Buffer
  /** The status of the destination, before any transform; null if code responded in its place. */
  readonly destination_status: number | null
  readonly host: string | null
  /** The id of the pre-configured proxy; null for an ephemeral call. */
  readonly proxy_id: string | null
  /** The application that a code or tokenize transform acted for; null if none acted for one. */
  readonly application_id: string | null
}

type ProxyDeps = {
  readonly engine: Engine
  readonly outbound: Outbound
  readonly code: CodeRunner
  readonly ephemeral: boolean
  /** Limits the transforms of large messages to one at a time. */
  readonly large: LargeBodies
}

/**
 * Makes a call through a proxy (rules G-04 to G-08): reads the body if it is short enough to be changed, lets the
 * engine insert tokens and apply transforms, and sends the request. No transaction is open while the call waits for
 * the destination. Throws a CofferError for every error of the proxy itself.
 */
export async function callProxy(deps: ProxyDeps, incoming: Incoming): Promise<Outgoing> {
  const { body, proxy_key, proxy_url, method, path, query, headers: received } = incoming
  const prefix: BodyPrefix | null = body && (await readPrefix(body, incoming.upload))
  const wholeBody = prefix && !prefix.rest ? prefix.bytes : null
  const proxyCall: ProxyCall = {
    proxy_key,
    proxy_url,
    method,
    path,
    query,
    headers: received,
    body: wholeBody,
  }
  const prepared = (await deps.large.runLimited(wholeBody ?? undefined, () =>
    callEngine(deps, incoming, 'proxies.invoke', proxyCall),
  )) as PreparedCall
  incoming.watch?.onPrepared(proxyCall, prefix, prepared)
  if (prefix?.rest) rejectLongBody(prefix, prepared)
  const sent = await transformMessage(deps, incoming, prepared, 'request', {
    message: prepared.message,
    shown: prepared.shown,
    secrets: prepared.secrets,
    made: {},
    ...(prepared.encrypted !== undefined && { encrypted: prepared.encrypted }),
  })
  if ('status' in sent) return sent
  incoming.watch?.onSend(sent)
  const { url } = prepared
  // Some destinations accept a long body only with a Content-Length.
  const length = prefix?.rest ? findHeader(received, 'content-length') : undefined
  const headers: Headers =
    length === undefined ? sent.message.headers : [...sent.message.headers, ['Content-Length', length]]
  const response = isEcho(url)
    ? createEcho(method, url, deps.ephemeral ? toPlainMessage(sent) : sent.shown)
    : await deps.outbound.send({
        method,
        url,
        headers,
        body: prefix?.rest ? Readable.from(streamBody(prefix, incoming.upload)) : sent.message.body,
        signal: incoming.signal,
        max_buffered_bytes: MAX_BUFFERED_BYTES,
      })
  // The echo has responded in this turn of the event loop. Its response must be transformed in another turn (case
  //
  if (isEcho(url)) await turn()
  return handleResponse(deps, incoming, prepared, sent, response)
}

/** Runs an operation of the engine, and marks its error as recorded. */
async function callEngine(
  { engine }: ProxyDeps,
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

/** Rejects a body that is too long to be changed (rule G-04). */
function rejectLongBody({ bytes }: BodyPrefix, { proxy, message, request_transforms }: PreparedCall): void {
  if (request_transforms.length > 0)
    throw createTooLargeError('The body of a request with transforms', CHANGED_LIMIT)
  if (proxy?.disable_detokenization) return
  // SECURITY: reject the call, because the expression would be forwarded unresolved and the call would seem to succeed.
  const form = getMessageFormat({ headers: message.headers, body: trimPartialCharacter(bytes) })
  if (hasExpression(bytes.toString('latin1'), form)) {
    throw createTooLargeError('The body of a request with expressions', CHANGED_LIMIT)
  }
}

function toPlainMessage({ message: { headers, body } }: TransformState): TransformState['shown'] {
  return { headers, body: body && decodeBody(body).text }
}

/** The types of transforms that always replace the body. */
const changing: readonly string[] = ['mask', 'append_json', 'append_text']

/**
 * Returns the destination's response: streamed, or read completely if the destination succeeded and there are
 * transforms (rule G-05).
 */
async function handleResponse(
  deps: ProxyDeps,
  incoming: Incoming,
  prepared: PreparedCall,
  sent: TransformState,
  response: OutboundResponse<Readable | Buffer>,
): Promise<Outgoing> {
  const { status, host } = response
  const recorded = getRecordedIds(prepared)
  const headers = filterResponseHeaders(response.headers)
  const isSuccess = status >= 200 && status < 300
  if (!isSuccess || prepared.response_transforms.length === 0) {
    const body = incoming.watch?.onResponse(status, headers, response.body) ?? response.body
    return { status, headers, body, destination_status: status, host, ...recorded }
  }
  const bytes = await readWholeBody(response)
  const plain = await decodeResponse(bytes, findHeader(headers, 'content-encoding'))
  const message = {
    headers: headers.filter(([name]) => !/^content-(encoding|length)$/i.test(name)),
    body: plain,
  }
  incoming.watch?.onWholeResponse(status, message.headers, plain)
  // The owner and webhooks see no body that a transform replaces; they see the transformed body instead.
  const isChanged = prepared.response_transforms.some((each) => changing.includes(getTransformType(each)))
  const redactBody = () => (isChanged ? REDACTED : redact(decodeBody(plain).text, sent.secrets))
  const shown = sent.shown.isCoded ? redactMessage(message) : { headers: message.headers, body: redactBody() }
  const state = await transformMessage(deps, incoming, prepared, 'response', {
    message,
    shown,
    secrets: sent.secrets,
    made: sent.made,
    spent: sent.spent,
    ...(sent.encrypted !== undefined && { encrypted: sent.encrypted }),
  })
  if ('status' in state) return state
  incoming.watch?.onReturn(state)
  return {
    status,
    headers: state.message.headers,
    body: state.message.body ?? Buffer.alloc(0),
    destination_status: status,
    host,
    ...recorded,
  }
}

async function readWholeBody({ body, host }: OutboundResponse<Readable | Buffer>): Promise<Buffer> {
  if (!(body instanceof Readable)) {
    // The response of the echo is longer than the message that it describes, so it can exceed the limit.
    if (body.length > CHANGED_LIMIT) throw createResponseTooLargeError()
    return body
  }
  try {
    return await readInTime(body, host, readWholeResponse)
  } catch (error) {
    throw toOutboundError(error, host)
  }
}

/** Applies the transforms of one side, in order. If code sends its own response, returns that instead. */
async function transformMessage(
  deps: ProxyDeps,
  incoming: Incoming,
  prepared: PreparedCall,
  side: 'request' | 'response',
  state: TransformState,
): Promise<TransformState | Outgoing> {
  const transforms = side === 'request' ? prepared.request_transforms : prepared.response_transforms
  const { proxy } = prepared
  if (transforms.length === 0 || !proxy) return state
  const runTransforms = async (from: number, to: number, now: TransformState): Promise<TransformState> => {
    const some = transforms.slice(from, to)
    if (some.length === 0) return now
    const input: TransformStep = { proxy_id: proxy.id, side, transforms: some, before: from, state: now }
    return (await deps.large.runLimited(now.message.body ?? undefined, () =>
      callEngine(deps, incoming, getOperationName(some), input),
    )) as TransformState
  }
  const at = transforms.findIndex((each) => getTransformType(each) === 'code')
  if (at < 0) return runTransforms(0, transforms.length, state)
  const before = await runTransforms(0, at, state)
  const after = await runCodeTransform(
    deps,
    incoming,
    { ...prepared, proxy },
    side,
    transforms[at]?.code ?? '',
    before,
  )
  return 'status' in after ? after : runTransforms(at + 1, transforms.length, after)
}

type OfProxy = PreparedCall & { readonly proxy: NonNullable<PreparedCall['proxy']> }

/** Runs the code transform of one side (rule F-03). */
async function runCodeTransform(
  { engine, code: runner }: ProxyDeps,
  incoming: Incoming,
  prepared: OfProxy,
  side: 'request' | 'response',
  code: string,
  state: TransformState,
): Promise<TransformState | Outgoing> {
  const { caller, signal, info, watch } = incoming
  const { secrets } = state
  const result = await runner.runTransform({
    engine,
    caller,
    prepared,
    side,
    code,
    args: formatArgs(state, side, incoming),
    secrets,
    trace_id: info.trace_id ?? '',
    signal,
  })
  const { application_id } = prepared.proxy
  if (result.kind === 'returned') {
    return applyCodeResult(state, result.value, side, application_id !== null || secrets.length > 0)
  }
  const { status, headers, body } = toOwnResponse(result)
  watch?.onCodeResponse(status)
  const own = Object.entries(headers)
  const response = { status, headers: own, body: Buffer.from(body) }
  return { ...response, destination_status: null, host: null, ...getRecordedIds(prepared) }
}

/** The ids for the log record of a call. */
function getRecordedIds({ proxy, request_transforms, response_transforms }: PreparedCall) {
  const transforms = [...request_transforms, ...response_transforms]
  const acts = transforms.some((each) => ['code', 'tokenize'].includes(getTransformType(each)))
  return { proxy_id: proxy?.id ?? null, application_id: acts ? (proxy?.application_id ?? null) : null }
}

/** Redacts a message completely, because any part of it may hold a token value in another form. */
function redactMessage({ headers }: ProxyMessage): RedactedMessage {
  return { headers: headers.map(([name]) => [name, REDACTED]), body: REDACTED, isCoded: true }
}

/** Returns the operation that runs these transforms: a write if any of them creates tokens, otherwise a read. */
function getOperationName(transforms: readonly ProxyTransform[]): string {
  const makes = transforms.some((each) => getTransformType(each) === 'tokenize')
  return makes ? 'proxies.transformAndTokenize' : 'proxies.transform'
}
