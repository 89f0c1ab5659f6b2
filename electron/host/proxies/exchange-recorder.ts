import { PassThrough, pipeline, Readable, type Transform } from 'node:stream'
import type { CofferError } from '../../../shared/errors.ts'
import {
  type BodyExcerpt,
  type Caller,
  type Engine,
  type ExchangeResult,
  findHeader,
  type Headers,
  MAX_SCANNED_BYTES,
  mayCodeHoldTokens,
  type PreparedCall,
  type ProxyCall,
  type ReportIncident,
  redactExchange,
  runAfterwards,
  type TransformState,
  toExchangeEventData,
  toMinimalExchange,
} from '../../engine/index.ts'
import type { BodyPrefix } from './bodies.ts'

const nothing: BodyExcerpt = { bytes: null, isWhole: true }

/** How incident reports name this recorder. */
const INCIDENT_PLACE = 'stored call of a proxy'

/**
 * Observes one call of a proxy, to save it for the owner (rule G-07) and to publish it to webhooks (W-01). The caller
 * never waits for this: the first bytes of each body are copied as they pass, and the call is saved after the response.
 */
export class ExchangeRecorder {
  readonly #engine: Engine
  readonly #caller: Caller
  readonly #trace_id: string
  readonly #report: ReportIncident | undefined
  readonly #started = performance.now()
  #call: ProxyCall | null = null
  #prepared: PreparedCall | null = null
  #body: BodyExcerpt = nothing
  #sent: TransformState | null = null
  #came_back: ExchangeResult['came_back'] = null
  #handed_back: TransformState | null = null
  #duration_us: number | null = null
  #isTapped = false

  constructor(engine: Engine, caller: Caller, trace_id: string, report: ReportIncident | undefined) {
    this.#engine = engine
    this.#caller = caller
    this.#trace_id = trace_id
    this.#report = report
  }

  /** Called once the call is authorized and its expressions have been replaced. */
  onPrepared(call: ProxyCall, prefix: BodyPrefix | null, prepared: PreparedCall): void {
    this.#call = call
    this.#prepared = prepared
    if (prefix)
      this.#body = { bytes: prefix.bytes.subarray(0, MAX_SCANNED_BYTES + 1), isWhole: prefix.rest === null }
  }

  /** Called before the request is sent. */
  onSend(sent: TransformState): void {
    this.#sent = sent
  }

  /** Called when the destination has responded. Returns the body to forward. */
  onResponse(status: number, headers: Headers, body: Readable | Buffer): Readable | Buffer {
    this.#setDuration()
    this.#isTapped = true
    if (!(body instanceof Readable)) {
      const glimpse = {
        bytes: body.subarray(0, MAX_SCANNED_BYTES + 1),
        isWhole: body.length <= MAX_SCANNED_BYTES,
      }
      this.#runAfterwards(() => this.#finishResponse(status, headers, glimpse))
      return body
    }
    const chunks: Buffer[] = []
    let length = 0
    const passing = new PassThrough({
      transform(chunk: Buffer, _encoding, done) {
        if (length <= MAX_SCANNED_BYTES) {
          chunks.push(chunk)
          length += chunk.length
        }
        done(null, chunk)
      },
    })
    pipeline(body, passing, (error) => {
      const isWhole = !error && length <= MAX_SCANNED_BYTES
      this.#runAfterwards(() =>
        this.#finishResponse(status, headers, { bytes: Buffer.concat(chunks), isWhole }),
      )
    })
    return passing
  }

  /** Called with the destination's complete response, before its transforms. */
  onWholeResponse(status: number, headers: Headers, body: Buffer): void {
    this.#setDuration()
    this.#came_back = { status, headers, body: { bytes: body, isWhole: true } }
  }

  /** Called with the response after its transforms. */
  onReturn(state: TransformState): void {
    this.#handed_back = state
    this.#runAfterwards(() => this.#saveExchange(null))
  }

  /** Called when code has sent its own response, which replaces the call or the response of the destination. */
  onCodeResponse(status: number): void {
    const problem = { status, detail: 'The code of the proxy sent its own response.' }
    this.#runAfterwards(() => this.#saveExchange(problem))
  }

  /** Called when the proxy itself has failed. An unauthorized call is not saved. */
  onFailure({ status, message }: CofferError): void {
    if (!this.#prepared || this.#isTapped) return
    this.#runAfterwards(() => this.#saveExchange({ status, detail: message }))
  }

  #runAfterwards(work: () => Promise<void>): void {
    runAfterwards(this.#report, INCIDENT_PLACE, work, this.#trace_id)
  }

  #setDuration(): void {
    this.#duration_us = Math.round((performance.now() - this.#started) * 1000)
  }

  async #finishResponse(status: number, headers: Headers, { bytes, isWhole }: BodyExcerpt): Promise<void> {
    const plain = await decodePrefix(bytes as Buffer, findHeader(headers, 'content-encoding'))
    const body = plain
      ? { bytes: plain, isWhole: isWhole && plain.length <= MAX_SCANNED_BYTES }
      : { bytes, isWhole }
    this.#came_back = { status, headers, body }
    await this.#saveExchange(null)
  }

  async #saveExchange(problem: ExchangeResult['problem']): Promise<void> {
    const call = this.#call
    const prepared = this.#prepared
    if (!call || !prepared || !URL.canParse(prepared.url)) return
    const sent = this.#sent
    const back = this.#handed_back
    const { secrets } = back ?? sent ?? prepared
    const draft: ExchangeResult = {
      trace_id: this.#trace_id,
      proxy_id: prepared.proxy?.id ?? null,
      method: call.method,
      path: call.path,
      query: call.query,
      url: prepared.url,
      sent: { headers: call.headers, body: this.#body },
      went_out: sent && {
        headers: sent.shown.headers,
        // `call.body` is null if there is no body, or if the body was too long to be changed and was forwarded
        // unchanged.
        body: call.body === null ? this.#body : { bytes: sent.shown.body, isWhole: true },
      },
      came_back: this.#came_back,
      handed_back: back && {
        headers: back.shown.headers,
        body: { bytes: back.shown.body, isWhole: true },
      },
      problem,
      request_transforms: prepared.request_transforms,
      response_transforms: prepared.response_transforms,
      mayCodeHoldTokens: mayCodeHoldTokens(prepared, secrets),
      token_ids: prepared.token_ids,
      secrets,
      duration_us: this.#duration_us ?? Math.round((performance.now() - this.#started) * 1000),
    }
    const exchange = await redactExchange(draft).catch((error) => {
      this.#report?.(error, INCIDENT_PLACE, this.#trace_id)
      return null
    })
    const eventData = toExchangeEventData(exchange ?? toMinimalExchange(draft), prepared.proxy)
    this.#engine.outbox.publishEvent(this.#caller, 'proxy.invoked', eventData, this.#trace_id)
    // A vault that was locked in the meantime rejects this, which is not an incident.
    if (exchange && this.#engine.keepsExchanges)
      await this.#engine.call('exchanges.keep', exchange, { kind: 'owner' })
  }
}

/** A decoder that tolerates a truncated body; null for an uncompressed body or an unknown encoding. */
async function createDecoder(encoding: string | undefined): Promise<Transform | null> {
  if (encoding === undefined) return null
  const { constants, createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  const flush = { finishFlush: constants.Z_SYNC_FLUSH }
  if (encoding === 'gzip') return createGunzip(flush)
  if (encoding === 'deflate') return createInflate(flush)
  return encoding === 'br' ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }) : null
}

/**
 * Decodes the first bytes of a compressed body, up to the number that is scanned. Resolves to null if the body is not
 * compressed, its encoding is unknown, or nothing can be decoded.
 */
async function decodePrefix(bytes: Buffer, encoding: string | undefined): Promise<Buffer | null> {
  const decoder = await createDecoder(encoding)
  if (!decoder) return null
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = () => {
      resolve(length === 0 ? null : Buffer.concat(chunks))
      decoder.destroy()
    }
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_SCANNED_BYTES) finish()
    })
    decoder.on('end', finish).on('error', finish)
    decoder.end(bytes)
  })
}
