import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host.ts'
import { type ControlSession, sessionsIn } from '../../host/control/control-session.ts'
import { claimantOf, openIn } from '../../host/files/claim.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import type { OwnersEngine } from '../../host/transfer/owners-engine.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { cancelled, type Watch } from '../../host/work/background.ts'
import { hint } from '../hint.ts'
import { note, type Place } from './common.ts'
import type { InMemory } from './in-memory.ts'
import { keyOfPlace, openExisting } from './open-vault.ts'
import { version } from './version.ts'

/** A vault to work with: opened by this command, or open in another process of the same user. */
export type VaultInUse = AsyncDisposable & {
  readonly engine: OwnersEngine
  /** What opens it, if this command has opened it. */
  readonly own: OpenVault | null
  /** The process that has it open, if that is another. */
  readonly session: ControlSession | null
}

type Use = InMemory & {
  /** Plaintext is read in bulk: where the vault is open elsewhere, the owner authenticates again. */
  readonly clear?: boolean
}

/**
 * Opens a place's vault, or uses it where another process of this user has it open: `await using vault = await
 * openOrJoin(place)`. Throws what `openExisting` throws; `conflict` where the process that has it open cannot be reached,
 * with why; `not_found` where no vault in memory is running.
 */
export async function openOrJoin(place: Place, { clear = false, ...which }: Use = {}): Promise<VaultInUse> {
  const session = which.ephemeral ? await inMemoryOf(place, which.port) : await sessionOf(place)
  if (!session) {
    const own = await openExisting(place)
    return { engine: own.engine, own, session: null, [Symbol.asyncDispose]: async () => own.lock() }
  }
  try {
    if (clear && !which.ephemeral) {
      using key = await keyOfPlace(place)
      await session.prove(key.master)
    }
  } catch (error) {
    session.close()
    throw error
  }
  return { engine: session, own: null, session, [Symbol.asyncDispose]: async () => session.close() }
}

/** The process that has a place's vault open; null where nobody has. Throws `conflict` where it cannot be reached. */
export async function sessionOf(place: Place): Promise<ControlSession | null> {
  const { dataDir, vault } = place
  const { folder } = vaultFiles(dataDir, vault)
  const holder = claimantOf(folder)
  if (!holder) return null
  for (;;) {
    const { sessions, problems } = await sessionsIn(dataDir)
    const found = sessions.find(({ greeting }) => greeting.vault?.name === vault && !greeting.vault.in_memory)
    for (const each of sessions) if (each !== found) each.close()
    if (found) return found.begin(version)
    // It may have ended meanwhile.
    if (!claimantOf(folder)) return null
    const isStarting = isServing.test(holder.command) && Date.now() - Date.parse(holder.since) < STARTING_MS
    if (!isStarting || problems.length > 0)
      throw new CofferError('conflict', [openIn(vault, holder), ...problems].join(' '))
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
export async function inMemory(dataDir: string): Promise<ControlSession[]> {
  const { sessions, problems } = await sessionsIn(dataDir)
  const [found, others] = [true, false].map((is) =>
    sessions.filter(({ greeting }) => (greeting.vault?.in_memory ?? false) === is),
  )
  for (const each of others ?? []) each.close()
  for (const problem of problems) note(problem)
  return found ?? []
}

/** The one vault in memory that is meant. Throws `not_found`, and `conflict` where several could be. */
export async function inMemoryOf({ dataDir }: Place, port: number | undefined): Promise<ControlSession> {
  const session = await findInMemory({ dataDir }, port)
  if (session) return session
  const which = port === undefined ? '' : ` on port ${port}`
  throw new CofferError(
    'not_found',
    `No vault in memory is running${which} with the data folder ${dataDir}. Start one with: ${hint('serve', '--ephemeral')}`,
  )
}

/** The same; null where there is none. */
export async function findInMemory(
  { dataDir }: Pick<Place, 'dataDir'>,
  port: number | undefined,
): Promise<ControlSession | null> {
  const found = await inMemory(dataDir)
  const meant = found.filter(({ greeting }) => port === undefined || portOf(greeting.url) === port)
  for (const each of found) if (meant.length !== 1 || each !== meant[0]) each.close()
  if (meant.length > 1) {
    const urls = meant.map(({ greeting }) => greeting.url ?? `process ${greeting.pid}`).sort()
    throw new CofferError(
      'conflict',
      `Several vaults in memory are running: ${urls.join(', ')}. Choose one with --port.`,
    )
  }
  return meant[0]?.begin(version) ?? null
}

function portOf(url: string | null): number | null {
  return url === null ? null : Number(new URL(url).port)
}

/**
 * Runs a job of the process that has the vault open, and closes the session. Rejects as the job does; `cancelled` where the
 * signal has aborted already.
 */
export async function jobThere(
  session: ControlSession,
  { name, job, input = {} }: { readonly name: string; readonly job: JobName; readonly input?: object },
  { signal, onProgress }: Watch,
): Promise<unknown> {
  if (signal?.aborted) {
    session.close()
    throw cancelled()
  }
  const cancel = () => void session.call('host.cancel', { job }).catch(() => {})
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await session.call(name, input, onProgress)
  } finally {
    signal?.removeEventListener('abort', cancel)
    session.close()
  }
}

/** Adds to a watch that the window shows this work as a job, and may stop it. */
export async function shown<T>(
  { session }: VaultInUse,
  on: 'import' | 'export',
  watch: Watch,
  work: (watch: Watch) => Promise<T>,
): Promise<T> {
  if (!session) return work(watch)
  const stopped = new AbortController()
  session.onStop = () => stopped.abort()
  session.announce(on, 0, 1)
  return work({
    signal: watch.signal ? AbortSignal.any([watch.signal, stopped.signal]) : stopped.signal,
    onProgress(done, total) {
      watch.onProgress?.(done, total)
      session.announce(on, done, total)
    },
  })
}
