import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import {
  type Caller,
  type CallInfo,
  type Engine,
  type Headers,
  isIncident,
  runAfterwards,
  toCofferError,
} from '../../engine/index.ts'
import type { IncomingCall, ProxyCaller, ProxyResponse } from '../../http/proxy/proxy-caller.ts'
import { toRecordedPath } from '../../http/request-metadata.ts'
import { toOutboundError } from '../../outbound/outbound-error.ts'
import { ECHO_URL } from './echo.ts'
import { ProxiedCall, type ProxiedCallDeps } from './proxied-call.ts'

const OPERATION = 'proxies.invoke'
const TEST_TIMEOUT_MS = 60_000

type ProxyTest = {
  readonly proxy_key: string | null
  readonly method: string
  /** What follows `/proxy`, with the query. */
  readonly path: string
  readonly key: string
  readonly body?: string | undefined
}

/** Makes the calls of proxies, for the listener and for the window, and records how each one ended. */
export class Proxies implements ProxyCaller {
  readonly #deps: ProxiedCallDeps

  constructor(deps: ProxiedCallDeps) {
    this.#deps = deps
  }

  get allowedDestinations(): readonly string[] {
    return this.#deps.outbound.allowed
  }

  async makeCall(incoming: IncomingCall): Promise<ProxyResponse> {
    const call = new ProxiedCall(this.#deps, incoming)
    try {
      return await call.makeCall()
    } catch (error) {
      const { engine, caller, info } = incoming
      if (!call.isRecorded(error))
        engine.outcomes.recordOutcome(OPERATION, caller, toCofferError(error), info)
      throw error
    }
  }

  recordResponse({ engine, caller, info, started }: IncomingCall, response: ProxyResponse): void {
    const { status, host, body, proxy_id, application_id } = response
    const outcome = {
      status,
      entity_id: proxy_id,
      concerns: application_id,
      note: host === null ? 'the code of the proxy sent its own response' : `answered by ${host}`,
      duration_us: Math.round((performance.now() - started) * 1000),
    }
    engine.outcomes.recordOutcome(OPERATION, caller, outcome, info)
    if (!(body instanceof Readable)) return
    // The first record only covers the start of the response.
    body.once('error', (error) => {
      const { status, message } = toOutboundError(error, host ?? '')
      const interruption = {
        status,
        note: `response interrupted: ${message}`,
        isExcludedFromCount: true,
      } as const
      const recordInterruption = () => engine.outcomes.recordOutcome(OPERATION, caller, interruption, info)
      runAfterwards(this.#deps.report, OPERATION, recordInterruption, info.trace_id)
    })
  }

  /**
   * Makes a call for the window, as a program with this key would, and returns the status that the program would get,
   * without the faults and limits of the listener, which may be off. SECURITY: the response is discarded, because a
   * destination may return a token's value; the window shows the saved call instead, with such values redacted.
   */
  async testProxy(engine: Engine, input: ProxyTest) {
    const trace_id = crypto.randomUUID()
    const { method, path, key, proxy_key, body } = input
    // SECURITY: resolved before `/proxy` is prepended, so that no dot segment can remove a part of the prefix. The rest
    // would be read as part of the destination's host.
    const { pathname, search } = new URL(`http://coffer.test${path}`)
    const forwardedPath = pathname === '/' ? '' : pathname
    const info = { trace_id, request: `${method} ${toRecordedPath(`/proxy${forwardedPath}`)}` }
    try {
      const call: IncomingCall = {
        engine,
        proxy_key,
        proxy_url: proxy_key === null ? ECHO_URL : null,
        method,
        path: forwardedPath,
        query: search,
        headers: [['Accept', '*/*'], ['User-Agent', 'Coffer'], ...listContentType(body)],
        body: body === undefined ? null : Readable.from([Buffer.from(body)]),
        upload: null,
        caller: identifyTestCaller(engine, key, proxy_key, info),
        info,
        started: performance.now(),
        signal: AbortSignal.timeout(TEST_TIMEOUT_MS),
        runLimited: (_body, step) => step(),
      }
      const response = await this.makeCall(call)
      this.recordResponse(call, response)
      // If the body is interrupted, the program already has the status, and `recordResponse` records the interruption.
      if (response.body instanceof Readable) await finished(response.body.resume()).catch(() => undefined)
      // Like a response of the listener, the status does not leave a vault that was locked during the call.
      engine.assertResponsive()
      return { status: response.status, trace_id, rejection: null }
    } catch (error) {
      const failure = toCofferError(error)
      if (isIncident(failure)) this.#deps.report(failure, OPERATION, trace_id)
      // SECURITY: what the code of a proxy throws may contain a token's value.
      const rejection =
        failure.thrown_status === undefined ? failure.message : 'The code of the proxy failed.'
      return { status: failure.status, trace_id, rejection }
    }
  }
}

/** Identifies the caller of a test by its key. Throws `unauthenticated`, which is then recorded. */
function identifyTestCaller(engine: Engine, key: string, proxy_key: string | null, info: CallInfo): Caller {
  try {
    if (key !== '' || proxy_key === null) return engine.identification.identifyKey(key)
    return engine.identification.identifyProxy(proxy_key)
  } catch (error) {
    engine.outcomes.recordOutcome(OPERATION, { kind: 'key', key }, toCofferError(error), info)
    throw error
  }
}

function listContentType(body: string | undefined): Headers {
  if (body === undefined) return []
  return [['Content-Type', /^\s*[{["]/.test(body) ? 'application/json' : 'text/plain']]
}
