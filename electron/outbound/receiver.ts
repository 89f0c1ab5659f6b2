import { Readable } from 'node:stream'
import { CofferError } from '../../shared/errors.ts'

/** An answer as it begins, or whole. */
export type ReceivedResponse = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Readable | Buffer
}

/** What undici lets a call do with its connection. */
type Controller = {
  readonly rawHeaders?: unknown
  abort(reason: Error): void
  pause(): void
  resume(): void
}

type ReceiverOptions = {
  /** The name of the host, for messages. */
  readonly host: string
  /** Answers that announce at most so many bytes are read whole; 0 reads none. */
  readonly max_buffered_bytes: number
  /** Milliseconds until the answer begins, and until one that is read whole has come. */
  readonly timeout_ms: number
  readonly signal: AbortSignal | undefined
  /** The body that is sent, which is let go if the call fails. */
  readonly sent: Buffer | Readable | null
}

/** Receives one answer of a destination, for undici. `received` rejects with what ended the call. */
export class Receiver {
  readonly received: Promise<ReceivedResponse>
  readonly #options: ReceiverOptions
  readonly #timer: NodeJS.Timeout
  #resolve: (received: ReceivedResponse) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #controller: Controller | null = null
  #reason: Error | null = null
  #head: Omit<ReceivedResponse, 'body'> | null = null
  /** The body, as it is passed on or as it is collected. */
  #body: Readable | Buffer[] | null = null

  constructor(options: ReceiverOptions) {
    const { host, timeout_ms, signal } = options
    this.#options = options
    this.received = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // It may wait for a connection, so undici's own limits are not enough.
    this.#timer = setTimeout(() => {
      const what = this.#head ? 'send its answer' : 'answer'
      this.#endWith(new CofferError('timeout', `${host} did not ${what} in time.`))
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
    // A call that waits for a connection is not sent any more.
    if (this.#controller) this.#controller.abort(reason)
    this.onResponseError(null, reason)
  }

  #letGo(): void {
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this.#cancel)
  }
}

/** The body of an answer, which holds its connection up while nobody reads it. */
function createBodyStream(controller: Controller): Readable {
  return new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      const reason = error ?? (this.readableEnded ? null : createCancelledError())
      if (reason) controller.abort(reason)
      done(reason)
    },
    // A body that is destroyed unread fails too, and an error that nobody listens for would end the process.
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

/** Header values are bytes; Latin-1 keeps each of them. */
function decodeHeader(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
}
