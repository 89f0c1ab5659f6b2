import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatKeyHint } from '../../shared/key-hint.ts'
import { maskText } from '../engine/index.ts'
import { maskPath } from './request-event.ts'
import { unbuiltWords } from './unbuilt-areas.ts'

/** A completed request, for a log that people and programs read. The summary holds no vault data. */
export type RequestSummary = {
  /** When the request arrived, in epoch ms. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** Null if the connection ended before a response started. */
  readonly status: number | null
  /** Whether the connection ended before the response was complete. */
  readonly cut: boolean
  readonly duration_ms: number
  /** The hint of the caller's valid key; null without one. */
  readonly key: string | null
  readonly trace_id: string
}

const MAX_PATH_LENGTH = 300

/** Calls `onAnswered` once per request, after its response or the end of its connection. */
export class ResponseObserver {
  readonly #onAnswered: (answered: RequestSummary) => void
  /** The fixed segments of the paths of all routes, and of the areas that are not implemented. */
  readonly #knownSegments = new Set(unbuiltWords)

  constructor(onAnswered: (answered: RequestSummary) => void) {
    this.#onAnswered = onAnswered
  }

  /** Observes every request of an app. Must be called before its routes and other hooks are added. */
  addTo(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url }) => {
      for (const word of url.split('/')) if (!/[:*]/.test(word)) this.#knownSegments.add(word)
    })
    app.addHook('onRequest', (request, reply, done) => {
      this.observeRequest(request, reply)
      done()
    })
  }

  observeRequest(request: FastifyRequest, reply: FastifyReply): void {
    const at = Date.now()
    const start = performance.now()
    const { raw } = reply
    raw.once('close', () => {
      const { caller } = request
      this.#onAnswered({
        at,
        method: request.method,
        path: this.#getLoggedPath(request),
        status: raw.headersSent ? raw.statusCode : null,
        cut: !raw.writableFinished,
        duration_ms: Math.round((performance.now() - start) * 10) / 10,
        key: caller && 'key' in caller ? formatKeyHint(caller.key) : null,
        trace_id: maskText(request.trace_id),
      })
    })
  }

  /**
   * SECURITY: callers put data into paths. The query is dropped and long numbers are masked. An unknown path shows only
   * segments of known paths, and a call through a proxy shows nothing below `/proxy`.
   */
  #getLoggedPath({ url, routeOptions }: FastifyRequest): string {
    const [path = ''] = url.split('?', 1)
    const route = routeOptions?.url
    // `*` is the route for preflights.
    if (route === undefined || route === '*') {
      const segments = path.split('/', 20).map((word) => (this.#knownSegments.has(word) ? word : '…'))
      return segments.join('/')
    }
    if (route.endsWith('*')) return `${route.slice(0, -1)}…`
    const safePath = maskPath(path)
    return safePath.length > MAX_PATH_LENGTH ? `${safePath.slice(0, MAX_PATH_LENGTH)}…` : safePath
  }
}
