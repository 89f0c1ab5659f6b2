import { readPassphraseSlot } from '../../host/files/passphrase-slot.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { beginPassphraseKey, forgetBegunKey } from '../../host/keys/passphrase.ts'
import { isRecoveryKey } from '../../host/keys/recovery-key.ts'
import type { Place } from './common.ts'
import { passphraseGiven } from './secrets.ts'

/**
 * Runs `serve`, and meanwhile derives the key of a place's vault where a passphrase protects it and the environment
 * gives one: its thread works while the engine is still being loaded. Whatever is wrong is left to the opening of the
 * vault, which says so.
 */
export async function withKeyBegun(place: Place, serve: () => Promise<void>): Promise<void> {
  begin(place)
  try {
    await serve()
  } finally {
    forgetBegunKey()
  }
}

function begin({ dataDir, vault }: Place): void {
  const slot = readPassphraseSlot(vaultFiles(dataDir, vault).header)
  if (!slot) return
  try {
    const given = passphraseGiven()
    if (given === undefined || isRecoveryKey(given)) return
    beginPassphraseKey(given, slot.salt, slot.argon2id)
  } catch {
    // The file that holds the passphrase cannot be read.
  }
}
