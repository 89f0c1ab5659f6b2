import type { HostedConnection } from '../../shared/host/as-hosted.ts'
import { formatIsoTime } from '../../shared/time.ts'
import { maskText } from '../engine/index.ts'

type NewConnection = Pick<HostedConnection, 'route' | 'host' | 'outcome'> & {
  readonly user_agent: string | undefined
}

/** The rows of the table. A program that calls many hosts drops the oldest rows instead of filling the memory. */
const MAX_ROWS = 50
const MAX_HOST_LENGTH = 255
const PUBLISH_DELAY_MS = 250

/** What came to the hosted names, by which route, and what was refused (rule H-06). Only in memory. */
export class HostedConnections {
  readonly #onChange: () => void
  /** By route, host, outcome and program; the one that came last is at the end. */
  readonly #rows = new Map<string, HostedConnection>()
  #timer: NodeJS.Timeout | undefined

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Adds a request or connection. SECURITY: neither path nor headers are kept, but for the name of the program. */
  addConnection({ route, outcome, user_agent, ...connection }: NewConnection): void {
    const host = connection.host.replace(/:443$/, '').slice(0, MAX_HOST_LENGTH)
    const program = readProgram(user_agent)
    const key = JSON.stringify([route, host, outcome, program])
    const count = (this.#rows.get(key)?.count ?? 0) + 1
    this.#rows.delete(key)
    this.#rows.set(key, { route, host, outcome, program, count, last_at: formatIsoTime(Date.now()) })
    const [oldest] = this.#rows.keys()
    if (this.#rows.size > MAX_ROWS && oldest !== undefined) this.#rows.delete(oldest)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#onChange()
    }, PUBLISH_DELAY_MS).unref()
  }

  /** Returns the rows, the newest first. */
  listRows(): HostedConnection[] {
    return [...this.#rows.values()].reverse()
  }

  dropRows(): void {
    this.#rows.clear()
  }
}

const browsers = ['Firefox', 'Edg', 'Chrome', 'Safari'] as const

/**
 * Returns the product that a User-Agent names first, such as `curl/8.5.0`, and for a browser its own name; null if it
 * names none.
 */
function readProgram(text: string | undefined): string | null {
  const products = text?.slice(0, 500).match(/[\w.+-]+(?:\/[\w.+-]+)?/g) ?? []
  const browser = browsers
    .map((name) => products.find((product) => product.split('/', 1)[0]?.endsWith(name)))
    .find((product) => product !== undefined)
  const program = browser ?? products[0]
  return program === undefined ? null : maskText(program.slice(0, 60))
}
