import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { ControlSession } from '../../host/control/control-session.ts'
import { sealChange } from '../../host/control/sealed-change.ts'
import { computeCredentialDigest, readHeader } from '../../host/files/header.ts'
import { getVaultFiles, type VaultFiles } from '../../host/files/vault-files.ts'
import { describeOpenVault, findLockHolder } from '../../host/files/vault-lock.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { changeKeys, type KeyChange } from '../../host/maintenance/key-change.ts'
import { openVault } from '../../host/vault/open-vault.ts'
import { requireExisting, unlockExisting, unlockLocation } from './open-vault.ts'
import { findSession, runRemoteJob } from './shared-vault.ts'
import { printHint, type VaultLocation } from './vault-options.ts'

/** A vault whose keys a command changes, opened by the command or by another process of the same user. */
export type VaultKeys = AsyncDisposable & {
  readonly name: string
  readonly files: VaultFiles
  /** The credential that the owner has just entered. */
  readonly credential: Credential
  changeKeys(change: KeyChange, watch: JobWatch): Promise<unknown>
}

/**
 * Opens the vault at a location, or connects to the process in which it is open, to change its keys: `await using keys
 * = await openVaultKeys(location)`. Throws whatever `unlockExisting`, `findSession` and `fetchChangeOffer` throw.
 */
export async function openVaultKeys(location: VaultLocation): Promise<VaultKeys> {
  const name = location.vault
  const files = requireExisting(location)
  // Read before the prompt, so that a change that happens meanwhile is noticed.
  const header = readHeader(files.header)
  const from = computeCredentialDigest(header)
  const session = await findSession(location)
  if (!session) {
    const { vault, credential } = await unlockExisting(location)
    // Opening the vault has completed or undone an interrupted change.
    const opened = header.next ? computeCredentialDigest(readHeader(files.header)) : from
    return {
      name,
      files,
      credential,
      changeKeys: (change, watch) => changeKeys(vault, { from: opened, change }, watch),
      [Symbol.asyncDispose]: async () => vault.lock(),
    }
  }
  try {
    const key = await unlockLocation(location)
    const { master } = key
    const offer = await session.fetchChangeOffer(master)
    const exchange = { master, nonce: session.greeting.nonce, vault_id: header.vault_id }
    const held = { location, session, master, from }
    return {
      name,
      files,
      credential: key.credential,
      changeKeys: async (change, watch) =>
        changeRemotely(held, await sealChange(exchange, offer, { from, change }), watch),
      async [Symbol.asyncDispose]() {
        master.fill(0)
        session.close()
      },
    }
  } catch (error) {
    session.close()
    throw error
  }
}

/** A vault that another process has open, with what opened it before the change. */
type HeldVault = {
  readonly location: VaultLocation
  readonly session: ControlSession
  readonly master: Buffer
  readonly from: string
}

async function changeRemotely(held: HeldVault, input: object, watch: JobWatch): Promise<void> {
  const { session } = held
  try {
    await runRemoteJob(session, { name: 'control.change', job: 'rotate master', input }, watch)
  } catch (error) {
    if (error !== session.ended) throw error
    await settleChange(held, error)
  }
}

/**
 * Completes or undoes a change after the other process ended before it replied. Throws `unavailable` if it was undone,
 * or if it cannot be settled now.
 */
async function settleChange(
  { location: { dataDir, vault: name }, session, master, from }: HeldVault,
  cause: unknown,
): Promise<void> {
  const files = getVaultFiles(dataDir, name)
  const ended = `${session.greeting.command} (process ${session.greeting.pid}) ended during the change`
  try {
    await waitUntilClosed(files)
    // Opening the vault settles the change.
    if (readHeader(files.header).next) (await openVault({ dataDir, name, with: { master } })).lock()
  } catch {
    throw new CofferError(
      'unavailable',
      `${ended}. The next command that opens the vault completes or undoes it. Use the new credential, and if it is refused, the old one.`,
      { cause },
    )
  }
  if (computeCredentialDigest(readHeader(files.header)) === from) {
    throw new CofferError(
      'unavailable',
      `${ended}. Nothing was changed: the vault opens as before. Run the command again.`,
      { cause },
    )
  }
  printHint(`${ended}, but the change is complete.`)
}

async function waitUntilClosed({ folder }: VaultFiles): Promise<void> {
  const end = Date.now() + CLOSING_MS
  for (let holder = findLockHolder(folder); holder; holder = findLockHolder(folder)) {
    if (Date.now() > end) throw new CofferError('conflict', describeOpenVault(path.basename(folder), holder))
    await delay(POLL_INTERVAL_MS)
  }
}

/** How long a process that has closed its socket may take to end. */
const CLOSING_MS = 5000
const POLL_INTERVAL_MS = 50
