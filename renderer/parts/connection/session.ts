import { notifications } from '@mantine/notifications'
import { create } from 'zustand'
import type { EntityChange } from '../../../shared/entity-changes.ts'
import type { HostEvent, LogEntry } from '../../../shared/host/events.ts'
import type { HostStatus } from '../../../shared/host/status.ts'
import { applyLayouts, setLayoutStorage } from '../../ui/grid/layouts.ts'
import { clearSecret, setSecretCopier } from '../../ui/text/clipboard.ts'
import { setVaultNow } from '../../ui/time/clock.ts'
import { describeError } from '../messages/describe-error.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { markReachable, markUnreachable, useConnectionState } from './connection-state.ts'
import { clearJobs, dropOtherJobs, endJob, followJob } from './jobs.ts'
import { resetStores } from './store.ts'
import { host, launchToken, onEvent, signIn } from './vault.ts'

type Session = {
  /** Null until the host has responded for the first time. */
  readonly status: HostStatus | null
  readonly problem: string | null
  /** The status that waits until the owner has dealt with the unsaved input of a vault that is no longer open. */
  readonly next: HostStatus | null
  /** The number of status events. An event is newer than the response to a request sent before it. */
  readonly statusEvents: number
}

export const useSession = create<Session>(() => ({
  status: null,
  problem: null,
  next: null,
  statusEvents: 0,
}))

const logListeners = new Set<(records: readonly LogEntry[]) => void>()

/** Calls the listener with new log records. Returns a function that unsubscribes. */
export function onLog(listener: (records: readonly LogEntry[]) => void): () => void {
  logListeners.add(listener)
  return () => logListeners.delete(listener)
}

const connectionListeners = new Set<() => void>()

/** Calls the listener when programs have come to the hosted names. Returns a function that unsubscribes. */
export function onConnections(listener: () => void): () => void {
  connectionListeners.add(listener)
  return () => connectionListeners.delete(listener)
}

const changeListeners = new Set<(changes: readonly EntityChange[]) => void>()

/** Calls the listener with changes in the open vault. Returns a function that unsubscribes. */
export function onChanges(listener: (changes: readonly EntityChange[]) => void): () => void {
  changeListeners.add(listener)
  return () => changeListeners.delete(listener)
}

/** Shows the status that waits. SECURITY: everything of the vault that was open is cleared. */
export function showNext(): void {
  const { next } = useSession.getState()
  if (next) applyStatus(next)
}

/** Applies a status that arrives after a disconnection. If the vault of the page was closed in it, the page waits. */
function applyLateStatus(status: HostStatus): void {
  const { disconnection } = useConnectionState.getState()
  if (disconnection && isOtherVault(status)) {
    useSession.setState({ next: status })
    // Handles its own errors.
    void clearSecret()
    markUnreachable('closed', disconnection.since)
  } else applyStatus(status)
}

/** Whether the vault of the page is no longer open. */
function isOtherVault({ vault }: HostStatus): boolean {
  const before = useSession.getState().status?.vault
  // A restored vault has the same tenant id as the original, so compare the names too.
  return !!before && (before.tenant_id !== vault?.tenant_id || before.name !== vault.name)
}

function applyStatus(status: HostStatus): void {
  const isOther = isOtherVault(status)
  useSession.setState({ status, next: null, problem: null })
  setVaultNow(status.vault?.now ?? null)
  applyLayouts(status.settings.grids)
  if (useConnectionState.getState().disconnection?.why === 'closed') markReachable()
  if (isOther) {
    // SECURITY: clear everything of the locked vault from the window and the clipboard.
    resetStores()
    clearJobs()
    // Handles its own errors.
    void clearSecret()
    notifications.clean()
  }
}

/** Fetches the host's status. Returns whether the host responded. */
export async function refreshStatus(): Promise<boolean> {
  const { statusEvents } = useSession.getState()
  try {
    const status = await host.status()
    if (useSession.getState().statusEvents === statusEvents) applyLateStatus(status)
    return true
  } catch (error) {
    // After the first load, the status stays, and the banner says since when it may be out of date.
    if (useSession.getState().status === null) useSession.setState({ problem: describeError(error) })
    return false
  }
}

function handleHostEvent(event: HostEvent): void {
  switch (event.type) {
    case 'status':
      useSession.setState(({ statusEvents }) => ({ statusEvents: statusEvents + 1 }))
      applyLateStatus(event.status)
      break
    case 'log':
      for (const listener of logListeners) listener(event.records)
      break
    case 'changes':
      for (const listener of changeListeners) listener(event.changes)
      break
    case 'connections':
      for (const listener of connectionListeners) listener()
      break
    case 'progress':
      followJob(event.job, event)
      break
    case 'ended':
      endJob(event.job)
  }
}

/** Signs in, fetches the status and subscribes to events. */
export async function startSession(): Promise<void> {
  setSecretCopier(async (text) => (await host.copySecret({ text })).copied)
  startLayouts()
  const token = launchToken()
  if (token !== undefined) {
    // SECURITY: remove the token from the address bar and the history before using it.
    history.replaceState(null, '', location.pathname)
    await signIn(token)
  }
  onEvent(handleHostEvent, {
    async onConnected() {
      const missed =
        useSession.getState().status !== null || useConnectionState.getState().disconnection !== null
      // If this fails, the transport notices that Coffer is unreachable.
      dropOtherJobs()
      if ((await refreshStatus()) && missed && useSession.getState().next === null) markReachable()
    },
    onLost(why, since) {
      // Remove the errors from the time without a session: they have one cause, which the window now shows.
      if (why !== 'silent') notifications.clean()
      markUnreachable(why, since)
    },
  })
  await refreshStatus()
}

/** Stores column layouts on the host from now on, for every vault on this machine. */
function startLayouts(): void {
  setLayoutStorage((grids) => {
    host.updateSettings({ grids }).catch(showFailureToast)
  })
}
