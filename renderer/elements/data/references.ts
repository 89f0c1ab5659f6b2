import type { Reference } from '../protocol.ts'
import { isBranch } from './payload.ts'

type Kept = { readonly correlationId: string; readonly opening: string; readonly value: unknown }

/** The values behind references. They are in the memory of this frame alone, until its page is left. */
export class References {
  readonly #elementId: string
  readonly #kept = new Map<string, Kept>()

  /** For the frame of this id. */
  constructor(elementId: string) {
    this.#elementId = elementId
  }

  /**
   * Keeps an answer, and gives its shape with a reference for every value but null. `opening` is that of the vault which
   * gave the answer.
   */
  keep(answer: unknown, opening: string): unknown {
    const correlationId = unguessable()
    const referred = (value: unknown): unknown => {
      if (value === null || value === undefined) return value
      if (Array.isArray(value)) return value.map(referred)
      if (isBranch(value)) {
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, referred(each)]))
      }
      // SECURITY: nothing in it says what the value is, or where another one is kept.
      const path = unguessable()
      this.#kept.set(path, { correlationId, opening, value })
      return { correlationId, elementId: this.#elementId, path }
    }
    return referred(answer)
  }

  /**
   * The value of a reference; undefined if this frame did not give it out, or if the vault has been locked since, which
   * `opening` asks.
   */
  async resolve(
    { correlationId, elementId, path }: Reference,
    opening: () => Promise<string>,
  ): Promise<unknown> {
    const kept = this.#kept.get(path)
    if (!kept || elementId !== this.#elementId || kept.correlationId !== correlationId) return undefined
    try {
      return (await opening()) === kept.opening ? kept.value : undefined
    } catch {
      // Locked, or closed: the reference is as good as gone.
      return undefined
    }
  }
}

/** 128 random bits. */
function unguessable(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
