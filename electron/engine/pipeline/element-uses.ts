import type { Actor } from '../access/actor.ts'
import type { CallerElementUse } from './resource-hooks.ts'

/** How long a use by the same page and application is not written again. */
const REWRITE_INTERVAL_MS = 60_000
/** Of how many pages it is known when they were last written. */
const MAX_PAGES = 1000

/** The pages that used keys in elements, until they are written. */
export class ElementUses {
  #pending = new Map<string, CallerElementUse>()
  readonly #written = new Map<string, number>()

  /** Notes a use, at most once a minute for one page and application. Returns whether there is one to write. */
  recordUse(actor: Actor, origin: string, at: number): boolean {
    const user = toElementUser(actor)
    if (!user) return false
    const pair = `${user.application_id} ${origin}`
    const before = this.#written.get(pair)
    // Also after a clock that was set back.
    if (before !== undefined && Math.abs(at - before) < REWRITE_INTERVAL_MS) return false
    if (this.#written.size >= MAX_PAGES) this.#written.clear()
    this.#written.set(pair, at)
    this.#pending.set(pair, { ...user, origin, at })
    return true
  }

  get pending(): ReadonlyMap<string, CallerElementUse> {
    return this.#pending
  }

  /** Hands over the uses that wait. */
  take(): ReadonlyMap<string, CallerElementUse> {
    const taken = this.#pending
    this.#pending = new Map()
    return taken
  }

  /** Takes over the uses that waited for another engine. */
  takeOver(uses: ReadonlyMap<string, CallerElementUse>): void {
    this.#pending = new Map(uses)
  }
}

function toElementUser(actor: Actor): Pick<CallerElementUse, 'application_id' | 'key_id'> | null {
  if (actor.kind === 'session') return { application_id: actor.application_id, key_id: null }
  if (actor.kind !== 'application') return null
  return { application_id: actor.id, key_id: actor.key_id }
}
