import type { Hello, Listening } from '../protocol.ts'
import { createConfigurationError } from './errors.ts'
import { after, Channel, cancel, coffer, pageOrigin } from './globals.ts'

type ClientFrameOptions = {
  readonly kind: 'frame' | 'data'
  readonly id: string
  readonly title: string
  /** Resolves once the hello message may be sent. */
  readonly ready: Promise<unknown>
  /** Builds the hello message each time the frame loads, which includes each move in the document. */
  readonly hello: () => Omit<Hello, 'coffer' | 'id'>
  readonly onPort: (port: MessagePort) => void
  /** Called if no hello can be sent: the frame's document has no script, or `ready` was rejected. */
  readonly onRejected: (error: Error) => void
}

/** How long to wait for the first message of a loaded document. Our script has sent it by then. */
const GREETING_TIMEOUT_MS = 2000

const byId = new Map<string, Frame>()

/** An iframe from the listener's origin, and its handshake. */
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
    // SECURITY: the frame keeps its own origin. It can neither open windows nor navigate the page.
    iframe.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms')
    iframe.setAttribute('allow', 'clipboard-write')
    iframe.setAttribute('referrerpolicy', 'no-referrer')
    iframe.addEventListener('load', () => {
      if (this.#greetings === 0) this.#greetingTimer = after(() => this.#reportNoFrame(), GREETING_TIMEOUT_MS)
    })
    iframe.src = `${coffer}/elements/${options.kind}?origin=${encodeURIComponent(pageOrigin)}&id=${options.id}`
    byId.set(options.id, this)
  }

  /** Sends the hello message with a new port, once the frame listens. */
  async sendHello(): Promise<void> {
    cancel(this.#greetingTimer)
    const greeting = ++this.#greetings
    const { id, ready, hello, onPort, onRejected } = this.#options
    try {
      await ready
    } catch (error) {
      return onRejected(error as Error)
    }
    // The frame was reloaded or removed in the meantime.
    if (greeting !== this.#greetings || !byId.has(id)) return
    this.#port?.close()
    const { port1, port2 } = new Channel()
    this.#port = port1
    onPort(port1)
    this.iframe.contentWindow?.postMessage({ coffer: 'elements', id, ...hello() } satisfies Hello, coffer, [
      port2,
    ])
  }

  destroy(): void {
    cancel(this.#greetingTimer)
    byId.delete(this.#options.id)
    this.#port?.close()
    this.iframe.remove()
  }

  #reportNoFrame(): void {
    this.#options.onRejected(
      createConfigurationError(
        `Coffer did not load a frame for this page. If it runs at ${coffer}, restart it so that it allows this page: coffer serve --cors-origin ${pageOrigin}`,
      ),
    )
  }
}

/** SECURITY: accepts messages only from the listener's origin, and only from the frame whose id they contain. */
window.addEventListener('message', ({ origin, source, data }: MessageEvent) => {
  if (origin !== coffer) return
  const { coffer: kind, id } = (data ?? {}) as Partial<Listening>
  if (kind !== 'listening' || typeof id !== 'string') return
  const frame = byId.get(id)
  if (frame && source === frame.iframe.contentWindow) void frame.sendHello()
})
