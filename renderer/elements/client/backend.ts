import type { FromData, Service, ToData } from '../protocol.ts'
import type { Core } from './core.ts'
import { REMOVED_FROM_DOM, rebuildError } from './errors.ts'
import { Frame } from './frame.ts'
import { newId } from './globals.ts'
import { withPlaceholders } from './payload.ts'
import { onRemoval } from './removals.ts'

type PendingFrameCall = {
  readonly elements: ReadonlyMap<string, Core>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The hidden data frame of one key. It makes the page's API calls and holds the values behind references. */
export class Backend {
  readonly instance = newId()
  /** The window name of the data frame, by which element frames find it. */
  readonly name = `coffer-${this.instance}`
  /** Rejects if the page is not allowed to use Coffer, or if Coffer does not respond. */
  readonly ready: Promise<void>
  readonly #frame: Frame
  readonly #calls = new Map<number, PendingFrameCall>()
  #port: MessagePort | null = null
  #last = 0
  #endError: Error | null = null

  constructor(apiKey: string, debug: boolean) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.ready = promise
    // Each call and each element reports the rejection, so it is ignored here.
    promise.catch(() => {})
    const onRejected = (error: Error) => {
      this.#endWithError(error)
      reject(error)
    }
    this.#frame = new Frame({
      kind: 'data',
      id: newId(),
      title: 'Coffer data',
      ready: Promise.resolve(),
      hello: () => ({ instance: this.instance, data: this.name, role: { type: 'data', apiKey, debug } }),
      onPort: (port) => {
        this.#port = port
        port.onmessage = ({ data }: MessageEvent<FromData>) => {
          if (data.kind === 'mounted') resolve()
          else if (data.kind === 'refused') onRejected(rebuildError(data.error))
          else this.#settleCall(data)
        }
      },
      onRejected,
    })
    const { iframe } = this.#frame
    iframe.name = this.name
    iframe.tabIndex = -1
    iframe.setAttribute('aria-hidden', 'true')
    iframe.style.display = 'none'
    // Append the frame outside the body, because some pages replace the body.
    document.documentElement.append(iframe)
    onRemoval(iframe, () => onRejected(new Error(REMOVED_FROM_DOM)))
  }

  get isEnded(): boolean {
    return this.#endError !== null
  }

  /** Makes a call. Rejects with the error class that the API documents for the failure. */
  async callService(service: Service, args: readonly unknown[]): Promise<unknown> {
    const elements = new Map<string, Core>()
    const plain = args.map((each) =>
      withPlaceholders(each, (core) => {
        core.checkReadable(this)
        elements.set(core.id, core)
      }),
    )
    await this.ready
    if (this.#endError) throw this.#endError
    const call = ++this.#last
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#calls.set(call, { elements, resolve, reject })
    this.#post({ kind: 'call', call, service, args: plain })
    return promise
  }

  releaseElement(element: string): void {
    this.#post({ kind: 'forget', element })
  }

  #settleCall(message: Extract<FromData, { call: number }>): void {
    const pending = this.#calls.get(message.call)
    this.#calls.delete(message.call)
    if (message.kind === 'answer') pending?.resolve(message.value)
    else pending?.reject(rebuildError(message.error, (id) => pending.elements.get(id)?.targetId))
  }

  #post(message: ToData): void {
    this.#port?.postMessage(message)
  }

  #endWithError(error: Error): void {
    this.#endError = error
    for (const { reject } of this.#calls.values()) reject(error)
    this.#calls.clear()
    this.#frame.destroy()
  }
}
