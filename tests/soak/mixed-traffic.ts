import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../shared/json.ts'

type Answer = { status: number; body: { [name: string]: Json } }

/** The maximum number of tokens that are not deleted again. */
const MOST_KEPT = 3000
const MOST_PROBLEMS = 20

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
  async run(inFlight: number): Promise<void> {
    this.#stopped = false
    await Promise.all(Array.from({ length: inFlight }, () => this.#loop()))
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
  async compare(): Promise<void> {
    const missing = new Set(this.kept.keys())
    let start = ''
    do {
      const { body } = await this.#send('GET', `/v2/tokens?size=100${start}`, 200)
      for (const token of body.data as { id: string; data: Json }[]) {
        const isKept = missing.delete(token.id)
        if (isKept) this.#expect(token.id, token.data, this.kept.get(token.id))
        else if (!this.#expiring.has(token.id)) this.#problem(`${token.id} should not be there`)
      }
      const next = (body.pagination as { next?: string }).next
      start = next === undefined ? '' : `&start=${encodeURIComponent(next)}`
    } while (start !== '')
    for (const id of missing) this.#problem(`${id} is lost`)
  }

  async #loop(): Promise<void> {
    while (!this.#stopped && this.problems.length < MOST_PROBLEMS) {
      try {
        await this.#turn(this.#count++)
      } catch (error) {
        this.#problem(error instanceof Error ? error.message : String(error))
      }
    }
  }

  async #turn(turn: number): Promise<void> {
    const step = turn % 20
    if (step < 6) return this.#create(turn)
    if (step === 19) return this.#refused(turn)
    if (step === 18) return this.#expire(turn)
    if (step === 17) return this.#list()
    const id = this.#pick(turn)
    if (id === undefined) return this.#create(turn)
    this.#busy.add(id)
    try {
      if (step < 11) await this.#read(id)
      else if (step < 13) await this.#search(id)
      else if (step < 16) await this.#change(id, turn)
      else await this.#delete(id)
      if (this.kept.size > MOST_KEPT) await this.#delete(id)
    } finally {
      this.#busy.delete(id)
    }
  }

  /** Returns the id of a token that no other request uses. */
  #pick(turn: number): string | undefined {
    let left = (turn * 7) % 40
    let found: string | undefined
    for (const id of this.kept.keys()) {
      if (this.#busy.has(id)) continue
      found = id
      if (left-- === 0) break
    }
    return found
  }

  async #create(turn: number): Promise<void> {
    const id = `token-${turn}`
    const data = { made: turn, text: 'x'.repeat((turn * 13) % 400), list: [turn, null, true] }
    const search_indexes = ['{{ data.made }}']
    const metadata = { turn: `${turn}`, group: `${turn % 50}` }
    await this.#send('POST', '/tokens', 201, { id, type: 'token', data, metadata, search_indexes })
    this.kept.set(id, data)
  }

  async #read(id: string): Promise<void> {
    const { body } = await this.#send('GET', `/tokens/${id}`, 200)
    this.#expect(id, body.data, this.kept.get(id))
  }

  async #search(id: string): Promise<void> {
    const turn = id.slice('token-'.length)
    for (const query of [`data:${turn}`, `metadata.turn:${turn}`]) {
      const { body } = await this.#send('POST', '/v2/tokens/search', 200, { query })
      const found = (body.data as { id: string }[]).map((token) => token.id)
      if (!isDeepStrictEqual(found, [id])) this.#problem(`${query} finds ${found.length} instead of ${id}`)
    }
  }

  async #change(id: string, turn: number): Promise<void> {
    const before = this.kept.get(id) as { [name: string]: Json }
    const { body } = await this.#send('PATCH', `/tokens/${id}`, 200, { data: { changed: turn } })
    this.kept.set(id, { ...before, changed: turn })
    this.#expect(id, body.data, this.kept.get(id))
  }

  async #delete(id: string): Promise<void> {
    if (!this.kept.has(id)) return
    await this.#send('DELETE', `/tokens/${id}`, 204)
    this.kept.delete(id)
    await this.#send('GET', `/tokens/${id}`, 404)
  }

  async #list(): Promise<void> {
    const { body } = await this.#send('GET', '/v2/tokens?container=/general/high/', 200)
    const length = (body.data as Json[]).length
    if (this.kept.size > 200 && length !== 20) this.#problem(`a page of ${length} tokens`)
  }

  /** Creates a token that expires soon, and checks that expired ones are no longer found. */
  async #expire(turn: number): Promise<void> {
    const id = `expiring-${turn}`
    const at = Date.now() + 5000
    this.#expiring.set(id, at)
    const expires_at = new Date(at).toISOString()
    await this.#send('POST', '/tokens', 201, { id, type: 'token', data: 'soon gone', expires_at })
    const [oldest] = this.#expiring
    if (oldest === undefined || oldest[1] >= Date.now()) return
    this.#expiring.delete(oldest[0])
    await this.#send('GET', `/tokens/${oldest[0]}`, 404)
  }

  /** Sends invalid requests, which must not change anything. */
  async #refused(turn: number): Promise<void> {
    const wrongs = [
      () => this.#send('GET', `/tokens/none-${turn}`, 404),
      () => this.#send('POST', '/tokens', 400, { type: 'card', data: { number: 'no card' } }),
      () => this.#send('GET', '/applications', 403),
      () => this.#send('POST', '/tokens', 415, { type: 'token', data: 1 }, 'text/plain'),
      () => this.#send('GET', '/nowhere', 404),
    ]
    await wrongs[((turn / 20) % wrongs.length) | 0]?.()
  }

  async #send(
    method: string,
    path: string,
    status: number,
    body?: Json,
    type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  ): Promise<Answer> {
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

  #expect(id: string, found: unknown, kept: unknown): void {
    if (!isDeepStrictEqual(found, kept)) this.#problem(`${id} is not what was answered`)
  }

  #problem(sentence: string): void {
    this.problems.push(sentence)
  }
}
