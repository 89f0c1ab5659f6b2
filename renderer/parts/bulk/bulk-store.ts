import type { BulkAction, BulkReport, TokenSelection } from '../../../shared/schemas/bulk.ts'
import { UNDO_SECONDS } from '../../../shared/undo-seconds.ts'
import { useViewAs } from '../access/view-as.ts'
import { cancelJob, isRunning, isStarting, runJob } from '../connection/jobs.ts'
import { createOpenCheck, createVaultState, createVaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast, showToast } from '../messages/toast.tsx'
import { combineActions } from './combine-actions.ts'
import { strings } from './strings.ts'

/** The tokens that the owner was asked about. */
export type PinnedSelection = {
  readonly selection: TokenSelection
  readonly name: string
  readonly tokens: number
}

/** What was begun with the selected tokens. */
export type StartedBulkAction = {
  readonly action: BulkAction
  readonly selection: TokenSelection
  readonly tokens: number
  /** The application as which it is done; null for the owner. */
  readonly as: string | null
  /** Until when it can be undone, in epoch ms; only of a deletion. */
  readonly until?: number
}

type Bulk = {
  readonly started: StartedBulkAction | null
  /** A report that the owner must see: something was refused or not reached. */
  readonly ended: { readonly action: BulkAction; readonly report: BulkReport } | null
}

export const useBulk = createVaultStore<Bulk>(() => ({ started: null, ended: null }))
const { getState, setState } = useBulk

/** Fixes a selection at the host: which tokens these are, and how many. */
export async function pinSelection(selection: TokenSelection): Promise<PinnedSelection> {
  const { selection: name, tokens } = await host.host.selectTokens({ selection })
  return { selection, name, tokens }
}

/**
 * Does something to the selected tokens. One deletion joins another that can still be undone, if both name their
 * tokens; nothing else begins before the last has ended. Returns whether it was begun.
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
    const work = runJob('selected tokens', () => host.host.changeTokens(order))
    current.running = work
    const report = await work
    if (isOpen() && !(current.isJoining && report.outcome === 'undone')) showReport(action, report)
  } catch (error) {
    if (isOpen()) showFailureToast(error)
  } finally {
    if (isOpen() && !current.isJoining) setState({ started: null })
  }
}

/** The job that runs, and whether its end is not to be told because another deletion takes it in. */
const job = createVaultState(() => ({ running: null as Promise<BulkReport> | null, isJoining: false }))

/** What is asked for together with a deletion that waits; just that if nothing is going on; null if it has to wait. */
function findJoinableSelection(
  { selection }: PinnedSelection,
  action: BulkAction,
  as: string | null,
): TokenSelection | null {
  const { started } = getState()
  // Another window may have begun something.
  if (!started) return isRunning('selected tokens') ? null : selection
  // Progress begins when the time to undo is over.
  const isWaiting = started.until !== undefined && isStarting('selected tokens')
  return isWaiting ? combineActions(started, { action, selection, as }) : null
}

/** Takes in a deletion that waits, if there is one and its time is not over by now. */
async function mergePendingDeletion(
  pinned: PinnedSelection,
  joining: TokenSelection,
): Promise<PinnedSelection> {
  if (joining === pinned.selection) return pinned
  // Before the other one is undone: if it fails, that one goes on.
  const combined = await pinSelection(joining)
  // The host keeps one selection.
  return (await undoQuietly()) ? combined : pinSelection(pinned.selection)
}

/** Undoes a deletion that waits, so that it can begin again with more; returns whether it did. */
async function undoQuietly(): Promise<boolean> {
  const { current } = job
  current.isJoining = true
  try {
    await cancelJob('selected tokens')
    return (await current.running)?.outcome === 'undone'
  } catch {
    // The job itself has told why it failed.
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

/** What was done, as the beginning of a sentence. */
export function describeDone({ do: name }: BulkAction): string {
  return strings.verbs[name][1]
}

/** Stops what is going on; a deletion that has not begun is undone. */
export function stopBulk(): void {
  cancelJob('selected tokens').catch(showFailureToast)
}

export function dismissReport(): void {
  setState({ ended: null })
}
