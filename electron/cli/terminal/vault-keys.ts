import { CofferError } from '../../../shared/errors.ts'
import type { ControlSession } from '../../host/control/control-session.ts'
import { sealChange } from '../../host/control/sealed-change.ts'
import { readHeader } from '../../host/files/header.ts'
import { getVaultFiles, type VaultFiles } from '../../host/files/vault-files.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { changeKeys, type KeyChange } from '../../host/maintenance/key-change.ts'
import { unlockExisting, unlockLocation } from './open-vault.ts'
import { findSession, runRemoteJob } from './shared-vault.ts'
import type { VaultLocation } from './vault-options.ts'

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
  const files = getVaultFiles(location.dataDir, name)
  const session = await findSession(location)
  if (!session) {
    const { vault, credential } = await unlockExisting(location)
    return {
      name,
      files,
      credential,
      changeKeys: (change, watch) => changeKeys(vault, change, watch),
      [Symbol.asyncDispose]: async () => vault.lock(),
    }
  }
  try {
    const key = await unlockLocation(location)
    const { master } = key
    const offer = await session.fetchChangeOffer(master)
    const { vault_id } = readHeader(files.header)
    const exchange = { master, nonce: session.greeting.nonce, vault_id }
    return {
      name,
      files,
      credential: key.credential,
      changeKeys: async (change, watch) =>
        changeRemotely(session, await sealChange(exchange, offer, change), watch),
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

async function changeRemotely(session: ControlSession, input: object, watch: JobWatch): Promise<unknown> {
  try {
    return await runRemoteJob(session, { name: 'control.change', job: 'rotate master', input }, watch)
  } catch (error) {
    throw error === session.ended ? createUndecidedError(session, error) : error
  }
}

/** The other process ended before it replied. The next opening of the vault completes or undoes the change. */
function createUndecidedError({ greeting: { command, pid } }: ControlSession, cause: unknown): CofferError {
  return new CofferError(
    'unavailable',
    `${command} (process ${pid}) ended during the change, so the change is either complete or undone. Open the vault with the new credential. If that does not open it, the old one does, and nothing has changed.`,
    { cause },
  )
}
