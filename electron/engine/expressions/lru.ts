/** A bounded map that drops the least recently used entry. */
export class Lru<T> {
  readonly #entries = new Map<string, T>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns an entry and marks it as the most recently used; undefined if there is none. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  /** Adds an entry, dropping the least recently used one if the map is full. */
  set(key: string, value: T): void {
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}
