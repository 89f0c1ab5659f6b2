import type { IncomingMessage, ServerResponse } from 'node:http'
import { CofferError, toProblem } from '../../shared/errors.ts'
import type { AsHosted, AsHostedOptions } from '../as-hosted/as-hosted.ts'
import { createEcho } from './proxies/echo.ts'

type AsHostedDeps = Omit<AsHostedOptions, 'destinations' | 'echo' | 'port'> & {
  readonly destinations: () => AsHostedOptions['destinations']
}

/** The longest body that the echo describes. */
const MAX_ECHO_BYTES = 1024 * 1024

/** Answers the names of the hosted service while it is on (rule H-01). Its code and packages are loaded by `turnOn`. */
export class AsHostedSwitch {
  readonly #deps: AsHostedDeps
  #open: AsHosted | null = null

  constructor(deps: AsHostedDeps) {
    this.#deps = deps
  }

  /** The ports that no call of Coffer itself may reach. Empty while it is off. */
  get ports(): readonly number[] {
    return this.#open ? [this.#open.port, this.#open.proxy.port] : []
  }

  /** Starts to answer. Rejects if the port cannot be opened; 0 picks a free one. */
  async turnOn(port: number): Promise<AsHosted> {
    const { openAsHosted } = await import('../as-hosted/as-hosted.ts')
    const { destinations } = this.#deps
    this.#open ??= await openAsHosted({
      ...this.#deps,
      port,
      destinations: destinations(),
      echo: sendEcho,
    })
    return this.#open
  }

  /** Stops answering and removes the files of the run. Safe to repeat. */
  async turnOff(): Promise<void> {
    const open = this.#open
    this.#open = null
    await open?.closeServers()
  }
}

/** Describes a request to its sender, like the echo of proxies (rule G-08). */
async function sendEcho(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
  const { method = 'GET', rawHeaders, url = '' } = request
  const body = await readText(request)
  if (body === null) {
    const problem = toProblem(new CofferError('too_large', 'The echo describes bodies of up to 1 MiB.'))
    response.writeHead(problem.status, { 'Content-Type': 'application/problem+json', Connection: 'close' })
    return void response.end(JSON.stringify(problem))
  }
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
  )
  const echo = await createEcho(method, origin + url, { headers, body: body === '' ? null : body })
  response.writeHead(echo.status, echo.headers.flat()).end(echo.body)
}

/** Reads the body of a request as text; null if it is longer than `MAX_ECHO_BYTES`. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_ECHO_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
