import net from 'node:net'

/** The job of the load generator: raw requests one after the other, over kept-alive connections. */
export type Load = {
  readonly port: number
  readonly connections: number
  readonly ms: number
  /** Stop after this many requests, even if there is time left. */
  readonly max_requests?: number
  /**
   * The total requests per second to send, if the connections are fast enough. If absent, sends as many as possible.
   */
  readonly per_second?: number
  /** Complete HTTP requests, as bytes. */
  readonly requests: readonly string[]
}

/** The result of a run. Latencies are in microseconds. */
export type LoadResult = {
  readonly requests: number
  readonly per_second: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** Responses with a status other than 2xx. */
  readonly failed: number
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

type Head = { readonly status: number; readonly length: number; readonly chunked: boolean }

/** Assembles one response; responses do not overlap, because requests are not pipelined. */
class ResponseReader {
  #bytes: Buffer = Buffer.alloc(0)
  #head: Head | null = null

  /** Adds bytes; returns the status once the response is complete. */
  addChunk(chunk: Buffer): number | null {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    this.#head ??= this.#readHead()
    if (!this.#head) return null
    const { status, length, chunked } = this.#head
    const isComplete = chunked ? this.#bytes.subarray(-5).equals(END_OF_CHUNKS) : this.#bytes.length >= length
    if (!isComplete) return null
    this.#bytes = Buffer.alloc(0)
    this.#head = null
    return status
  }

  #readHead(): Head | null {
    const end = this.#bytes.indexOf(END_OF_HEAD)
    if (end < 0) return null
    const text = this.#bytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    return {
      status: Number(text.slice(9, 12)),
      length: end + END_OF_HEAD.length + Number(length ?? 0),
      chunked: length === undefined && /\r\ntransfer-encoding: *chunked/i.test(text),
    }
  }
}

/** Set to end a run early. */
let ended = false

/** Runs a load in this process and measures it. */
async function runLoad({
  port,
  connections,
  ms,
  max_requests = Number.POSITIVE_INFINITY,
  per_second = Number.POSITIVE_INFINITY,
  requests,
}: Load): Promise<LoadResult> {
  const encoded = requests.map((request) => Buffer.from(request))
  const latencies: number[] = []
  ended = false
  let failed = 0
  let next = 0
  const started = performance.now()
  const openConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
      const reader = new ResponseReader()
      let sent = 0
      const writeRequest = (at: number) => {
        sent = performance.now()
        socket.write(encoded[at % encoded.length] as Buffer)
      }
      const sendNext = () => {
        if (ended || performance.now() >= started + ms || next >= max_requests)
          return void socket.end(resolve)
        const at = next++
        const wait = started + (at * 1000) / per_second - performance.now()
        if (wait > 0) setTimeout(writeRequest, wait, at)
        else writeRequest(at)
      }
      socket.on('connect', sendNext)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        const status = reader.addChunk(chunk)
        if (status === null) return
        latencies.push(performance.now() - sent)
        if (status < 200 || status > 299) failed++
        sendNext()
      })
      socket.on('close', () => reject(new Error('The server closed a connection.')))
    })
  await Promise.all(Array.from({ length: connections }, openConnection))
  const seconds = (performance.now() - started) / 1000
  const sorted = Float64Array.from(latencies).sort()
  const getPercentile = (part: number) =>
    1000 * (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return {
    requests: sorted.length,
    per_second: sorted.length / seconds,
    p50: getPercentile(0.5),
    p99: getPercentile(0.99),
    p999: getPercentile(0.999),
    max: getPercentile(1),
    failed,
  }
}

process.on('message', async (load: Load | 'end') => {
  if (load === 'end') ended = true
  else process.send?.(await runLoad(load))
})
