import type { EntityChange } from '../../shared/entity-changes.ts'
import { ChangeList } from '../engine/index.ts'

const BATCH_DELAY_MS = 100

/** Batches changes, so that thousands per second do not become thousands of messages. */
export class ChangeFeed {
  readonly #onChanges: (changes: readonly EntityChange[]) => void
  readonly #pending = new ChangeList()
  #timer: NodeJS.Timeout | null = null

  constructor(onChanges: (changes: readonly EntityChange[]) => void) {
    this.#onChanges = onChanges
  }

  add(changes: readonly EntityChange[]): void {
    for (const { entity, kind, ids } of changes) this.#pending.add(entity, kind, ids)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#onChanges(this.#pending.take())
    }, BATCH_DELAY_MS).unref()
  }

  /** Drops pending changes, because their vault is no longer open. */
  dropPending(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#pending.take()
  }
}
