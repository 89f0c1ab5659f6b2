import { readPassphraseSlot } from '../../host/files/passphrase-slot.ts'
import { getVaultFiles } from '../../host/files/vault-files.ts'
import { discardPendingKey, startPassphraseKey } from '../../host/keys/passphrase.ts'
import { isRecoveryKey } from '../../host/keys/recovery-key.ts'
import { readPassphrase } from './secrets.ts'
import type { VaultLocation } from './vault-options.ts'

/**
 * Runs `serve`. If the environment has the passphrase of the vault, a thread derives the key from it while the engine
 * is loading. Errors of the derivation are ignored here, because opening the vault reports them.
 */
export async function withKeyDerivation(location: VaultLocation, serve: () => Promise<void>): Promise<void> {
  startDerivation(location)
  try {
    await serve()
  } finally {
    discardPendingKey()
  }
}

function startDerivation({ dataDir, vault }: VaultLocation): void {
  const slot = readPassphraseSlot(getVaultFiles(dataDir, vault).header)
  if (!slot) return
  try {
    const passphrase = readPassphrase()
    if (passphrase === undefined || isRecoveryKey(passphrase)) return
    startPassphraseKey(passphrase, slot.salt, slot.argon2id)
  } catch {
    // The file that contains the passphrase cannot be read. Opening the vault reports that.
  }
}
