import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../shared/json.ts'

type TrafficResponse = { status: number; body: { [name: string]: Json } }

/** The maximum number of tokens that are not deleted again. */
const MAX_KEPT_TOKENS = 3000
const MAX_PROBLEMS = 20

/**
 * Clients that create, read, change, delete, list and search tokens as fast as possible, and compare every response
 * with earlier ones. A token that is lost, changed or unexpected is a problem, and so is an unexpected status.
 */
export class MixedTraffic {
  readonly #url: string
  readonly #key: string
  readonly kept = new Map<string, Json>()
  readonly #busy = new Set<string>()
  readonly #expiring = new Map<string, number>()
  readonly problems: string[] = []
  #latencies: number[] = []
  #count = 0
  #stopped = false
  requests = 0

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  /** Sends requests, with this many in flight, until it is stopped or too many problems occur. */
  async runClients(inFlight: number): Promise<void> {
    this.#stopped = false
    await Promise.all(Array.from({ length: inFlight }, () => this.#runLoop()))
  }

  stop(): void {
    this.#stopped = true
  }

  /** Returns the latencies since the previous call, in milliseconds, ascending. */
  takeLatencies(): Float64Array {
    const taken = Float64Array.from(this.#latencies).sort()
    this.#latencies = []
    return taken
  }

  /** Lists all tokens. Each one that was not deleted must match its last response, and there must be no others. */
  async compareTokens(): Promise<void> {
    const missing = new Set(this.kept.keys())
    let start = ''
    do {
      const { body } = await this.#sendRequest('GET', `/v2/tokens?size=100${start}`, 200)
      for (const token of body.data as { id: string; data: Json }[]) {
        const isKept = missing.delete(token.id)
        if (isKept) this.#expectData(token.id, token.data, this.kept.get(token.id))
        else if (!this.#expiring.has(token.id)) this.#addProblem(`${token.id} should not be there`)
      }
      const next = (body.pagination as { next?: string }).next
      start = next === undefined ? '' : `&start=${encodeURIComponent(next)}`
    } while (start !== '')
    for (const id of missing) this.#addProblem(`${id} is lost`)
  }

  async #runLoop(): Promise<void> {
    while (!this.#stopped && this.problems.length < MAX_PROBLEMS) {
      try {
        await this.#runTurn(this.#count++)
      } catch (error) {
        this.#addProblem(error instanceof Error ? error.message : String(error))
      }
    }
  }

  async #runTurn(turn: number): Promise<void> {
    const step = turn % 20
    if (step < 6) return this.#createToken(turn)
    if (step === 19) return this.#sendInvalid(turn)
    if (step === 18) return this.#createExpiring(turn)
    if (step === 17) return this.#listTokens()
    const id = this.#pickToken(turn)
    if (id === undefined) return this.#createToken(turn)
    this.#busy.add(id)
    try {
      if (step < 11) await this.#readToken(id)
      else if (step < 13) await this.#searchToken(id)
      else if (step < 16) await this.#changeToken(id, turn)
      else await this.#deleteToken(id)
      if (this.kept.size > MAX_KEPT_TOKENS) await this.#deleteToken(id)
    } finally {
      this.#busy.delete(id)
    }
  }

  /** Returns the id of a token that no other request uses. */
  #pickToken(turn: number): string | undefined {
    let left = (turn * 7) % 40
    let found: string | undefined
    for (const id of this.kept.keys()) {
      if (this.#busy.has(id)) continue
      found = id
      if (left-- === 0) break
    }
    return found
  }

  async #createToken(turn: number): Promise<void> {
    const id = `token-${turn}`
    const data = { made: turn, text: 'x'.repeat((turn * 13) % 400), list: [turn, null, true] }
    const search_indexes = ['{{ data.made }}']
    const metadata = { turn: `${turn}`, group: `${turn % 50}` }
    await this.#sendRequest('POST', '/tokens', 201, { id, type: 'token', data, metadata, search_indexes })
    this.kept.set(id, data)
  }

  async #readToken(id: string): Promise<void> {
    const { body } = await this.#sendRequest('GET', `/tokens/${id}`, 200)
    this.#expectData(id, body.data, this.kept.get(id))
  }

  async #searchToken(id: string): Promise<void> {
    const turn = id.slice('token-'.length)
    for (const query of [`data:${turn}`, `metadata.turn:${turn}`]) {
      const { body } = await this.#sendRequest('POST', '/v2/tokens/search', 200, { query })
      const found = (body.data as { id: string }[]).map((token) => token.id)
      if (!isDeepStrictEqual(found, [id])) this.#addProblem(`${query} finds ${found.length} instead of ${id}`)
    }
  }

  async #changeToken(id: string, turn: number): Promise<void> {
    const before = this.kept.get(id) as { [name: string]: Json }
    const { body } = await this.#sendRequest('PATCH', `/tokens/${id}`, 200, { data: { changed: turn } })
    this.kept.set(id, { ...before, changed: turn })
    this.#expectData(id, body.data, this.kept.get(id))
  }

  async #deleteToken(id: string): Promise<void> {
    if (!this.kept.has(id)) return
    await this.#sendRequest('DELETE', `/tokens/${id}`, 204)
    this.kept.delete(id)
    await this.#sendRequest('GET', `/tokens/${id}`, 404)
  }

  async #listTokens(): Promise<void> {
    const { body } = await this.#sendRequest('GET', '/v2/tokens?container=/general/high/', 200)
    const length = (body.data as Json[]).length
    if (this.kept.size > 200 && length !== 20) this.#addProblem(`a page of ${length} tokens`)
  }

  /** Creates a token that expires soon, and checks that expired ones are no longer found. */
  async #createExpiring(turn: number): Promise<void> {
    const id = `expiring-${turn}`
    const at = Date.now() + 5000
    this.#expiring.set(id, at)
    const expires_at = new Date(at).toISOString()
    await this.#sendRequest('POST', '/tokens', 201, { id, type: 'token', data: 'soon gone', expires_at })
    const [oldest] = this.#expiring
    if (oldest === undefined || oldest[1] >= Date.now()) return
    this.#expiring.delete(oldest[0])
    await this.#sendRequest('GET', `/tokens/${oldest[0]}`, 404)
  }

  /** Sends invalid requests, which must not change anything. */
  async #sendInvalid(turn: number): Promise<void> {
    const wrongs = [
      () => this.#sendRequest('GET', `/tokens/none-${turn}`, 404),
      () => this.#sendRequest('POST', '/tokens', 400, { type: 'card', data: { number: 'no card' } }),
      () => this.#sendRequest('GET', '/applications', 403),
      () => this.#sendRequest('POST', '/tokens', 415, { type: 'token', data: 1 }, 'text/plain'),
      () => this.#sendRequest('GET', '/nowhere', 404),
    ]
    await wrongs[((turn / 20) % wrongs.length) | 0]?.()
  }

  async #sendRequest(
    method: string,
    path: string,
    status: number,
    body?: Json,
    type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  ): Promise<TrafficResponse> {
    const before = performance.now()
    const response = await fetch(this.#url + path, {
      method,
      headers: { 'SVC-API-KEY': this.#key, ...(body !== undefined && { 'Content-Type': type }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    this.#latencies.push(performance.now() - before)
    this.requests++
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return { status, body: text === '' ? {} : JSON.parse(text) }
  }

  #expectData(id: string, found: unknown, kept: unknown): void {
    if (!isDeepStrictEqual(found, kept)) this.#addProblem(`${id} is not what was answered`)
  }

  #addProblem(sentence: string): void {
    this.problems.push(sentence)
  }
}
