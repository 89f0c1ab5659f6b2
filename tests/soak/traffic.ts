import { randomUUID } from 'node:crypto'

/** What a client knows about a token: its last acknowledged data, and the data of requests without a response. */
type KnownToken = { answered: string | null; maybe: (string | null)[] }

/** A client that writes and reads as fast as possible and remembers every response, so that a loss is noticed. */
export class Traffic {
  readonly #key: string
  /** The known state by token id. Data is null if the token is deleted. */
  readonly known = new Map<string, KnownToken>()
  readonly expiring = new Map<string, number>()
  /** The trace ids of the reads that returned plaintext. */
  readonly reads = new Set<string>()
  answers = 0
  #count = 0
  #onAnswer = () => {}

  constructor(key: string) {
    this.#key = key
  }

  /** Resolves after `count` more responses. */
  async waitForAnswers(count: number): Promise<void> {
    const enough = this.answers + count
    await new Promise<void>((resolve) => {
      this.#onAnswer = () => {
        if (this.answers >= enough) resolve()
      }
    })
  }

  /** Sends requests, with this many in flight, until the server is down. */
  async runClients(url: string, inFlight: number): Promise<void> {
    await Promise.all(Array.from({ length: inFlight }, () => this.#runLoop(url)))
  }

  async #runLoop(url: string): Promise<void> {
    const ownIds: string[] = []
    for (;;) {
      try {
        await this.#takeTurn(url, ownIds, this.#count++)
        this.answers++
        this.#onAnswer()
      } catch (error) {
        if (error instanceof TypeError) return
        throw error
      }
    }
  }

  async #takeTurn(url: string, ownIds: string[], turn: number): Promise<void> {
    const old = ownIds[turn % Math.max(ownIds.length, 1)]
    if (old !== undefined && turn % 3 === 2) return this.#readToken(url, old)
    if (turn % 11 === 10) return this.#createExpiring(url, `expiring-${turn}`)
    if (old !== undefined && turn % 5 === 3) return this.#updateToken(url, old, `changed ${turn}`)
    if (old !== undefined && turn % 5 === 4) {
      ownIds.splice(ownIds.indexOf(old), 1)
      return this.#deleteToken(url, old)
    }
    ownIds.push(`token-${turn}`)
    await this.#createToken(url, `token-${turn}`, `made ${turn}`)
  }

  async #createToken(url: string, id: string, data: string): Promise<void> {
    await this.#recordAttempt(id, data, () =>
      this.#sendRequest(url, 'POST', '/tokens', 201, { id, type: 'token', data }),
    )
  }

  async #updateToken(url: string, id: string, data: string): Promise<void> {
    await this.#recordAttempt(id, data, () => this.#sendRequest(url, 'PATCH', `/tokens/${id}`, 200, { data }))
  }

  async #deleteToken(url: string, id: string): Promise<void> {
    await this.#recordAttempt(id, null, () => this.#sendRequest(url, 'DELETE', `/tokens/${id}`, 204))
  }

  async #readToken(url: string, id: string): Promise<void> {
    const trace = randomUUID()
    await this.#sendRequest(url, 'GET', `/tokens/${id}`, 200, undefined, { 'SVC-TRACE-ID': trace })
    this.reads.add(trace)
  }

  async #createExpiring(url: string, id: string): Promise<void> {
    const expires_at = new Date(Date.now() + 5000).toISOString()
    await this.#sendRequest(url, 'POST', '/tokens', 201, { id, type: 'token', data: 'soon gone', expires_at })
    this.expiring.set(id, Date.parse(expires_at))
  }

  async #recordAttempt(id: string, data: string | null, send: () => Promise<void>): Promise<void> {
    const known = this.known.get(id) ?? { answered: null, maybe: [] }
    this.known.set(id, known)
    known.maybe.push(data)
    await send()
    known.answered = data
    known.maybe = []
  }

  async #sendRequest(
    url: string,
    method: string,
    path: string,
    status: number,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, 'SVC-API-KEY': this.#key, ...(body && { 'Content-Type': type }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  }

  /**
   * Whether a token can be in this state: the state of its last response, or one after a later request without a
   * response.
   */
  isPossible(id: string, found: string | null): boolean {
    const known = this.known.get(id)
    return known !== undefined && [known.answered, ...known.maybe].includes(found)
  }

  /** Stores a state that was read as the only known state of a token. */
  setKnown(id: string, found: string | null): void {
    this.known.set(id, { answered: found, maybe: [] })
  }
}
