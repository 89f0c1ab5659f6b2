import type { Reference } from '../protocol.ts'
import { isBranch } from './payload.ts'

type StoredReference = { readonly correlationId: string; readonly opening: string; readonly value: unknown }

/** The values behind references. They are in the memory of this frame alone, until its page is left. */
export class References {
  readonly #elementId: string
  readonly #stored = new Map<string, StoredReference>()

  /** For the frame of this id. */
  constructor(elementId: string) {
    this.#elementId = elementId
  }

  /**
   * Keeps an answer, and gives its shape with a reference for every value but null. `opening` is that of the vault which
   * gave the answer.
   */
  storeResponse(answer: unknown, opening: string): unknown {
    const correlationId = createRandomId()
    const toReferences = (value: unknown): unknown => {
      if (value === null || value === undefined) return value
      if (Array.isArray(value)) return value.map(toReferences)
      if (isBranch(value)) {
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toReferences(each)]))
      }
      // SECURITY: nothing in it says what the value is, or where another one is kept.
      const path = createRandomId()
      this.#stored.set(path, { correlationId, opening, value })
      return { correlationId, elementId: this.#elementId, path }
    }
    return toReferences(answer)
  }

  /**
   * The value of a reference; undefined if this frame did not give it out, or if the vault has been locked since, which
   * `opening` asks.
   */
  async resolveReference(
    { correlationId, elementId, path }: Reference,
    opening: () => Promise<string>,
  ): Promise<unknown> {
    const stored = this.#stored.get(path)
    if (!stored || elementId !== this.#elementId || stored.correlationId !== correlationId) return undefined
    try {
      return (await opening()) === stored.opening ? stored.value : undefined
    } catch {
      // Locked, or closed: the reference is as good as gone.
      return undefined
    }
  }
}

/** 128 random bits. */
function createRandomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
