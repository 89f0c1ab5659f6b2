import type { Actor } from '../access/actor.ts'
import type { ElementUse } from './resources.ts'

/** How long a use by the same page and application is not written again. */
const QUIET_MS = 60_000
/** Of how many pages it is known when they were last written. */
const MOST_PAGES = 1000

/** The pages that used keys in elements, until they are written. */
export class ElementUses {
  #waiting = new Map<string, ElementUse>()
  readonly #written = new Map<string, number>()

  /** Notes a use, at most once a minute for one page and application. Returns whether there is one to write. */
  note(actor: Actor, origin: string, at: number): boolean {
    const user = userOf(actor)
    if (!user) return false
    const pair = `${user.application_id} ${origin}`
    const before = this.#written.get(pair)
    // Also after a clock that was set back.
    if (before !== undefined && Math.abs(at - before) < QUIET_MS) return false
    if (this.#written.size >= MOST_PAGES) this.#written.clear()
    this.#written.set(pair, at)
    this.#waiting.set(pair, { ...user, origin, at })
    return true
  }

  get waiting(): ReadonlyMap<string, ElementUse> {
    return this.#waiting
  }

  /** Hands over the uses that wait. */
  take(): ReadonlyMap<string, ElementUse> {
    const taken = this.#waiting
    this.#waiting = new Map()
    return taken
  }

  /** Takes over the uses that waited for another engine. */
  takeOver(uses: ReadonlyMap<string, ElementUse>): void {
    this.#waiting = new Map(uses)
  }
}

function userOf(actor: Actor): Pick<ElementUse, 'application_id' | 'key_id'> | null {
  if (actor.kind === 'session') return { application_id: actor.application_id, key_id: null }
  if (actor.kind !== 'application') return null
  return { application_id: actor.id, key_id: actor.key_id }
}
