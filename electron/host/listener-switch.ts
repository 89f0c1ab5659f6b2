import { toCofferError } from '../../shared/errors.ts'
import type { HostSettings, ListenerState } from '../../shared/host.ts'
import type { Engine } from '../engine/engine.ts'
import type { Lab } from '../http/lab.ts'
import { type Listener, openListener } from '../http/listener.ts'
import { inTurn } from './in-turn.ts'
import { nextFreePort } from './next-port.ts'

type Wanted = Pick<HostSettings, 'port' | 'origins' | 'hosts'>

/** The listener of a host: off, on, or refused with the reason. It outlives the vault, and answers 423 without one. */
export class ListenerSwitch {
  readonly #engine: () => Engine | null
  readonly #lab: Lab
  readonly #changed: () => void
  readonly #inTurn = inTurn()
  #listener: Listener | null = null
  #state: ListenerState = { state: 'off' }

  constructor(engine: () => Engine | null, lab: Lab, changed: () => void) {
    this.#engine = engine
    this.#lab = lab
    this.#changed = changed
  }

  get state(): ListenerState {
    return this.#state
  }

  /** Opens the listener, or opens it anew where something else is wanted of it. A refusal is a state, not an error. */
  on(wanted: Wanted): Promise<ListenerState> {
    return this.#inTurn(async () => {
      await this.#listener?.close()
      this.#listener = null
      this.#state = await this.#open(wanted)
      this.#changed()
      return this.#state
    })
  }

  /** Closes the listener; requests in flight are answered first. */
  off(): Promise<ListenerState> {
    return this.#inTurn(async () => {
      await this.#listener?.close()
      this.#listener = null
      this.#state = { state: 'off' }
      this.#changed()
      return this.#state
    })
  }

  async #open({ port, origins, hosts }: Wanted): Promise<ListenerState> {
    try {
      this.#listener = await openListener({ engine: this.#engine, lab: this.#lab, port, origins, hosts })
      return { state: 'on', url: this.#listener.url, port: this.#listener.port }
    } catch (error) {
      const next_port = await nextFreePort(port)
      const reason = toCofferError(error).message
      return { state: 'refused', reason, ...(next_port !== undefined && { next_port }) }
    }
  }
}
