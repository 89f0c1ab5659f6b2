import type { Hello, Listening } from '../protocol.ts'
import { configurationError } from './errors.ts'
import { after, Channel, cancel, coffer, pageOrigin } from './globals.ts'

type ClientFrameOptions = {
  readonly kind: 'frame' | 'data'
  readonly id: string
  readonly title: string
  /** Resolves when the frame may be greeted. */
  readonly ready: Promise<unknown>
  /** Asked for once the frame listens, and again after it was moved in the document, which loads it again. */
  readonly hello: () => Omit<Hello, 'coffer' | 'id'>
  readonly onPort: (port: MessagePort) => void
  /** The frame will not be greeted: its document has no script, or `ready` was rejected. */
  readonly onRejected: (error: Error) => void
}

/** A document without a script says nothing; one with a script has spoken before it counts as loaded. */
const GREETING_TIMEOUT_MS = 2000

const byId = new Map<string, Frame>()

/** An iframe of the listener's origin, and the first message to it. */
export class Frame {
  readonly iframe = document.createElement('iframe')
  readonly #options: ClientFrameOptions
  #greetingTimer: number | undefined
  #greetings = 0
  #port: MessagePort | null = null

  constructor(options: ClientFrameOptions) {
    this.#options = options
    const { iframe } = this
    iframe.title = options.title
    // SECURITY: the frame is of another origin, which it keeps; it opens no windows and moves the page nowhere.
    iframe.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms')
    iframe.setAttribute('allow', 'clipboard-write')
    iframe.setAttribute('referrerpolicy', 'no-referrer')
    iframe.addEventListener('load', () => {
      if (this.#greetings === 0) this.#greetingTimer = after(() => this.#reportNoFrame(), GREETING_TIMEOUT_MS)
    })
    iframe.src = `${coffer}/elements/${options.kind}?origin=${encodeURIComponent(pageOrigin)}&id=${options.id}`
    byId.set(options.id, this)
  }

  /** The frame listens: hands it a port of its own. */
  async sendHello(): Promise<void> {
    cancel(this.#greetingTimer)
    const greeting = ++this.#greetings
    const { id, ready, hello, onPort, onRejected } = this.#options
    try {
      await ready
    } catch (error) {
      return onRejected(error as Error)
    }
    // It was loaded again meanwhile, or taken away.
    if (greeting !== this.#greetings || !byId.has(id)) return
    this.#port?.close()
    const { port1, port2 } = new Channel()
    this.#port = port1
    onPort(port1)
    this.iframe.contentWindow?.postMessage({ coffer: 'elements', id, ...hello() } satisfies Hello, coffer, [
      port2,
    ])
  }

  /** Takes the iframe out of the page. */
  destroy(): void {
    cancel(this.#greetingTimer)
    byId.delete(this.#options.id)
    this.#port?.close()
    this.iframe.remove()
  }

  #reportNoFrame(): void {
    this.#options.onRejected(
      configurationError(
        `Coffer made no frame for this page. If it runs at ${coffer}, start it so that the page may use it: coffer serve --cors-origin ${pageOrigin}`,
      ),
    )
  }
}

/** SECURITY: only from the listener's origin, and only from the frame whose id it names. */
window.addEventListener('message', ({ origin, source, data }: MessageEvent) => {
  if (origin !== coffer) return
  const { coffer: kind, id } = (data ?? {}) as Partial<Listening>
  if (kind !== 'listening' || typeof id !== 'string') return
  const frame = byId.get(id)
  if (frame && source === frame.iframe.contentWindow) void frame.sendHello()
})
