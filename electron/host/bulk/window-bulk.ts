import { randomUUID } from 'node:crypto'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { FoundIds } from '../../../shared/find.ts'
import type { HostCommands } from '../../../shared/host.ts'
import { type BulkReport, MOST_COPIED, type Selection } from '../../../shared/schemas/bulk.ts'
import { UNDO_SECONDS } from '../../../shared/undo-seconds.ts'
import type { z } from '../../../shared/zod.ts'
import { type Caller, owner } from '../../engine/door/call.ts'
import { unlocked } from '../../engine/door/locked.ts'
import { steadyEngine } from '../vault/steady-engine.ts'
import type { OpenVault } from '../vault/vault.ts'
import type { Jobs } from '../work/jobs.ts'
import { changeEach } from './change-each.ts'

type Commands = HostCommands['host']
type Input<Name extends keyof Commands> = z.output<Commands[Name]['input']>
type Output<Name extends keyof Commands> = z.output<Commands[Name]['output']>

type Options = {
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  /** How long a deletion waits before it begins. */
  readonly undoMs?: number | undefined
}

type Selected = {
  readonly id: string
  readonly vault: OpenVault
  /** Of the engine: another one after a reset. */
  readonly opening: string
  readonly ids: readonly string[]
}

/**
 * Tokens that the window has selected, and what is done with all of them. What the owner was asked about is what is
 * changed: the ids are fixed when they are selected, and tokens that match later are not among them.
 */
export class WindowBulk {
  readonly #options: Options
  #selected: Selected | null = null
  /** Ends the wait of a deletion that has not begun. */
  #waiting: AbortController | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Fixes a selection, in place of the one before, and says how many tokens it has. Throws `locked`, `not_found`
   * where it was locked or reset meanwhile, and what `tokens.findIds` throws.
   */
  async select({ selection }: Input<'selectTokens'>): Promise<Output<'selectTokens'>> {
    const vault = unlocked(this.#options.vault())
    const { opening } = vault.engine
    const ids = 'ids' in selection ? [...new Set(selection.ids)] : await found(vault, selection)
    // Meanwhile it may have been locked or reset.
    if (unlocked(this.#options.vault()) !== vault || vault.engine.opening !== opening) throw gone()
    this.#selected = { id: randomUUID(), vault, opening, ids }
    return { selection: this.#selected.id, tokens: ids.length }
  }

  /** Drops the selection, because its vault is locked. */
  forget(): void {
    this.#selected = null
  }

  /** The ids of a selection. Throws `locked`, and `not_found` for one that another, a lock or a reset has ended. */
  idsOf(selection: string): readonly string[] {
    return this.#find(selection).ids
  }

  /** The ids of a selection, to be copied. Throws what `idsOf` throws, and `too_large`. */
  copied({ selection }: Input<'selectedIds'>): Output<'selectedIds'> {
    const ids = this.idsOf(selection)
    if (ids.length > MOST_COPIED) {
      throw new CofferError('too_large', 'Up to 100,000 IDs can be copied. Export the tokens instead.')
    }
    return { ids: [...ids] }
  }

  /**
   * Does one thing to every selected token. A deletion first waits, and until then cancelling the job, a lock or the
   * end of the program undo it. Throws `locked`, `not_found` (see `idsOf`), `conflict` (another is running).
   */
  change({ selection, action, as }: Input<'changeTokens'>): Promise<BulkReport> {
    const { vault, ids } = this.#find(selection)
    const engine = steadyEngine(vault)
    const caller: Caller = as === undefined ? owner : { kind: 'as', application_id: as }
    return this.#options.jobs.run('selected tokens', async (given) => {
      const watch = vault.watched(given)
      const begins = () => watch.onProgress?.(0, ids.length)
      begins()
      if (action.do === 'delete' && !(await this.#waited(watch.signal, begins))) {
        return { outcome: 'undone', tokens: ids.length, done: 0, refused: [] }
      }
      return changeEach(engine, { ids, action, caller }, watch)
    })
  }

  /** Undoes a deletion that has not begun, because the program ends; resolves once its job has ended. */
  async undo(): Promise<void> {
    if (!this.#waiting) return
    this.#waiting.abort()
    await turn()
  }

  /**
   * Whether the time to undo has passed without an abort. Meanwhile calls `tell` every second, so that a page that has
   * been loaded since can stop it too.
   */
  async #waited(given: AbortSignal | undefined, tell: () => void): Promise<boolean> {
    const { undoMs = UNDO_SECONDS * 1000 } = this.#options
    this.#waiting = new AbortController()
    const signal = AbortSignal.any([this.#waiting.signal, ...(given ? [given] : [])])
    const telling = setInterval(tell, 1000)
    await delay(undoMs, undefined, { signal }).catch(() => {})
    clearInterval(telling)
    this.#waiting = null
    return !signal.aborted
  }

  #find(selection: string): Selected {
    const vault = unlocked(this.#options.vault())
    const selected = this.#selected
    const isCurrent = selected?.vault === vault && selected.opening === vault.engine.opening
    if (selected?.id !== selection || !isCurrent) {
      throw gone()
    }
    return selected
  }
}

function gone(): CofferError {
  return new CofferError('not_found', 'That selection is gone. Select the tokens again.')
}

/** How many ids one engine call finds. */
const TOGETHER = 5000

async function found(
  { engine }: OpenVault,
  { all, except }: Extract<Selection, { all: unknown }>,
): Promise<string[]> {
  const { tokens } = engine.as(owner)
  const left = new Set(except)
  const ids: string[] = []
  for (let start: string | null | undefined; start !== null; ) {
    const page: FoundIds = await tokens.findIds({
      find: all,
      size: TOGETHER,
      ...(start !== undefined && { start }),
    })
    for (const id of page.ids) if (!left.has(id)) ids.push(id)
    start = page.next
    // Reads do not wait for a commit: others get their turn here.
    await turn()
  }
  return ids
}
