import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host.ts'
import { type ControlSession, openSessions } from '../../host/control/control-session.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { describeOpenVault, findLockHolder } from '../../host/files/vault-lock.ts'
import { createCancelledError, type JobWatch } from '../../host/jobs/background.ts'
import type { OwnersEngine } from '../../host/transfer/owner-client.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { formatCommand } from '../hint.ts'
import type { InMemory } from './in-memory.ts'
import { openExisting, unlockLocation } from './open-vault.ts'
import { printHint, type VaultLocation } from './vault-options.ts'
import { version } from './version.ts'

/** A vault to work with: opened by this command, or open in another process of the same user. */
export type VaultInUse = AsyncDisposable & {
  readonly engine: OwnersEngine
  /** What opens it, if this command has opened it. */
  readonly own: OpenVault | null
  /** The process that has it open, if that is another. */
  readonly session: ControlSession | null
}

type JoinOptions = InMemory & {
  /** Plaintext is read in bulk: where the vault is open elsewhere, the owner authenticates again. */
  readonly clear?: boolean
}

/**
 * Opens a place's vault, or uses it where another process of this user has it open: `await using vault = await
 * openOrJoin(place)`. Throws what `openExisting` throws; `conflict` where the process that has it open cannot be reached,
 * with why; `not_found` where no vault in memory is running.
 */
export async function openOrJoin(
  place: VaultLocation,
  { clear = false, ...which }: JoinOptions = {},
): Promise<VaultInUse> {
  const session = which.ephemeral ? await requireInMemory(place, which.port) : await findSession(place)
  if (!session) {
    const own = await openExisting(place)
    return { engine: own.engine, own, session: null, [Symbol.asyncDispose]: async () => own.lock() }
  }
  try {
    if (clear && !which.ephemeral) {
      using key = await unlockLocation(place)
      await session.proveAccess(key.master)
    }
  } catch (error) {
    session.close()
    throw error
  }
  return { engine: session, own: null, session, [Symbol.asyncDispose]: async () => session.close() }
}

/** The process that has a place's vault open; null where nobody has. Throws `conflict` where it cannot be reached. */
export async function findSession(place: VaultLocation): Promise<ControlSession | null> {
  const { dataDir, vault } = place
  const { folder } = vaultFiles(dataDir, vault)
  const holder = findLockHolder(folder)
  if (!holder) return null
  for (;;) {
    const { sessions, problems } = await openSessions(dataDir)
    const match = sessions.find(({ greeting }) => greeting.vault?.name === vault && !greeting.vault.in_memory)
    for (const each of sessions) if (each !== match) each.close()
    if (match) return match.startSession(version)
    // It may have ended meanwhile.
    if (!findLockHolder(folder)) return null
    const isStarting = isServing.test(holder.command) && Date.now() - Date.parse(holder.since) < STARTING_MS
    if (!isStarting || problems.length > 0)
      throw new CofferError('conflict', [describeOpenVault(vault, holder), ...problems].join(' '))
    await delay(LOOK_MS)
  }
}

/** The processes that open a socket; not other commands, which have the vault to themselves. */
const isServing = /^coffer serve$|^(?!coffer( |$))/
/** A process holds the vault a moment before its socket is there. */
const STARTING_MS = 5000
const LOOK_MS = 50

/**
 * The vaults in memory of this user with this data folder. Says on stderr why others cannot be reached. Close what you do
 * not use.
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

/** The one vault in memory that is meant. Throws `not_found`, and `conflict` where several could be. */
export async function requireInMemory(
  { dataDir }: VaultLocation,
  port: number | undefined,
): Promise<ControlSession> {
  const session = await findInMemory({ dataDir }, port)
  if (session) return session
  const which = port === undefined ? '' : ` on port ${port}`
  throw new CofferError(
    'not_found',
    `No vault in memory is running${which} with the data folder ${dataDir}. Start one with: ${formatCommand('serve', '--ephemeral')}`,
  )
}

/** The same; null where there is none. */
export async function findInMemory(
  { dataDir }: Pick<VaultLocation, 'dataDir'>,
  port: number | undefined,
): Promise<ControlSession | null> {
  const sessions = await listInMemorySessions(dataDir)
  const meant = sessions.filter(({ greeting }) => port === undefined || getPort(greeting.url) === port)
  for (const each of sessions) if (meant.length !== 1 || each !== meant[0]) each.close()
  if (meant.length > 1) {
    const urls = meant.map(({ greeting }) => greeting.url ?? `process ${greeting.pid}`).sort()
    throw new CofferError(
      'conflict',
      `Several vaults in memory are running: ${urls.join(', ')}. Choose one with --port.`,
    )
  }
  return meant[0]?.startSession(version) ?? null
}

function getPort(url: string | null): number | null {
  return url === null ? null : Number(new URL(url).port)
}

/**
 * Runs a job of the process that has the vault open, and closes the session. Rejects as the job does; `cancelled` where the
 * signal has aborted already.
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

/** Adds to a watch that the window shows this work as a job, and may stop it. */
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
