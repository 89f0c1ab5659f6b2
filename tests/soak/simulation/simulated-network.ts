import { Readable } from 'node:stream'
import { Outbound, type OutboundRequest, type OutboundResponse } from '../../../electron/outbound/outbound.ts'

/** What a destination does with a request. */
const behaviors = ['answers', 'fails', 'resets', 'breaks off', 'answers nonsense', 'answers late'] as const
type Behavior = (typeof behaviors)[number]

/** An event that a webhook received, and the moment of the disk at which it did. */
export type ReceivedEvent = { readonly id: string; readonly type: string; readonly moment: number }

type NetworkDeps = { readonly random: () => number; readonly getMoment: () => number }

const LATE_MS = 40_000

/** The only network of a simulation: every destination is in memory, and behaves as its seed decides. */
export class SimulatedNetwork extends Outbound {
  readonly received: ReceivedEvent[] = []
  /** Whether every destination answers. */
  isReliable = true
  readonly #deps: NetworkDeps

  constructor(deps: NetworkDeps) {
    super({ destinations: () => ({ allow: ['**'], map: {} }), ownPorts: () => [] })
    this.#deps = deps
    Object.assign(this, { send: (request: OutboundRequest) => this.#sendRequest(request) })
  }

  async #sendRequest(request: OutboundRequest): Promise<OutboundResponse<Readable | Buffer>> {
    const body = await readBody(request.body)
    const behavior = this.#chooseBehavior()
    if (behavior === 'resets') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    if (behavior === 'answers late') {
      await waitUntil(request.signal)
      throw Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
    }
    if (request.url.endsWith('/all')) this.#noteEvent(body)
    return this.#createAnswer(request, behavior)
  }

  #chooseBehavior(): Behavior {
    if (this.isReliable || this.#deps.random() < 0.5) return 'answers'
    return behaviors[Math.floor(this.#deps.random() * behaviors.length)] ?? 'answers'
  }

  /** Notes the event in the body of a request to the webhook that receives all. */
  #noteEvent(body: Buffer): void {
    const { event } = JSON.parse(body.toString()) as { event: { id: string; type: string } }
    this.received.push({ id: event.id, type: event.type, moment: this.#deps.getMoment() })
  }

  #createAnswer(
    { url, max_buffered_bytes }: OutboundRequest,
    behavior: Behavior,
  ): OutboundResponse<Readable | Buffer> {
    const text = behavior === 'answers nonsense' ? '\u0000{"' : '{"a":"b"}'
    const type = behavior === 'answers nonsense' ? 'image/png' : 'application/json'
    const body = Readable.from(breakOff(Buffer.from(text), behavior === 'breaks off'))
    return {
      status: behavior === 'fails' ? 500 : 200,
      headers: [['content-type', type]],
      body: max_buffered_bytes === undefined || behavior === 'breaks off' ? body : Buffer.from(text),
      host: new URL(url).hostname,
    }
  }
}

async function* breakOff(bytes: Buffer, isBroken: boolean): AsyncGenerator<Buffer> {
  yield isBroken ? bytes.subarray(0, 3) : bytes
  if (isBroken) throw Object.assign(new Error('broken off'), { code: 'UND_ERR_SOCKET' })
}

async function readBody(body: Buffer | Readable | null): Promise<Buffer> {
  if (!(body instanceof Readable)) return body ?? Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks)
}

/** Waits longer than any caller, or until the caller gives up. */
function waitUntil(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LATE_MS)
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
