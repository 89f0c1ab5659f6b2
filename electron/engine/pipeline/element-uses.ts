import type { Actor } from '../access/actor.ts'
import type { CallerElementUse } from './resource-hooks.ts'

/** The minimum time between two writes of a use by the same page and application, in ms. */
const REWRITE_INTERVAL_MS = 60_000
/** The maximum number of pages whose last write time is cached. */
const MAX_PAGES = 1000

/** The pages that used keys in elements, until these uses are written. */
export class ElementUses {
  #pending = new Map<string, CallerElementUse>()
  readonly #written = new Map<string, number>()

  /** Records a use, at most once a minute for each page and application. Returns whether it must be written. */
  recordUse(actor: Actor, origin: string, at: number): boolean {
    const user = toElementUser(actor)
    if (!user) return false
    const pair = `${user.application_id} ${origin}`
    const before = this.#written.get(pair)
    // The absolute difference also covers a clock that was set back.
    if (before !== undefined && Math.abs(at - before) < REWRITE_INTERVAL_MS) return false
    if (this.#written.size >= MAX_PAGES) this.#written.clear()
    this.#written.set(pair, at)
    this.#pending.set(pair, { ...user, origin, at })
    return true
  }

  get pending(): ReadonlyMap<string, CallerElementUse> {
    return this.#pending
  }

  /** Removes and returns the pending uses. */
  take(): ReadonlyMap<string, CallerElementUse> {
    const taken = this.#pending
    this.#pending = new Map()
    return taken
  }

  /** Adopts the uses that another engine has not written. */
  takeOver(uses: ReadonlyMap<string, CallerElementUse>): void {
    this.#pending = new Map(uses)
  }
}

function toElementUser(actor: Actor): Pick<CallerElementUse, 'application_id' | 'key_id'> | null {
  if (actor.kind === 'session') return { application_id: actor.application_id, key_id: null }
  if (actor.kind !== 'application') return null
  return { application_id: actor.id, key_id: actor.key_id }
}
