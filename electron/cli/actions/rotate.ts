import { rotateDataKey } from '../../host/maintenance/rotate-data-key.ts'
import { getCurrentProtection } from '../terminal/new-protection.ts'
import { openExisting } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { findSession, runRemoteJob } from '../terminal/shared-vault.ts'
import { openVaultKeys } from '../terminal/vault-keys.ts'
import { printLine, toVaultLocation, type VaultLocation } from '../terminal/vault-options.ts'
import { showNewRecoveryKey } from './recovery-key.ts'

export async function rotateData(options: RotateCommandOptions): Promise<void> {
  const location = toVaultLocation(options)
  const session = await findSession(location)
  if (session) {
    const order = { name: 'host.rotateDataKey', job: 'rotate data key' } as const
    await withProgress('Re-encrypting', (watch) => runRemoteJob(session, order, watch))
  } else {
    await using vault = await openExisting(location)
    await withProgress('Re-encrypting', (watch) => rotateDataKey(vault, watch))
  }
  if (options.json) return printLine(JSON.stringify({ rotated: 'data' }))
  printLine('Every value is now encrypted with a new data key. The old key was deleted.')
}

export async function rotateMasterSecret(
  options: RotateCommandOptions & { renewFingerprints?: true },
): Promise<void> {
  await using keys = await openVaultKeys(toVaultLocation(options))
  const protection = await getCurrentProtection(keys)
  const recovery_key = await showNewRecoveryKey({ rotated: 'master' }, options.json)
  await withProgress('Changing the master secret', (watch) =>
    keys.changeKeys(
      { change: 'master', protection, recovery_key, fingerprints: options.renewFingerprints },
      watch,
    ),
  )
  if (!options.json) printLine('The vault has a new master secret, and the new recovery key is in effect.')
}

export async function rotateSigningKeyStep(options: RotateCommandOptions & { finish?: true }): Promise<void> {
  await rotateSigningKey(toVaultLocation(options), options.finish === true)
  if (options.json)
    return printLine(
      JSON.stringify({ rotated: 'signing-key', state: options.finish ? 'signs' : 'published' }),
    )
  printLine(
    options.finish
      ? 'Events are signed with the new key. The old key was deleted.'
      : 'A new key is published next to the signing key. To sign with it, run: coffer rotate signing-key --finish',
  )
}

export type RotateCommandOptions = { dataDir?: string; vault: string; json?: true }

async function rotateSigningKey(location: VaultLocation, finish: boolean): Promise<void> {
  const session = await findSession(location)
  if (session) {
    try {
      await session.call(finish ? 'host.finishSigningKeyRotation' : 'host.beginSigningKeyRotation', {})
    } finally {
      session.close()
    }
    return
  }
  await using vault = await openExisting(location)
  const { outbox } = vault.engine
  if (finish) outbox.finishKeyRotation()
  else await outbox.startKeyRotation()
}
