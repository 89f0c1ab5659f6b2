import { Readable } from 'node:stream'
import { CofferError } from '../../shared/errors.ts'

/** A response. The body is a stream, or a buffer if the response was buffered completely. */
export type ReceivedResponse = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Readable | Buffer
}

/** What undici lets a handler do with its connection. */
type Controller = {
  readonly rawHeaders?: unknown
  abort(reason: Error): void
  pause(): void
  resume(): void
}

type ReceiverOptions = {
  readonly host: string
  /** A response whose Content-Length is at most this many bytes is buffered; 0 buffers none. */
  readonly max_buffered_bytes: number
  /** Milliseconds until the response must start. A buffered response must then be complete within the same period. */
  readonly timeout_ms: number
  readonly signal: AbortSignal | undefined
  /** The request's body, which is destroyed if the call fails. */
  readonly sent: Buffer | Readable | null
}

/** A handler for undici that receives one response. `received` rejects with the reason that ended the call. */
export class Receiver {
  readonly received: Promise<ReceivedResponse>
  readonly #options: ReceiverOptions
  readonly #timer: NodeJS.Timeout
  #resolve: (received: ReceivedResponse) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #controller: Controller | null = null
  #reason: Error | null = null
  #head: Omit<ReceivedResponse, 'body'> | null = null
  /** The body: the stream for the caller, or the chunks received so far if the response is buffered. */
  #body: Readable | Buffer[] | null = null

  constructor(options: ReceiverOptions) {
    const { host, timeout_ms, signal } = options
    this.#options = options
    this.received = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Undici's own timeouts do not cover the wait for a free connection.
    this.#timer = setTimeout(() => {
      const action = this.#head ? 'send its response' : 'respond'
      this.#endWith(new CofferError('timeout', `${host} did not ${action} in time.`))
    }, timeout_ms)
    if (signal?.aborted) this.#cancel()
    else signal?.addEventListener('abort', this.#cancel)
  }

  onRequestStart(controller: Controller): void {
    if (this.#reason) controller.abort(this.#reason)
    else this.#controller = controller
  }

  onResponseStart(
    controller: Controller,
    status: number,
    { 'content-length': length }: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#head = { status, headers: toHeaderPairs(controller.rawHeaders as readonly (string | Buffer)[]) }
    const { max_buffered_bytes } = this.#options
    if (max_buffered_bytes > 0 && length !== undefined && Number(length) <= max_buffered_bytes) {
      this.#body = []
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#body = createBodyStream(controller)
    this.#resolve({ ...this.#head, body: this.#body })
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (Array.isArray(this.#body)) this.#body.push(chunk)
    else if (this.#body?.push(chunk) === false) controller.pause()
  }

  onResponseEnd(): void {
    this.#letGo()
    if (this.#body instanceof Readable) return void this.#body.push(null)
    const [only, more] = this.#body ?? []
    const body = only && !more ? only : Buffer.concat(this.#body ?? [])
    if (this.#head) this.#resolve({ ...this.#head, body })
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#letGo()
    this.#reject(error)
    if (this.#body instanceof Readable) this.#body.destroy(error)
    const { sent } = this.#options
    if (sent instanceof Readable) sent.on('error', ignoreError).destroy(error)
  }

  readonly #cancel = () => this.#endWith(createCancelledError())

  #endWith(reason: Error): void {
    this.#reason = reason
    // Without a controller, the call still waits for a connection; it is aborted once it has one.
    if (this.#controller) this.#controller.abort(reason)
    this.onResponseError(null, reason)
  }

  #letGo(): void {
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this.#cancel)
  }
}

/** Creates the stream of a response body. It pauses the connection while nobody reads. */
function createBodyStream(controller: Controller): Readable {
  return new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      const reason = error ?? (this.readableEnded ? null : createCancelledError())
      if (reason) controller.abort(reason)
      done(reason)
    },
    // Destroying an unread body emits an error too; without a listener, it would end the process.
  }).on('error', ignoreError)
}

function createCancelledError(): CofferError {
  return new CofferError('cancelled', 'The call was cancelled.')
}

function ignoreError(): void {}

function toHeaderPairs(raw: readonly (string | Buffer)[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2)
    pairs.push([decodeHeader(raw[at]), decodeHeader(raw[at + 1])])
  return pairs
}

/** Header values are bytes; decoding them as Latin-1 loses none. */
function decodeHeader(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
}
