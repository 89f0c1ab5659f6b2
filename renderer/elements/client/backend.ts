import type { FromData, Service, ToData } from '../protocol.ts'
import type { Core } from './core.ts'
import { rebuilt, removed } from './errors.ts'
import { Frame } from './frame.ts'
import { newId } from './globals.ts'
import { withPlaceholders } from './payload.ts'
import { onRemoval } from './removals.ts'

type Call = {
  readonly elements: ReadonlyMap<string, Core>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The hidden data frame of one key, which makes the page's calls and keeps what references stand for. */
export class Backend {
  readonly instance = newId()
  /** The data frame's name, by which elements find it. */
  readonly name = `coffer-${this.instance}`
  /** Rejects if the page may not use Coffer, or Coffer does not answer. */
  readonly ready: Promise<void>
  readonly #frame: Frame
  readonly #calls = new Map<number, Call>()
  #port: MessagePort | null = null
  #last = 0
  #gone: Error | null = null

  constructor(apiKey: string, debug: boolean) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.ready = promise
    // Each call and each element says so itself.
    promise.catch(() => {})
    const onRefused = (error: Error) => {
      this.#end(error)
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
          else if (data.kind === 'refused') onRefused(rebuilt(data.error))
          else this.#settle(data)
        }
      },
      onRefused,
    })
    const { iframe } = this.#frame
    iframe.name = this.name
    iframe.tabIndex = -1
    iframe.setAttribute('aria-hidden', 'true')
    iframe.style.display = 'none'
    // Beside the body, which some pages replace.
    document.documentElement.append(iframe)
    onRemoval(iframe, () => onRefused(new Error(removed)))
  }

  /** Whether it can no longer be used. */
  get isGone(): boolean {
    return this.#gone !== null
  }

  /** Makes a call. Rejects with the error that the interface has for what went wrong. */
  async call(service: Service, args: readonly unknown[]): Promise<unknown> {
    const elements = new Map<string, Core>()
    const plain = args.map((each) =>
      withPlaceholders(each, (core) => {
        core.checkReadable(this)
        elements.set(core.id, core)
      }),
    )
    await this.ready
    if (this.#gone) throw this.#gone
    const call = ++this.#last
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#calls.set(call, { elements, resolve, reject })
    this.#tell({ kind: 'call', call, service, args: plain })
    return promise
  }

  /** An element has left the page. */
  forget(element: string): void {
    this.#tell({ kind: 'forget', element })
  }

  #settle(message: Extract<FromData, { call: number }>): void {
    const made = this.#calls.get(message.call)
    this.#calls.delete(message.call)
    if (message.kind === 'answer') made?.resolve(message.value)
    else made?.reject(rebuilt(message.error, (id) => made.elements.get(id)?.targetId))
  }

  #tell(message: ToData): void {
    this.#port?.postMessage(message)
  }

  #end(error: Error): void {
    this.#gone = error
    for (const { reject } of this.#calls.values()) reject(error)
    this.#calls.clear()
    this.#frame.end()
  }
}
