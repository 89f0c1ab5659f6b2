import { CofferError } from '../../shared/errors.ts'
import type { ListenerState } from '../../shared/host/status.ts'
import { isIncident, toCofferError } from '../engine/index.ts'
import type { HttpListener, ListenerOptions } from '../http/listener.ts'
import { createExclusiveRunner } from './jobs/run-exclusive.ts'
import { findFreePort } from './next-port.ts'

type ListenerDeps = Required<
  Pick<ListenerOptions, 'engine' | 'testControls' | 'report' | 'proxies' | 'code'>
> &
  Pick<ListenerOptions, 'onAnswered' | 'onRequest'>
type ListenerConfig = Pick<ListenerOptions, 'port' | 'origins' | 'hosts' | 'strict'>

/**
 * The listener of a host: off, on, or failed with the reason. It outlives the vault and answers 423 without one.
 */
export class ListenerSwitch {
  readonly #deps: ListenerDeps
  readonly #onChange: () => void
  readonly #runExclusive = createExclusiveRunner()
  /** The code of the listener, loaded while a key is derived from the passphrase. */
  readonly #code = import('../http/listener.ts')
  #listener: HttpListener | null = null
  #state: ListenerState = { state: 'off' }

  constructor(deps: ListenerDeps, onChange: () => void) {
    this.#deps = deps
    this.#onChange = onChange
    // A failure is reported where the code is used.
    this.#code.catch(() => {})
  }

  get state(): ListenerState {
    return this.#state
  }

  /** The port of the open listener. Empty while it is off. */
  get ports(): readonly number[] {
    return this.#listener ? [this.#listener.port] : []
  }

  /** Answers a request that the as-hosted front has received, as `HttpListener.answerRequest` does; with 503 while it is off. */
  answerRequest(...args: Parameters<HttpListener['answerRequest']>): void {
    if (this.#listener) this.#listener.answerRequest(...args)
    else args[1].writeHead(503).end()
  }

  /**
   * Opens the listener. A failure to open is returned as a state. An open listener moves to another port only if that
   * port is free. Otherwise this rejects with `conflict` about `port`, and the listener stays on its port.
   */
  turnOn(config: ListenerConfig): Promise<ListenerState> {
    return this.#runExclusive(async () => {
      const isMoving = config.port !== 0 && config.port !== this.#listener?.port
      if (!this.#listener) this.#state = await this.#tryOpen(config)
      else if (isMoving) await this.#moveTo(await this.#openInstead(config))
      else return this.#state
      this.#onChange()
      return this.#state
    })
  }

  /**
   * Applies changed settings, which `save` stores and returns. If `newPort` returns a port and the listener is not off,
   * the listener is first opened on that port. Rejects with `conflict` about `port`, or with what `save` throws. If it
   * rejects, nothing is changed.
   */
  applySettings<Settings extends ListenerConfig>(
    newPort: () => number | undefined,
    save: () => Settings,
  ): Promise<Settings> {
    return this.#runExclusive(async () => {
      const port = newPort()
      const isMoving = port !== undefined && this.#state.state !== 'off' && port !== this.#listener?.port
      const newListener = isMoving ? await this.#openInstead({ port, origins: [], hosts: [] }) : undefined
      let saved: Settings
      try {
        saved = save()
      } catch (error) {
        await newListener?.close()
        throw error
      }
      ;(newListener ?? this.#listener)?.admit(saved)
      if (newListener) await this.#moveTo(newListener)
      this.#onChange()
      return saved
    })
  }

  /** Closes the listener once its open requests have ended. */
  turnOff(): Promise<ListenerState> {
    return this.#runExclusive(async () => {
      await this.#listener?.close()
      this.#listener = null
      this.#state = { state: 'off' }
      this.#onChange()
      return this.#state
    })
  }

  async #openListener({ port, origins, hosts, strict }: ListenerConfig): Promise<HttpListener> {
    const { openListener } = await this.#code
    return openListener({ ...this.#deps, port, origins, hosts, strict })
  }

  async #tryOpen(config: ListenerConfig): Promise<ListenerState> {
    try {
      this.#listener = await this.#openListener(config)
      return toListenerState(this.#listener)
    } catch (error) {
      const failure = toCofferError(error)
      if (isIncident(failure)) this.#deps.report(failure, 'listener')
      const next_port = await findFreePort(config.port)
      const reason = failure.message
      return { state: 'refused', reason, ...(next_port !== undefined && { next_port }) }
    }
  }

  async #openInstead(config: ListenerConfig): Promise<HttpListener> {
    try {
      return await this.#openListener(config)
    } catch (error) {
      const { code, message } = toCofferError(error)
      throw new CofferError(code, message, { errors: { port: [message] }, cause: error })
    }
  }

  /** Replaces the listener. The old one is closed once it has finished its open requests. */
  async #moveTo(newListener: HttpListener): Promise<void> {
    const before = this.#listener
    this.#listener = newListener
    this.#state = toListenerState(newListener)
    await before?.close()
  }
}

function toListenerState({ url, port }: HttpListener): ListenerState {
  return { state: 'on', url, port }
}
