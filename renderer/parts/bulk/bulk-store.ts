import type { BulkAction, BulkReport, TokenSelection } from '../../../shared/schemas/bulk.ts'
import { UNDO_SECONDS } from '../../../shared/undo-seconds.ts'
import { useViewAs } from '../access/view-as.ts'
import { cancelJob, isRunning, isStarting, runJob } from '../connection/jobs.ts'
import { createOpenCheck, createVaultState, createVaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast, showToast } from '../messages/toast.tsx'
import { combineActions } from './combine-actions.ts'
import { strings } from './strings.ts'

/** A selection that the host has resolved to a fixed list of tokens. */
export type PinnedSelection = {
  readonly selection: TokenSelection
  readonly name: string
  readonly tokens: number
}

/** A bulk action that runs, or waits for the undo period to end. */
export type StartedBulkAction = {
  readonly action: BulkAction
  readonly selection: TokenSelection
  readonly tokens: number
  /** The application that acts; null for the owner. */
  readonly as: string | null
  /** When the undo period of a deletion ends, in epoch ms; undefined for other actions. */
  readonly until?: number
}

type Bulk = {
  readonly started: StartedBulkAction | null
  /** The report of a finished action. If some tokens were refused or not processed, it stays until it is dismissed. */
  readonly ended: { readonly action: BulkAction; readonly report: BulkReport } | null
}

export const useBulk = createVaultStore<Bulk>(() => ({ started: null, ended: null }))
const { getState, setState } = useBulk

/**
 * Asks the host to resolve a selection to a fixed list of tokens. Returns the selection with the name of that
 * list and the number of its tokens.
 */
export async function pinSelection(selection: TokenSelection): Promise<PinnedSelection> {
  const { selection: name, tokens } = await host.selectTokens({ selection })
  return { selection, name, tokens }
}

/**
 * Starts a bulk action and returns whether it was started. A new deletion is merged into one that can still
 * be undone, provided that both list their tokens and have the same actor. Any other action must wait until
 * the running one has finished.
 */
export function startBulkAction(pinned: PinnedSelection, action: BulkAction): boolean {
  const as = useViewAs.getState().as?.id ?? null
  const joining = findJoinableSelection(pinned, action, as)
  if (joining === null) showToast(strings.busy)
  else void changeTokens(pinned, { action, as, joining })
  return joining !== null
}

type BulkRequest = {
  readonly action: BulkAction
  readonly as: string | null
  readonly joining: TokenSelection
}

async function changeTokens(pinned: PinnedSelection, { action, as, joining }: BulkRequest): Promise<void> {
  const isOpen = createOpenCheck()
  const { current } = job
  try {
    const { selection, name, tokens } = await mergePendingDeletion(pinned, joining)
    if (!isOpen()) return
    const until = action.do === 'delete' ? { until: Date.now() + UNDO_SECONDS * 1000 } : {}
    setState({ started: { action, selection, tokens, as, ...until }, ended: null })
    const order = { selection: name, action, ...(as !== null && { as }) }
    const work = runJob('selected tokens', () => host.changeTokens(order))
    current.running = work
    const report = await work
    if (isOpen() && !(current.isJoining && report.outcome === 'undone')) showReport(action, report)
  } catch (error) {
    if (isOpen()) showFailureToast(error)
  } finally {
    if (isOpen() && !current.isJoining) setState({ started: null })
  }
}

/** The running job. While `isJoining`, its end is not announced, because a larger deletion replaces it. */
const job = createVaultState(() => ({ running: null as Promise<BulkReport> | null, isJoining: false }))

/**
 * Returns the selection to run the action on: `selection` itself if nothing is running, or its union with a
 * pending deletion. Null if the action has to wait.
 */
function findJoinableSelection(
  { selection }: PinnedSelection,
  action: BulkAction,
  as: string | null,
): TokenSelection | null {
  const { started } = getState()
  // Another window may have started an action.
  if (!started) return isRunning('selected tokens') ? null : selection
  // Progress begins only after the undo period.
  const isWaiting = started.until !== undefined && isStarting('selected tokens')
  return isWaiting ? combineActions(started, { action, selection, as }) : null
}

/** Replaces a pending deletion by one with its tokens too; after its undo period, returns the new selection. */
async function mergePendingDeletion(
  pinned: PinnedSelection,
  joining: TokenSelection,
): Promise<PinnedSelection> {
  if (joining === pinned.selection) return pinned
  // Pin the combined selection first: if that fails, the pending deletion goes on.
  const combined = await pinSelection(joining)
  // The host keeps only one pinned selection.
  return (await undoQuietly()) ? combined : pinSelection(pinned.selection)
}

/** Cancels a pending deletion so that a larger one can replace it. Returns whether it was still pending. */
async function undoQuietly(): Promise<boolean> {
  const { current } = job
  current.isJoining = true
  try {
    await cancelJob('selected tokens')
    return (await current.running)?.outcome === 'undone'
  } catch {
    // The job itself has already shown this error.
    return false
  } finally {
    current.isJoining = false
  }
}

function showReport(action: BulkAction, report: BulkReport): void {
  const { outcome, refused, done } = report
  if (outcome === 'undone') showToast(strings.strip.undone)
  else if (outcome === 'done' && refused.length === 0)
    showToast(`${describeDone(action)} ${strings.tokens(done)}`)
  else setState({ ended: { action, report } })
}

/** The start of the result message, such as `Deleted`. */
export function describeDone({ do: name }: BulkAction): string {
  return strings.verbs[name][1]
}

/** Stops the running action. A deletion in its undo period is cancelled. */
export function stopBulk(): void {
  cancelJob('selected tokens').catch(showFailureToast)
}

export function dismissReport(): void {
  setState({ ended: null })
}
