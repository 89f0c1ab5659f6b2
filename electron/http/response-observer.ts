import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatKeyHint } from '../../shared/key-hint.ts'
import { maskText } from '../engine/pipeline/log-id.ts'
import { maskPath } from './request-event.ts'

/** A request that has been answered, for a log that people and programs read. It holds no data. */
export type RequestSummary = {
  /** When it arrived, in epoch ms. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** Null if the connection ended before an answer began. */
  readonly status: number | null
  /** The connection ended before the answer did. */
  readonly cut: boolean
  readonly duration_ms: number
  /** The hint of a valid key; null without one. */
  readonly key: string | null
  readonly trace_id: string
}

const MAX_PATH_LENGTH = 300

/** Calls `tell` once for each request, after its answer or the end of its connection. */
export class ResponseObserver {
  readonly #onAnswered: (answered: RequestSummary) => void
  /** The fixed words of all paths. */
  readonly #knownSegments = new Set<string>()

  constructor(onAnswered: (answered: RequestSummary) => void) {
    this.#onAnswered = onAnswered
  }

  /** Follows every request of an app; to be called before its routes and other hooks are added. */
  addTo(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url }) => {
      for (const word of url.split('/')) if (!/[:*]/.test(word)) this.#knownSegments.add(word)
    })
    app.addHook('onRequest', (request, reply, done) => {
      this.observeRequest(request, reply)
      done()
    })
  }

  /** Follows one request that no hook sees. */
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
   * SECURITY: without the query. Long numbers are masked; of a path that no route has, only words of known paths are
   * shown, and of a call through a proxy nothing below `/proxy`: callers put data there.
   */
  #getLoggedPath({ url, routeOptions }: FastifyRequest): string {
    const [path = ''] = url.split('?', 1)
    const route = routeOptions?.url
    // `*` is the route of preflights.
    if (route === undefined || route === '*') {
      const segments = path.split('/', 20).map((word) => (this.#knownSegments.has(word) ? word : '…'))
      return segments.join('/')
    }
    if (route.endsWith('*')) return `${route.slice(0, -1)}…`
    const safePath = maskPath(path)
    return safePath.length > MAX_PATH_LENGTH ? `${safePath.slice(0, MAX_PATH_LENGTH)}…` : safePath
  }
}
