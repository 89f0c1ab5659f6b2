import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hintOf } from '../../shared/key-hint.ts'
import { masked } from '../engine/door/recorded-id.ts'
import { maskedPath } from './told-request.ts'

/** A request that has been answered, for a log that people and programs read. It holds no data. */
export type Answered = {
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

const LONGEST_PATH = 300

/** Calls `tell` once for each request, after its answer or the end of its connection. */
export class Answers {
  readonly #tell: (answered: Answered) => void
  /** The fixed words of all paths. */
  readonly #words = new Set<string>()

  constructor(tell: (answered: Answered) => void) {
    this.#tell = tell
  }

  /** Follows every request of an app; to be called before its routes and other hooks are added. */
  addTo(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url }) => {
      for (const word of url.split('/')) if (!/[:*]/.test(word)) this.#words.add(word)
    })
    app.addHook('onRequest', (request, reply, done) => {
      this.follow(request, reply)
      done()
    })
  }

  /** Follows one request that no hook sees. */
  follow(request: FastifyRequest, reply: FastifyReply): void {
    const at = Date.now()
    const start = performance.now()
    const { raw } = reply
    raw.once('close', () => {
      const { caller } = request
      this.#tell({
        at,
        method: request.method,
        path: this.#pathOf(request),
        status: raw.headersSent ? raw.statusCode : null,
        cut: !raw.writableFinished,
        duration_ms: Math.round((performance.now() - start) * 10) / 10,
        key: caller && 'key' in caller ? hintOf(caller.key) : null,
        trace_id: masked(request.trace_id),
      })
    })
  }

  /**
   * SECURITY: without the query. Long numbers are masked; of a path that no route has, only words of known paths are
   * shown, and of a call through a proxy nothing below `/proxy`: callers put data there.
   */
  #pathOf({ url, routeOptions }: FastifyRequest): string {
    const [path = ''] = url.split('?', 1)
    const route = routeOptions?.url
    // `*` is the route of preflights.
    if (route === undefined || route === '*') {
      const words = path.split('/', 20).map((word) => (this.#words.has(word) ? word : '…'))
      return words.join('/')
    }
    if (route.endsWith('*')) return `${route.slice(0, -1)}…`
    const shown = maskedPath(path)
    return shown.length > LONGEST_PATH ? `${shown.slice(0, LONGEST_PATH)}…` : shown
  }
}
