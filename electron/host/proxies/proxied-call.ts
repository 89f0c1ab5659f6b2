import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import { getTransformType, type ProxyTransform } from '../../../shared/schemas/transform.ts'
import {
  decodeBody,
  filterResponseHeaders,
  findHeader,
  getMessageFormat,
  type Headers,
  hasExpression,
  mayCodeHoldTokens,
  type PreparedCall,
  type ProxyCall,
  REDACTED,
  type RedactedMessage,
  type ReportIncident,
  readRuntime,
  redact,
  type TransformState,
  type TransformStep,
  toCofferError,
} from '../../engine/index.ts'
import type { CodeRunner } from '../../http/code.ts'
import type { IncomingCall, ProxyResponse } from '../../http/proxy/proxy-caller.ts'
import { toOwnResponse } from '../../http/run-response.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import { toOutboundError } from '../../outbound/outbound-error.ts'
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
import { applyCodeResult, formatArgs, type MessageSide } from './code-transform.ts'
import { hasDotSegment } from './dot-segments.ts'
import { createEcho, isEcho } from './echo.ts'
import { ExchangeRecorder } from './exchange-recorder.ts'

/** The maximum size in bytes of a response that is buffered, so that it is sent completely or not at all. */
const MAX_BUFFERED_BYTES = 64 * 1024

export type ProxiedCallDeps = {
  readonly outbound: Outbound
  readonly code: CodeRunner
  readonly report: ReportIncident
}

/**
 * One call through a proxy (rules G-04 to G-08): prepares the message with the engine, sends it, and finishes the
 * response with the engine. No transaction is open while the call waits for the destination.
 */
export class ProxiedCall {
  readonly #deps: ProxiedCallDeps
  readonly #call: IncomingCall
  readonly #recorder: ExchangeRecorder | null
  /** The errors that the engine has already recorded, so that they are not recorded twice. */
  readonly #recorded = new WeakSet<object>()
  /** The status of the response: the destination's, unless code changes it. */
  #status = 200

  constructor(deps: ProxiedCallDeps, call: IncomingCall) {
    this.#deps = deps
    this.#call = call
    const { engine, caller, info } = call
    const isObserved = engine.keepsExchanges || engine.outbox.hasSubscribers('proxy.invoked')
    this.#recorder = isObserved
      ? new ExchangeRecorder(engine, caller, info.trace_id ?? '', deps.report)
      : null
  }

  /** Makes the call. Rejects with every error of the proxy itself. */
  async makeCall(): Promise<ProxyResponse> {
    try {
      const { path, body, upload } = this.#call
      // SECURITY: such a path would escape the path of a pre-configured proxy.
      if (hasDotSegment(path))
        throw new CofferError(
          'invalid',
          'The path must not contain the segments . or .. in any encoding, and must not be encoded more than five times.',
        )
      const prefix = body && (await readPrefix(body, upload))
      const prepared = await this.#prepareMessage(prefix)
      const { message, shown, secrets, encrypted } = prepared
      const filled = { message, shown, secrets, made: {}, ...(encrypted !== undefined && { encrypted }) }
      const sent = await this.#transformMessage(prepared, 'request', filled)
      if ('status' in sent) return sent
      const response = await this.#sendMessage(prepared, sent, prefix)
      return await this.#finishResponse(prepared, sent, response)
    } catch (error) {
      this.#recorder?.onFailure(toCofferError(error))
      throw error
    }
  }

  /** Whether the engine has already recorded this error of the call. */
  isRecorded(error: unknown): boolean {
    return this.#recorded.has(error as object)
  }

  /** Lets the engine insert tokens. A body that is too long to be changed is left out. */
  async #prepareMessage(prefix: BodyPrefix | null): Promise<PreparedCall> {
    const { proxy_key, proxy_url, method, path, query, headers } = this.#call
    const body = prefix && !prefix.rest ? prefix.bytes : null
    const call: ProxyCall = { proxy_key, proxy_url, method, path, query, headers, body }
    const prepared = await this.#runStep(body, ({ invoke }) => invoke(call))
    this.#recorder?.onPrepared(call, prefix, prepared)
    if (prefix?.rest) rejectLongBody(prefix, prepared)
    return prepared
  }

  async #sendMessage(
    { url }: PreparedCall,
    sent: TransformState,
    prefix: BodyPrefix | null,
  ): Promise<OutboundResponse<Readable | Buffer>> {
    const { method, headers: received, upload, signal, engine } = this.#call
    this.#recorder?.onSend(sent)
    if (isEcho(url, (each) => this.#deps.outbound.isMapped(each))) {
      const echo = await createEcho(method, url, engine.isEphemeral ? toPlainMessage(sent) : sent.shown)
      // The echo has responded in this turn of the event loop. Its response must be transformed in another turn (case
      //
      await turn()
      return echo
    }
    const { headers, body } = sent.message
    // Some destinations accept a long body only with a Content-Length.
    const length = prefix?.rest ? findHeader(received, 'content-length') : undefined
    return this.#deps.outbound.send({
      method,
      url,
      headers: length === undefined ? headers : [...headers, ['Content-Length', length]],
      body: prefix?.rest ? Readable.from(streamBody(prefix, upload)) : body,
      signal,
      max_buffered_bytes: MAX_BUFFERED_BYTES,
    })
  }

  /**
   * Returns the destination's response: streamed, or read completely if the destination succeeded and there are
   * transforms (rule G-05).
   */
  async #finishResponse(
    prepared: PreparedCall,
    sent: TransformState,
    response: OutboundResponse<Readable | Buffer>,
  ): Promise<ProxyResponse> {
    const { status, host } = response
    const headers = filterResponseHeaders(response.headers)
    this.#status = status
    const common = { destination_status: status, host, ...getRecordedIds(prepared) }
    const isSuccess = status >= 200 && status < 300
    if (!isSuccess || prepared.response_transforms.length === 0) {
      const body = this.#recorder?.onResponse(status, headers, response.body) ?? response.body
      return { ...common, status, headers, body }
    }
    const bytes = await readWholeBody(response)
    const message = {
      headers: headers.filter(([name]) => !/^content-(encoding|length)$/i.test(name)),
      body: await decodeResponse(bytes, findHeader(headers, 'content-encoding')),
    }
    this.#recorder?.onWholeResponse(status, message.headers, message.body)
    const shown = toShownResponse(message, prepared, sent)
    const state = await this.#transformMessage(prepared, 'response', { ...sent, message, shown })
    if ('status' in state) return state
    this.#recorder?.onReturn(state)
    const { headers: changed, body } = state.message
    return { ...common, status: this.#status, headers: changed, body: body ?? Buffer.alloc(0) }
  }

  /** Applies the transforms of one side, in order. If code sends its own response, returns that instead. */
  async #transformMessage(
    prepared: PreparedCall,
    side: MessageSide,
    state: TransformState,
  ): Promise<TransformState | ProxyResponse> {
    const transforms = side === 'request' ? prepared.request_transforms : prepared.response_transforms
    const { proxy } = prepared
    if (transforms.length === 0 || !proxy) return state
    const at = transforms.findIndex((each) => getTransformType(each) === 'code')
    const end = at < 0 ? transforms.length : at
    const runTransforms = (from: number, some: readonly ProxyTransform[], now: TransformState) =>
      this.#runTransforms({ proxy_id: proxy.id, side, transforms: some, before: from, state: now })
    const before = await runTransforms(0, transforms.slice(0, end), state)
    if (at < 0) return before
    const after = await this.#runCode({ ...prepared, proxy }, side, transforms[at] ?? {}, before)
    return 'status' in after ? after : runTransforms(at + 1, transforms.slice(at + 1), after)
  }

  async #runTransforms(step: TransformStep): Promise<TransformState> {
    const { transforms, state } = step
    if (transforms.length === 0) return state
    // Only a call that creates tokens is a write.
    const creates = transforms.some((each) => getTransformType(each) === 'tokenize')
    return this.#runStep(state.message.body, ({ transform, transformAndTokenize }) =>
      creates ? transformAndTokenize(step) : transform(step),
    )
  }

  /** Runs the code transform of one side (rule F-03). */
  async #runCode(
    prepared: PreparedCall & { readonly proxy: NonNullable<PreparedCall['proxy']> },
    side: MessageSide,
    { code = '', options = {} }: ProxyTransform,
    state: TransformState,
  ): Promise<TransformState | ProxyResponse> {
    const { engine, caller, signal, info } = this.#call
    const { secrets } = state
    const runtime = readRuntime(options.runtime)
    const result = await this.#deps.code.runTransform({
      engine,
      caller,
      prepared,
      side,
      code,
      runtime,
      args: formatArgs(state, side === 'response' ? this.#status : null, this.#call),
      secrets,
      trace_id: info.trace_id ?? '',
      signal,
    })
    if (result.kind === 'returned') {
      const mayHoldTokens = mayCodeHoldTokens(prepared, secrets)
      const applied = applyCodeResult(state, result.value, side, mayHoldTokens)
      this.#status = applied.status ?? this.#status
      return applied.state
    }
    const { status, headers, body } = toOwnResponse(result)
    this.#recorder?.onCodeResponse(status)
    return {
      status,
      headers: Object.entries(headers),
      body: Buffer.from(body),
      destination_status: null,
      host: null,
      ...getRecordedIds(prepared),
    }
  }

  /** Runs one step of the engine, and notes that the engine has recorded its error. */
  async #runStep<T>(body: Buffer | null, step: (steps: EngineSteps) => Promise<T>): Promise<T> {
    const { engine, caller, info, runLimited } = this.#call
    try {
      return await runLimited(body ?? undefined, () => step(engine.as(caller, info).proxies))
    } catch (error) {
      if (typeof error === 'object' && error !== null) this.#recorded.add(error)
      throw error
    }
  }
}

type EngineSteps = ReturnType<IncomingCall['engine']['as']>['proxies']

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

function toPlainMessage({ message: { headers, body } }: TransformState): RedactedMessage {
  return { headers, body: body && decodeBody(body).text }
}

/** The types of transforms that always replace the body. */
const changing: readonly string[] = ['mask', 'append_json', 'append_text']

/** Returns a destination's response as the owner and webhooks may see it, before its transforms. */
function toShownResponse(
  { headers, body }: { readonly headers: Headers; readonly body: Buffer },
  { response_transforms }: PreparedCall,
  { shown, secrets }: TransformState,
): RedactedMessage {
  // Any part of it may hold a token value in another form.
  if (shown.isCoded)
    return { headers: headers.map(([name]) => [name, REDACTED]), body: REDACTED, isCoded: true }
  // A body that a transform replaces is not shown; the transformed body is shown instead.
  const isChanged = response_transforms.some((each) => changing.includes(getTransformType(each)))
  return { headers, body: isChanged ? REDACTED : redact(decodeBody(body).text, secrets) }
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

/** The ids for the log record of a call. */
function getRecordedIds({ proxy, request_transforms, response_transforms }: PreparedCall) {
  const transforms = [...request_transforms, ...response_transforms]
  const acts = transforms.some((each) => ['code', 'tokenize'].includes(getTransformType(each)))
  return { proxy_id: proxy?.id ?? null, application_id: acts ? (proxy?.application_id ?? null) : null }
}
