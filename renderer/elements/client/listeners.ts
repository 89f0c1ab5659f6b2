type ElementListener = (event: unknown) => void

export type Subscription = { readonly unsubscribe: () => void }

/** The page's event listeners of one element. */
export class Listeners {
  readonly #byType = new Map<string, Set<{ readonly listener: ElementListener }>>()

  add(type: string, listener: ElementListener): Subscription {
    const entry = { listener }
    const entries = this.#byType.get(type) ?? new Set()
    this.#byType.set(type, entries.add(entry))
    return { unsubscribe: () => void entries.delete(entry) }
  }

  /** Calls every listener, even if one of them throws. */
  emit(event: { readonly type: string }): void {
    for (const { listener } of [...(this.#byType.get(event.type) ?? [])]) {
      try {
        listener({ ...event })
      } catch (error) {
        reportError(error)
      }
    }
  }
}
