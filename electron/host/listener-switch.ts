import { CofferError } from '../../shared/errors.ts'
import type { HostSettings, ListenerState } from '../../shared/host.ts'
import { toCofferError } from '../engine/db/storage-error.ts'
import { isIncident } from '../engine/door/incident.ts'
import type { Listener, ListenerOptions } from '../http/listener.ts'
import { nextFreePort } from './next-port.ts'
import { inTurn } from './work/in-turn.ts'

type Served = Required<Pick<ListenerOptions, 'engine' | 'sandbox' | 'report' | 'outbound' | 'code'>> &
  Pick<ListenerOptions, 'onAnswered'>
type Wanted = Pick<HostSettings, 'port' | 'origins' | 'hosts'>

/**
 * The listener of a host: off, on, or refused with the reason. It outlives the vault and answers 423 without
 * one.
 */
export class ListenerSwitch {
  readonly #served: Served
  readonly #changed: () => void
  readonly #inTurn = inTurn()
  /** Loaded while a passphrase is derived. */
  readonly #code = import('../http/listener.ts')
  #listener: Listener | null = null
  #state: ListenerState = { state: 'off' }

  constructor(served: Served, changed: () => void) {
    this.#served = served
    this.#changed = changed
    // A failure is reported where the code is used.
    this.#code.catch(() => {})
  }

  get state(): ListenerState {
    return this.#state
  }

  /** The port of the open listener; none while it is off. */
  get ports(): readonly number[] {
    return this.#listener ? [this.#listener.port] : []
  }

  /**
   * Opens the listener; a refusal is a state. An open listener moves to another port only if that is free; otherwise
   * it rejects with `conflict` about `port` and stays where it is.
   */
  on(wanted: Wanted): Promise<ListenerState> {
    return this.#inTurn(async () => {
      const moves = wanted.port !== 0 && wanted.port !== this.#listener?.port
      if (!this.#listener) this.#state = await this.#tryOpen(wanted)
      else if (moves) await this.#moveTo(await this.#openInstead(wanted))
      else return this.#state
      this.#changed()
      return this.#state
    })
  }

  /**
   * Applies changed settings, which `save` stores and returns. If `newPort` returns a port and the listener is not
   * off, it is opened there first. Rejects with `conflict` about `port`, or as `save` throws; then nothing changed.
   */
  follow<Settings extends Wanted>(
    newPort: () => number | undefined,
    save: () => Settings,
  ): Promise<Settings> {
    return this.#inTurn(async () => {
      const port = newPort()
      const moves = port !== undefined && this.#state.state !== 'off' && port !== this.#listener?.port
      const moved = moves ? await this.#openInstead({ port, origins: [], hosts: [] }) : undefined
      let saved: Settings
      try {
        saved = save()
      } catch (error) {
        await moved?.close()
        throw error
      }
      ;(moved ?? this.#listener)?.admit(saved)
      if (moved) await this.#moveTo(moved)
      this.#changed()
      return saved
    })
  }

  /** Closes the listener after answering the requests in flight. */
  off(): Promise<ListenerState> {
    return this.#inTurn(async () => {
      await this.#listener?.close()
      this.#listener = null
      this.#state = { state: 'off' }
      this.#changed()
      return this.#state
    })
  }

  async #open({ port, origins, hosts }: Wanted): Promise<Listener> {
    const { openListener } = await this.#code
    return openListener({ ...this.#served, port, origins, hosts })
  }

  async #tryOpen(wanted: Wanted): Promise<ListenerState> {
    try {
      this.#listener = await this.#open(wanted)
      return stateOf(this.#listener)
    } catch (error) {
      const refusal = toCofferError(error)
      if (isIncident(refusal)) this.#served.report(refusal, 'listener')
      const next_port = await nextFreePort(wanted.port)
      const reason = refusal.message
      return { state: 'refused', reason, ...(next_port !== undefined && { next_port }) }
    }
  }

  async #openInstead(wanted: Wanted): Promise<Listener> {
    try {
      return await this.#open(wanted)
    } catch (error) {
      const { code, message } = toCofferError(error)
      throw new CofferError(code, message, { errors: { port: [message] }, cause: error })
    }
  }

  /** The new listener takes over; the old one first answers its requests in flight. */
  async #moveTo(moved: Listener): Promise<void> {
    const before = this.#listener
    this.#listener = moved
    this.#state = stateOf(moved)
    await before?.close()
  }
}

function stateOf({ url, port }: Listener): ListenerState {
  return { state: 'on', url, port }
}
