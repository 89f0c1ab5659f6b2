import { randomBytes } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import { type Argon2id, type Header, readHeader, writeHeader } from '../files/header.ts'
import { newKeychainEntry, removeFromKeychain, storeInKeychain } from './keychain.ts'
import { isMaster, wrapMaster } from './master.ts'
import { argon2idDefault, assertNewPassphrase, derivePassphraseKey } from './passphrase.ts'

/** How a vault's master secret is stored while the vault is closed. */
export type Protection = { readonly keychain: true } | NewPassphrase

type NewPassphrase = { readonly passphrase: string; readonly argon2id?: Argon2id }

/** A key that was derived from a passphrase with `derivePassphraseSlotKey`. */
type PassphraseKey = { readonly key: Buffer; readonly salt: string; readonly argon2id: Argon2id }

/** A protection, or one whose passphrase only another process knows. */
export type ProtectionOrKey = Protection | PassphraseKey

/**
 * Protects the master secret of the vault with this header in another way, or with another passphrase. After a crash at
 * any step, the old protection or the new one opens the vault, and `finishProtection` cleans up. `assertOpen` throws if
 * the vault was locked in the meantime. Throws `conflict`, `invalid`, `unavailable`; if it throws, the old protection
 * still applies.
 */
export async function protectMaster(
  file: string,
  master: Buffer,
  protection: ProtectionOrKey,
  assertOpen: () => void = () => {},
): Promise<void> {
  const header = readHeader(file)
  // SECURITY: a slot for one secret next to the check value of another would not open the vault.
  if (header.next || !isMaster(master, header.vault_id, header.check)) {
    throw new CofferError(
      'conflict',
      'The master secret of this vault is being changed. Try again when that is done.',
    )
  }
  // SECURITY: a copy, because locking wipes the vault's own secret, and storing a wiped secret would make the vault
  // impossible to open.
  const masterCopy = Buffer.from(master)
  try {
    if (!('keychain' in protection)) {
      const newHeader = await withPassphrase(header, masterCopy, protection)
      assertOpen()
      writeHeader(file, newHeader)
      return await finishProtection(file)
    }
    const keychain = header.keychain ?? newKeychainEntry()
    // Record the entry before writing it, so that a crash leaves no unrecorded one.
    writeHeader(file, { ...header, keychain })
    await storeInKeychain(keychain, masterCopy)
    assertOpen()
    const { passphrase: _, ...rest } = header
    writeHeader(file, { ...rest, keychain, protection: 'keychain' })
  } finally {
    masterCopy.fill(0)
  }
}

/** Returns the protection that a vault already has: the keychain, or the passphrase that `passphrase` returns. */
export async function getSameProtection(
  { protection }: Pick<Header, 'protection'>,
  passphrase: () => string | Promise<string>,
): Promise<Protection> {
  return protection === 'keychain' ? { keychain: true } : { passphrase: await passphrase() }
}

/**
 * Removes the keychain entry that a change of protection left behind. If the keychain fails, the entry is removed when
 * the vault is next opened.
 */
export async function finishProtection(file: string): Promise<void> {
  const header = readHeader(file)
  if (header.protection === 'keychain' || !header.keychain) return
  if (!(await removeFromKeychain(header.keychain))) return
  const { keychain: _, ...rest } = header
  writeHeader(file, rest)
}

/** Derives the key of a new passphrase slot, with a new salt. Throws `invalid` as `assertNewPassphrase` does. */
export async function derivePassphraseSlotKey({
  passphrase,
  argon2id = argon2idDefault,
}: NewPassphrase): Promise<PassphraseKey> {
  assertNewPassphrase(passphrase)
  const salt = randomBytes(16)
  const key = await derivePassphraseKey(passphrase, salt, argon2id)
  return { key, salt: salt.toString('base64'), argon2id }
}

/** Returns the header, or a part of one, with a slot for this passphrase. Wipes the key. */
export async function withPassphrase<T extends { vault_id: string }>(
  header: T,
  master: Buffer,
  protection: NewPassphrase | PassphraseKey,
) {
  const { key, salt, argon2id } = 'key' in protection ? protection : await derivePassphraseSlotKey(protection)
  const wrapped = wrapMaster(master, key, header.vault_id, 'passphrase')
  key.fill(0)
  return { ...header, protection: 'passphrase' as const, passphrase: { argon2id, salt, wrapped } }
}
