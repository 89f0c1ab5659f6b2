import { randomUUID } from 'node:crypto'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { FindIdsResult } from '../../../shared/find.ts'
import {
  type BulkAction,
  type BulkReport,
  MAX_COPIED_IDS,
  type TokenSelection,
} from '../../../shared/schemas/bulk.ts'
import { UNDO_SECONDS } from '../../../shared/undo-seconds.ts'
import { type Caller, owner, requireUnlocked } from '../../engine/index.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { createReopeningEngine } from '../vault/reopening-engine.ts'
import type { OpenVault } from '../vault/vault.ts'
import { changeEach } from './change-each.ts'

type WindowBulkDeps = {
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  /** How long a deletion waits before it starts, in ms. */
  readonly undoMs?: number | undefined
}

type SelectionSnapshot = {
  readonly id: string
  readonly vault: OpenVault
  /** `Engine.opening` when the tokens were selected; a reset of the vault changes it. */
  readonly opening: string
  readonly ids: readonly string[]
}

/**
 * Holds the tokens that the window has selected, and changes all of them. The ids are fixed when the tokens are
 * selected, so that exactly the tokens the owner confirmed are changed: tokens that match later are not included.
 */
export class WindowBulk {
  readonly #deps: WindowBulkDeps
  #selected: SelectionSnapshot | null = null
  #pendingDeletion: AbortController | null = null

  constructor(deps: WindowBulkDeps) {
    this.#deps = deps
  }

  /**
   * Fixes a selection, replaces the previous one, and returns how many tokens it has. Throws `locked`, `not_found` if
   * the vault was locked or reset in the meantime, and what `tokens.findIds` throws.
   */
  async selectTokens(selection: TokenSelection): Promise<{ selection: string; tokens: number }> {
    const vault = requireUnlocked(this.#deps.vault())
    const { opening } = vault.engine
    const ids = 'ids' in selection ? [...new Set(selection.ids)] : await findSelectedIds(vault, selection)
    // The vault may have been locked or reset during the search.
    if (requireUnlocked(this.#deps.vault()) !== vault || vault.engine.opening !== opening)
      throw createSelectionGoneError()
    this.#selected = { id: randomUUID(), vault, opening, ids }
    return { selection: this.#selected.id, tokens: ids.length }
  }

  clearSelection(): void {
    this.#selected = null
  }

  /**
   * Returns the ids of a selection. Throws `locked`, and `not_found` if a newer selection, a lock or a reset has
   * ended it.
   */
  getIds(selection: string): readonly string[] {
    return this.#requireSelection(selection).ids
  }

  /** Returns the ids of a selection for copying. Throws what `getIds` throws, and `too_large`. */
  getIdsToCopy(selection: string): string[] {
    const ids = this.getIds(selection)
    if (ids.length > MAX_COPIED_IDS) {
      throw new CofferError(
        'too_large',
        'At most 100,000 IDs can be copied at once. Export the tokens instead.',
      )
    }
    return [...ids]
  }

  /**
   * Applies one action to every selected token. A deletion waits before it starts, and is undone if the job is
   * cancelled, the vault is locked or the program ends during the wait. Throws `locked`, `not_found` (see `getIds`),
   * `conflict` (another is running).
   */
  changeTokens({
    selection,
    action,
    as,
  }: {
    readonly selection: string
    readonly action: BulkAction
    readonly as?: string | undefined
  }): Promise<BulkReport> {
    const { vault, ids } = this.#requireSelection(selection)
    const engine = createReopeningEngine(vault)
    const caller: Caller = as === undefined ? owner : { kind: 'as', application_id: as }
    return this.#deps.jobs.runJob('selected tokens', async (jobWatch) => {
      const watch = vault.withLockAbort(jobWatch)
      const reportStart = () => watch.onProgress?.(0, ids.length)
      reportStart()
      if (action.do === 'delete' && !(await this.#waitForUndo(watch.signal, reportStart))) {
        return { outcome: 'undone', tokens: ids.length, done: 0, refused: [] }
      }
      return changeEach(engine, { ids, action, caller }, watch)
    })
  }

  /** Undoes a pending deletion because the program ends. Resolves once its job has ended. */
  async undoDeletion(): Promise<void> {
    if (!this.#pendingDeletion) return
    this.#pendingDeletion.abort()
    await turn()
  }

  /**
   * Waits until the deletion can no longer be undone. Resolves to false if it was undone before. Calls `onTick` every
   * second, so that a page that was loaded later can also stop the deletion.
   */
  async #waitForUndo(cancelSignal: AbortSignal | undefined, onTick: () => void): Promise<boolean> {
    const { undoMs = UNDO_SECONDS * 1000 } = this.#deps
    this.#pendingDeletion = new AbortController()
    const signal = AbortSignal.any([this.#pendingDeletion.signal, ...(cancelSignal ? [cancelSignal] : [])])
    const ticker = setInterval(onTick, 1000)
    await delay(undoMs, undefined, { signal }).catch(() => {})
    clearInterval(ticker)
    this.#pendingDeletion = null
    return !signal.aborted
  }

  #requireSelection(selection: string): SelectionSnapshot {
    const vault = requireUnlocked(this.#deps.vault())
    const selected = this.#selected
    const isCurrent = selected?.vault === vault && selected.opening === vault.engine.opening
    if (selected?.id !== selection || !isCurrent) {
      throw createSelectionGoneError()
    }
    return selected
  }
}

function createSelectionGoneError(): CofferError {
  return new CofferError('not_found', 'This selection no longer exists. Select the tokens again.')
}

const FIND_PAGE_SIZE = 5000

async function findSelectedIds(
  { engine }: OpenVault,
  { all, except }: Extract<TokenSelection, { all: unknown }>,
): Promise<string[]> {
  const { tokens } = engine.as(owner)
  const excluded = new Set(except)
  const ids: string[] = []
  for (let start: string | null | undefined; start !== null; ) {
    const page: FindIdsResult = await tokens.findIds({
      find: all,
      size: FIND_PAGE_SIZE,
      ...(start !== undefined && { start }),
    })
    for (const id of page.ids) if (!excluded.has(id)) ids.push(id)
    start = page.next
    // Reads do not wait for a commit, so without this pause, no other call would be handled until all ids are found.
    await turn()
  }
  return ids
}
