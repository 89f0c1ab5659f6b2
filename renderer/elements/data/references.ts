import type { Reference } from '../protocol.ts'
import { isBranch } from './payload.ts'

type StoredReference = { readonly correlationId: string; readonly opening: string; readonly value: unknown }

/** The values behind references. They exist only in this frame's memory, until the page is closed. */
export class References {
  readonly #elementId: string
  readonly #stored = new Map<string, StoredReference>()

  /** `elementId` is the id of this frame. */
  constructor(elementId: string) {
    this.#elementId = elementId
  }

  /**
   * Stores a response, and returns its structure with a reference for every value except null. `opening` is
   * the id of the unlock during which the vault responded.
   */
  storeResponse(response: unknown, opening: string): unknown {
    const correlationId = createRandomId()
    const toReferences = (value: unknown): unknown => {
      if (value === null || value === undefined) return value
      if (Array.isArray(value)) return value.map(toReferences)
      if (isBranch(value)) {
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toReferences(each)]))
      }
      // SECURITY: the path is random, so it reveals neither this value nor the path of another value.
      const path = createRandomId()
      this.#stored.set(path, { correlationId, opening, value })
      return { correlationId, elementId: this.#elementId, path }
    }
    return toReferences(response)
  }

  /**
   * Resolves to the value of a reference, or to undefined if this frame did not issue the reference or the
   * vault has been locked since. After a lock, `opening` resolves to another id.
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
      // The vault is locked or closed, so the reference is no longer valid.
      return undefined
    }
  }
}

function createRandomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
