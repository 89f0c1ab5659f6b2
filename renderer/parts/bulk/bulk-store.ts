import type { BulkAction, BulkReport, Selection } from '../../../shared/schemas/bulk.ts'
import { UNDO_SECONDS } from '../../../shared/undo-seconds.ts'
import { useLooking } from '../access/looking.ts'
import { cancelJob, isBeginning, isRunning, runJob } from '../connection/jobs.ts'
import { vaultState, vaultStore, whileOpen } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { toast, toastFailure } from '../messages/toast.tsx'
import { strings } from './strings.ts'
import { together } from './together.ts'

/** The tokens that the owner was asked about. */
export type Fixed = { readonly selection: Selection; readonly name: string; readonly tokens: number }

/** What was begun with the selected tokens. */
export type Begun = {
  readonly action: BulkAction
  readonly selection: Selection
  readonly tokens: number
  /** The application as which it is done; null for the owner. */
  readonly as: string | null
  /** Until when it can be undone, in epoch ms; only of a deletion. */
  readonly until?: number
}

type Bulk = {
  readonly begun: Begun | null
  /** A report that the owner must see: something was refused or not reached. */
  readonly ended: { readonly action: BulkAction; readonly report: BulkReport } | null
}

export const useBulk = vaultStore<Bulk>(() => ({ begun: null, ended: null }))
const { getState, setState } = useBulk

/** Fixes a selection at the host: which tokens these are, and how many. */
export async function fixed(selection: Selection): Promise<Fixed> {
  const { selection: name, tokens } = await host.host.selectTokens({ selection })
  return { selection, name, tokens }
}

/**
 * Does something to the selected tokens. One deletion joins another that can still be undone, if both name their
 * tokens; nothing else begins before the last has ended. Returns whether it was begun.
 */
export function begin(asked: Fixed, action: BulkAction): boolean {
  const as = useLooking.getState().as?.id ?? null
  const joining = joinable(asked, action, as)
  if (joining === null) toast(strings.busy)
  else void change(asked, { action, as, joining })
  return joining !== null
}

type Order = { readonly action: BulkAction; readonly as: string | null; readonly joining: Selection }

async function change(asked: Fixed, { action, as, joining }: Order): Promise<void> {
  const isOpen = whileOpen()
  const { current } = job
  try {
    const { selection, name, tokens } = await joined(asked, joining)
    if (!isOpen()) return
    const until = action.do === 'delete' ? { until: Date.now() + UNDO_SECONDS * 1000 } : {}
    setState({ begun: { action, selection, tokens, as, ...until }, ended: null })
    const order = { selection: name, action, ...(as !== null && { as }) }
    const work = runJob('selected tokens', () => host.host.changeTokens(order))
    current.running = work
    const report = await work
    if (isOpen() && !(current.isJoining && report.outcome === 'undone')) tell(action, report)
  } catch (error) {
    if (isOpen()) toastFailure(error)
  } finally {
    if (isOpen() && !current.isJoining) setState({ begun: null })
  }
}

/** The job that runs, and whether its end is not to be told because another deletion takes it in. */
const job = vaultState(() => ({ running: null as Promise<BulkReport> | null, isJoining: false }))

/** What is asked for together with a deletion that waits; just that if nothing is going on; null if it has to wait. */
function joinable({ selection }: Fixed, action: BulkAction, as: string | null): Selection | null {
  const { begun } = getState()
  // Another window may have begun something.
  if (!begun) return isRunning('selected tokens') ? null : selection
  // Progress begins when the time to undo is over.
  const isWaiting = begun.until !== undefined && isBeginning('selected tokens')
  return isWaiting ? together(begun, { action, selection, as }) : null
}

/** Takes in a deletion that waits, if there is one and its time is not over by now. */
async function joined(asked: Fixed, joining: Selection): Promise<Fixed> {
  if (joining === asked.selection) return asked
  // Before the other one is undone: if it fails, that one goes on.
  const together = await fixed(joining)
  // The host keeps one selection.
  return (await undoQuietly()) ? together : fixed(asked.selection)
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

function tell(action: BulkAction, report: BulkReport): void {
  const { outcome, refused, done } = report
  if (outcome === 'undone') toast(strings.strip.undone)
  else if (outcome === 'done' && refused.length === 0) toast(`${doneOf(action)} ${strings.tokens(done)}`)
  else setState({ ended: { action, report } })
}

/** What was done, as the beginning of a sentence. */
export function doneOf({ do: name }: BulkAction): string {
  return strings.verbs[name][1]
}

/** Stops what is going on; a deletion that has not begun is undone. */
export function stopBulk(): void {
  cancelJob('selected tokens').catch(toastFailure)
}

export function dismissReport(): void {
  setState({ ended: null })
}
