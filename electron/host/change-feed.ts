import type { Change } from '../../shared/changes.ts'
import { ChangeList } from '../engine/db/changes.ts'

const COMPANY_MS = 100

/** Batches changes, so that thousands a second do not become thousands of messages. */
export class ChangeFeed {
  readonly #tell: (changes: readonly Change[]) => void
  readonly #waiting = new ChangeList()
  #timer: NodeJS.Timeout | null = null

  constructor(tell: (changes: readonly Change[]) => void) {
    this.#tell = tell
  }

  add(changes: readonly Change[]): void {
    for (const { entity, kind, ids } of changes) this.#waiting.add(entity, kind, ids)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#tell(this.#waiting.take())
    }, COMPANY_MS).unref()
  }

  /** Drops pending changes: they concern a vault that is no longer open. */
  drop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#waiting.take()
  }
}
