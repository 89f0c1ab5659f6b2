import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host/events.ts'
import { type ControlSession, openSessions } from '../../host/control/control-session.ts'
import { getVaultFiles } from '../../host/files/vault-files.ts'
import { describeOpenVault, findLockHolder } from '../../host/files/vault-lock.ts'
import { createCancelledError, type JobWatch } from '../../host/jobs/background.ts'
import type { OwnersEngine } from '../../host/transfer/owner-client.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { formatCommand } from '../hint.ts'
import type { InMemory } from './in-memory.ts'
import { openExisting, unlockLocation } from './open-vault.ts'
import { printHint, type VaultLocation } from './vault-options.ts'
import { version } from './version.ts'

/** A vault to work with: opened by this command, or by another process of the same user. */
export type VaultInUse = AsyncDisposable & {
  readonly engine: OwnersEngine
  /** The open vault; null if another process has opened it. */
  readonly own: OpenVault | null
  readonly session: ControlSession | null
}

type JoinOptions = InMemory & {
  /**
   * Whether plaintext is read in bulk. If so, and a vault on disk is open in another process, the owner must
   * authenticate again.
   */
  readonly clear?: boolean
}

/**
 * Opens the vault at a location, or connects to the process in which this user has opened it: `await using vault =
 * await openOrJoin(place)`. Throws whatever `openExisting` throws, `conflict` (with the reason) if that process cannot
 * be reached, and `not_found` if an in-memory vault is requested but none is running.
 */
export async function openOrJoin(
  location: VaultLocation,
  { clear = false, ...which }: JoinOptions = {},
): Promise<VaultInUse> {
  const session = which.ephemeral ? await requireInMemory(location, which.port) : await findSession(location)
  if (!session) {
    const own = await openExisting(location)
    return { engine: own.engine, own, session: null, [Symbol.asyncDispose]: async () => own.lock() }
  }
  try {
    if (clear && !which.ephemeral) {
      using key = await unlockLocation(location)
      await session.proveAccess(key.master)
    }
  } catch (error) {
    session.close()
    throw error
  }
  return { engine: session, own: null, session, [Symbol.asyncDispose]: async () => session.close() }
}

/**
 * Connects to the process in which the vault at a location is open; returns null if it is not open. Throws `conflict`
 * if the process cannot be reached.
 */
export async function findSession(location: VaultLocation): Promise<ControlSession | null> {
  const { dataDir, vault } = location
  const { folder } = getVaultFiles(dataDir, vault)
  const holder = findLockHolder(folder)
  if (!holder) return null
  for (;;) {
    const { sessions, problems } = await openSessions(dataDir)
    const match = sessions.find(({ greeting }) => greeting.vault?.name === vault && !greeting.vault.in_memory)
    for (const each of sessions) if (each !== match) each.close()
    if (match) return match.startSession(version)
    // The process may have ended in the meantime.
    if (!findLockHolder(folder)) return null
    const isStarting = isServing.test(holder.command) && Date.now() - Date.parse(holder.since) < STARTING_MS
    if (!isStarting || problems.length > 0)
      throw new CofferError('conflict', [describeOpenVault(vault, holder), ...problems].join(' '))
    await delay(POLL_INTERVAL_MS)
  }
}

/** Matches the commands whose process opens a control socket. Other commands do not share their vault. */
const isServing = /^coffer serve$|^(?!coffer( |$))/
/** How long a process may take to open its socket after it has locked the vault. */
const STARTING_MS = 5000
const POLL_INTERVAL_MS = 50

/**
 * Connects to this user's in-memory vaults for a data folder, and prints to stderr why others cannot be reached. The
 * caller closes the sessions it does not use.
 */
export async function listInMemorySessions(dataDir: string): Promise<ControlSession[]> {
  const { sessions, problems } = await openSessions(dataDir)
  const [inMemorySessions, onDisk] = [true, false].map((is) =>
    sessions.filter(({ greeting }) => (greeting.vault?.in_memory ?? false) === is),
  )
  for (const each of onDisk ?? []) each.close()
  for (const problem of problems) printHint(problem)
  return inMemorySessions ?? []
}

/** Returns the running in-memory vault. Throws `not_found` if there is none, and `conflict` if several match. */
export async function requireInMemory(
  { dataDir }: VaultLocation,
  port: number | undefined,
): Promise<ControlSession> {
  const session = await findInMemory({ dataDir }, port)
  if (session) return session
  const which = port === undefined ? '' : ` on port ${port}`
  throw new CofferError(
    'not_found',
    `No in-memory vault is running${which} with the data folder ${dataDir}. Start one with: ${formatCommand('serve', '--ephemeral')}`,
  )
}

/** Like `requireInMemory`, but returns null if there is none. */
export async function findInMemory(
  { dataDir }: Pick<VaultLocation, 'dataDir'>,
  port: number | undefined,
): Promise<ControlSession | null> {
  const sessions = await listInMemorySessions(dataDir)
  const matching = sessions.filter(({ greeting }) => port === undefined || getPort(greeting.url) === port)
  for (const each of sessions) if (matching.length !== 1 || each !== matching[0]) each.close()
  if (matching.length > 1) {
    const urls = matching.map(({ greeting }) => greeting.url ?? `process ${greeting.pid}`).sort()
    throw new CofferError(
      'conflict',
      `Several in-memory vaults are running: ${urls.join(', ')}. Choose one with --port.`,
    )
  }
  return matching[0]?.startSession(version) ?? null
}

/** Connects to the Coffer of this user that listens at a base URL of this machine; null if there is none. */
export async function findSessionAt(dataDir: string, url: string): Promise<ControlSession | null> {
  const { hostname, port } = new URL(url)
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') return null
  const { sessions } = await openSessions(dataDir)
  const match = sessions.find(({ greeting }) => getPort(greeting.url) === Number(port))
  for (const each of sessions) if (each !== match) each.close()
  return match?.startSession(version) ?? null
}

function getPort(url: string | null): number | null {
  return url === null ? null : Number(new URL(url).port)
}

/**
 * Runs a job in the process in which the vault is open, and closes the session. Rejects like the job, or with
 * `cancelled` if the signal is aborted already.
 */
export async function runRemoteJob(
  session: ControlSession,
  { name, job, input = {} }: { readonly name: string; readonly job: JobName; readonly input?: object },
  { signal, onProgress }: JobWatch,
): Promise<unknown> {
  if (signal?.aborted) {
    session.close()
    throw createCancelledError()
  }
  const cancelJob = () => void session.call('host.cancel', { job }).catch(() => {})
  signal?.addEventListener('abort', cancelJob, { once: true })
  try {
    return await session.call(name, input, onProgress)
  } finally {
    signal?.removeEventListener('abort', cancelJob)
    session.close()
  }
}

/** Runs work that the window shows as a job and can stop. */
export async function announceJob<T>(
  { session }: VaultInUse,
  on: 'import' | 'export',
  watch: JobWatch,
  work: (watch: JobWatch) => Promise<T>,
): Promise<T> {
  if (!session) return work(watch)
  const stopped = new AbortController()
  session.onStop = () => stopped.abort()
  session.announceWork(on, 0, 1)
  return work({
    signal: watch.signal ? AbortSignal.any([watch.signal, stopped.signal]) : stopped.signal,
    onProgress(done, total) {
      watch.onProgress?.(done, total)
      session.announceWork(on, done, total)
    },
  })
}
