import type { IncomingMessage, ServerResponse } from 'node:http'
import { CofferError, toProblem } from '../../shared/errors.ts'
import type { AsHostedDetails, AsHostedState } from '../../shared/host/as-hosted.ts'
import type { AsHosted, AsHostedOptions } from '../as-hosted/as-hosted.ts'
import type { Issuer } from '../as-hosted/authority.ts'
import { toCofferError } from '../engine/index.ts'
import { HostedConnections } from './hosted-connections.ts'
import { createExclusiveRunner } from './jobs/run-exclusive.ts'
import { createEcho } from './proxies/echo.ts'

type AsHostedDeps = Omit<AsHostedOptions, 'destinations' | 'echo' | 'issuer' | 'port' | 'onConnection'> & {
  readonly destinations: () => AsHostedOptions['destinations']
  /** Whether the settings ask for it, the listener is on and a vault is open. */
  readonly isWanted?: () => boolean
  readonly onChange?: () => void
  readonly onConnections?: () => void
}

type FrontRequest = {
  /** 0 picks a free one. */
  readonly port: number
  /** The lasting authority; without it, this run has one of its own. */
  readonly issuer?: Issuer | undefined
  /** Called when a program may not connect to a host. */
  readonly onRefused?: (host: string) => void
}

/** The longest body that the echo describes. SECURITY: its sender needs no key (case X-65). */
const MAX_ECHO_BYTES = 128 * 1024

/**
 * Answers the names of the hosted service (rule H-01), while the settings or the command line ask for it. Its code and
 * packages are loaded when it opens.
 */
export class AsHostedSwitch {
  readonly #deps: AsHostedDeps
  readonly #connections: HostedConnections
  readonly #runExclusive = createExclusiveRunner()
  #open: AsHosted | null = null
  #access: AsHostedDetails['access'] = null
  #isHeld = false
  #state: AsHostedState = { state: 'off' }

  constructor(deps: AsHostedDeps) {
    this.#deps = deps
    this.#connections = new HostedConnections(() => deps.onConnections?.())
  }

  get state(): AsHostedState {
    return this.#state
  }

  /** The ports that no call of Coffer itself may reach. Empty while it is off. */
  get ports(): readonly number[] {
    return this.#open?.ports ?? []
  }

  /**
   * Starts to answer until `turnOff`, whatever the settings say, with certificates of `issuer` or of an authority that
   * only this run has. Rejects if the port cannot be opened; 0 picks a free one.
   */
  turnOn(request: FrontRequest): Promise<AsHosted> {
    const { port, issuer } = request
    return this.#runExclusive(async () => {
      if (issuer || (port !== 0 && port !== this.#open?.port)) await this.#closeFront()
      const open = await this.#openFront(request)
      this.#isHeld = true
      this.#setState(toState(open, true))
      return open
    })
  }

  /** Opens or closes, as the settings, the listener and the vault ask for. A failure to open is the state. */
  followSettings(): Promise<void> {
    return this.#runExclusive(async () => {
      if (this.#isHeld) return
      if (!this.#deps.isWanted?.()) await this.#closeFront()
      else if (!this.#open) {
        this.#setState({ state: 'opening' })
        try {
          this.#setState(toState(await this.#openFront({ port: 0 }), false))
        } catch (error) {
          this.#setState({ state: 'failed', reason: toCofferError(error).message })
        }
      }
    })
  }

  /** Stops answering and removes the files of the run. Safe to repeat. */
  turnOff(): Promise<void> {
    return this.#runExclusive(() => this.#closeFront())
  }

  /** Returns how programs find the front, and what has come. Writes the file for shells the first time. */
  getDetails(): AsHostedDetails {
    if (this.#open) this.#access ??= createAccess(this.#open)
    return { access: this.#access, connections: this.#connections.listRows() }
  }

  /** Counts a request to the listener itself while the front is open, so that the owner sees who still comes that way. */
  readonly countRequest = ({ headers }: IncomingMessage): void => {
    if (!this.#open) return
    const { host = '', 'user-agent': user_agent } = headers
    this.#connections.addConnection({ route: 'listener', host, outcome: 'answered', user_agent })
  }

  async #openFront({ port, issuer, onRefused }: FrontRequest): Promise<AsHosted> {
    const { openAsHosted } = await import('../as-hosted/as-hosted.ts')
    const { destinations } = this.#deps
    this.#open ??= await openAsHosted({
      ...this.#deps,
      port,
      issuer,
      destinations: destinations(),
      // SECURITY: a rejection that nobody handles would end the process. A sender that hangs up causes one (case X-73).
      echo: (request, response, origin) =>
        void sendEcho(request, response, origin).catch(() => response.destroy()),
      onConnection: (connection) => {
        this.#connections.addConnection(connection)
        if (connection.outcome === 'refused') onRefused?.(connection.host)
      },
    })
    return this.#open
  }

  async #closeFront(): Promise<void> {
    const open = this.#open
    this.#open = null
    this.#access = null
    this.#isHeld = false
    this.#connections.dropRows()
    await open?.closeServers()
    this.#setState({ state: 'off' })
  }

  #setState(state: AsHostedState): void {
    const isSame = state.state === 'off' && this.#state.state === 'off'
    this.#state = state
    if (!isSame) this.#deps.onChange?.()
  }
}

function toState({ roles, port }: AsHosted, is_held: boolean): AsHostedState {
  return { state: 'on', names: Array.from(roles, ([origin, role]) => ({ origin, role })), port, is_held }
}

function createAccess(open: AsHosted): AsHostedDetails['access'] {
  const shell_file = open.writeShellFile(open.createEnvironment(process.env))
  return { shell_file, chromium: [...open.chromium] }
}

/** Describes a request to its sender, like the echo of proxies (rule G-08). */
async function sendEcho(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
  const { method = 'GET', rawHeaders, url = '' } = request
  const body = await readText(request)
  if (body === null) {
    const problem = toProblem(new CofferError('too_large', 'The echo describes bodies of up to 128 KiB.'))
    response.writeHead(problem.status, {
      'Content-Type': 'application/json; charset=utf-8',
      Connection: 'close',
    })
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
