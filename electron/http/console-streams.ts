import type { ServerResponse } from 'node:http'
import type { HostEvent } from '../../shared/host/events.ts'

const HEARTBEAT_INTERVAL_MS = 15_000
/** The heartbeat event. A page that receives none for a while concludes that Coffer has stopped. */
const beat = 'event: beat\ndata: 1\n\n'
const MAX_STREAMS = 50
const MAX_PENDING_BYTES = 4 * 1024 * 1024

type Stream = { readonly session: string; readonly response: ServerResponse }

/** The open event streams of the console (server-sent events). Each stream ends with its session. */
export class ConsoleStreams {
  readonly #streams = new Set<Stream>()
  readonly #isAlive: (session: string) => boolean
  readonly #timer: NodeJS.Timeout

  constructor(isAlive: (session: string) => boolean) {
    this.#isAlive = isAlive
    this.#timer = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_INTERVAL_MS).unref()
  }

  /** Takes over a response whose headers have been written. */
  addStream(session: string, response: ServerResponse): void {
    const stream = { session, response }
    const [oldest] = this.#streams
    if (this.#streams.size >= MAX_STREAMS) oldest?.response.destroy()
    this.#streams.add(stream)
    response.on('close', () => this.#streams.delete(stream))
    response.write('retry: 2000\n\n')
  }

  sendEvent(event: HostEvent): void {
    const text = formatEvent(event)
    for (const { session, response } of this.#streams) {
      if (!this.#isAlive(session)) response.end()
      else if (response.writableLength > MAX_PENDING_BYTES) response.destroy()
      else response.write(text)
    }
  }

  endSession(session: string): void {
    for (const stream of this.#streams) if (stream.session === session) stream.response.end()
  }

  close(): void {
    clearInterval(this.#timer)
    for (const { response } of this.#streams) response.destroy()
  }

  #sendHeartbeat(): void {
    for (const { session, response } of this.#streams) {
      if (this.#isAlive(session)) response.write(beat)
      else response.end()
    }
  }
}

function formatEvent(event: HostEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
