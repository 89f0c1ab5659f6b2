import { createHash, createSecretKey, randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import type { Issuer } from '../../as-hosted/authority.ts'
import { seal, toStorageError, unseal } from '../../engine/index.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { prepareDataDirectory } from '../files/data-dir.ts'
import { tryPassphrase } from '../keys/attempts.ts'
import {
  describeKeychainFailure,
  newKeychainEntry,
  readKeychain,
  removeFromKeychain,
  storeInKeychain,
} from '../keys/keychain.ts'
import { argon2idDefault, derivePassphraseKey } from '../keys/passphrase.ts'
import type { Protection } from '../keys/protection.ts'
import { assertStrongPassphrase } from '../keys/weak-passphrase.ts'
import {
  type AuthorityRecord,
  getAuthorityFiles,
  hasAuthority,
  readAuthority,
  writeAuthority,
} from './authority-record.ts'
import {
  getAddCommand,
  getRemoveCommand,
  getSha1,
  isTrusted,
  runTool,
  type ToolCommand,
  type Trusted,
  type TrustStore,
} from './trust-stores.ts'

/** What there is of a lasting authority. `incomplete`: its key is gone, because a command was interrupted or failed. */
export type AuthorityReport = {
  readonly state: 'present' | 'expired' | 'incomplete'
  readonly names: readonly string[]
  readonly fingerprint: string | null
  readonly expires_at: string | null
  readonly key: 'keychain' | 'passphrase' | null
  readonly folder: string
  readonly stores: readonly (TrustStore & { readonly trusted: Trusted })[]
}

/** Nothing can renew the certificates, because the key of the root is dropped. */
export const LASTING_DAYS = 90

const REMOVE = 'Remove it with: coffer trust --remove'

/**
 * Creates the lasting authority of a data folder for exactly these names (rule H-02), and records the stores that it may
 * be added to. After a crash at any step, `removeAuthority` cleans up. Throws `conflict` if there is one, `invalid` for
 * a weak passphrase, `forbidden`, `unavailable`.
 */
export async function createAuthority(
  dataDir: string,
  names: readonly string[],
  stores: readonly TrustStore[],
  protection: Protection,
): Promise<AuthorityRecord> {
  await assertStrongPassphrase(protection, 'authority')
  prepareDataDirectory(dataDir)
  const files = getAuthorityFiles(dataDir)
  makeOwnFolder(files.folder)
  try {
    const { createLastingIssuer } = await import('../../as-hosted/authority.ts')
    const { key, ...certificates } = await createLastingIssuer(names, LASTING_DAYS)
    const { sealingKey, ...slot } = await createSealingKey(protection)
    try {
      const bound = { id: randomUUID(), ...certificates, names: [...names] }
      const sealed = seal(createSecretKey(sealingKey), key, createAad(bound)).toString('base64')
      const record: AuthorityRecord = { format: 1, ...bound, stores: [...stores], ...slot, sealed }
      // Record the entry of the keychain before writing it, so that a crash leaves no unrecorded one.
      writeAuthority(dataDir, record)
      writeAtomically(files.certificate, certificates.root)
      if (slot.keychain) await storeInKeychain(slot.keychain, sealingKey)
      return record
    } finally {
      key.fill(0)
      sealingKey.fill(0)
    }
  } catch (error) {
    await removeAuthority(dataDir)
    throw error
  }
}

/** The folder also keeps two commands from creating an authority at once. */
function makeOwnFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!fs.existsSync(folder)) throw toStorageError(error, folder)
    throw new CofferError('conflict', `There is already a lasting authority in ${folder}. ${REMOVE}`)
  }
}

async function createSealingKey(protection: Protection) {
  if ('keychain' in protection) return { sealingKey: randomBytes(32), keychain: newKeychainEntry() }
  const salt = randomBytes(16)
  const argon2id = protection.argon2id ?? argon2idDefault
  const sealingKey = await derivePassphraseKey(protection.passphrase, salt, argon2id)
  return { sealingKey, passphrase: { argon2id, salt: salt.toString('base64') } }
}

/** SECURITY: the key opens only with the names and certificates that it was sealed with. */
function createAad({
  id,
  names,
  root,
  issuing,
}: Pick<AuthorityRecord, 'id' | 'names' | 'root' | 'issuing'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([names, root, issuing]))
    .digest('base64')
  return `${id}|authority|${digest}`
}

/**
 * Returns what signs for the lasting authority. `readPassphrase` is called only if a passphrase protects it. Throws
 * `locked` if it cannot be used, and `unauthenticated` for a wrong passphrase.
 */
export async function unlockAuthority(
  record: AuthorityRecord,
  readPassphrase: () => Promise<string>,
): Promise<Issuer> {
  const { id, names, root, issuing, sealed } = record
  if (sealed === undefined) throw new CofferError('locked', `The lasting authority is incomplete. ${REMOVE}`)
  if (getExpiry(record) <= Date.now())
    throw new CofferError(
      'locked',
      `The lasting authority expired at ${formatIsoTime(getExpiry(record))}. ${REMOVE}`,
    )
  const unsealWith = (sealingKey: Buffer) => {
    try {
      return unseal(createSecretKey(sealingKey), Buffer.from(sealed, 'base64'), createAad(record))
    } catch {
      return undefined
    } finally {
      sealingKey.fill(0)
    }
  }
  const { passphrase: slot } = record
  const key = slot
    ? await tryPassphrase(id, async () => {
        const salt = Buffer.from(slot.salt, 'base64')
        return unsealWith(await derivePassphraseKey(await readPassphrase(), salt, slot.argon2id))
      })
    : unsealWith(await readSealingKey(record))
  if (!key) {
    throw slot
      ? new CofferError(
          'unauthenticated',
          'The passphrase of the lasting authority is wrong, or its files were changed.',
        )
      : new CofferError('locked', `The keychain does not open the lasting authority. ${REMOVE}`)
  }
  try {
    const { importIssuer } = await import('../../as-hosted/authority.ts')
    return await importIssuer({ names, root, issuing }, key)
  } finally {
    key.fill(0)
  }
}

async function readSealingKey({ keychain }: AuthorityRecord): Promise<Buffer> {
  const read = keychain ? await readKeychain(keychain) : ({ state: 'empty' } as const)
  if (read.state === 'found') return read.secret
  const reason =
    read.state === 'empty' ? 'The system keychain holds no key for it.' : describeKeychainFailure(read.state)
  throw new CofferError('locked', `The lasting authority cannot be used. ${reason}`)
}

/** Adds the certificate of the lasting authority to recorded stores. Returns those that do not hold it then. */
export async function addToStores(
  dataDir: string,
  { root }: AuthorityRecord,
  stores: readonly TrustStore[],
): Promise<TrustStore[]> {
  const { certificate } = getAuthorityFiles(dataDir)
  const failed: TrustStore[] = []
  for (const store of stores) {
    await runTool(getAddCommand(store, getSha1(root), certificate))
    if ((await isTrusted(store, root)) !== 'yes') failed.push(store)
  }
  return failed
}

/** What is left of an authority. */
export type Remains = {
  readonly stores: readonly (TrustStore & { readonly remove: ToolCommand })[]
  readonly keychain: boolean
}

/**
 * Destroys the key of the lasting authority, takes its certificate out of every store, and deletes its files. Returns
 * what could not be removed; the record of that stays, so that the command can be repeated. Does nothing if there is no
 * authority. Throws `forbidden` and `damaged` like `readAuthority`.
 */
export async function removeAuthority(dataDir: string): Promise<Remains> {
  const { folder } = getAuthorityFiles(dataDir)
  const record = readAuthority(dataDir)
  if (!record) {
    fs.rmSync(folder, { recursive: true, force: true })
    return { stores: [], keychain: false }
  }
  const { sealed: _, keychain, passphrase: _slot, ...rest } = record
  // SECURITY: the key goes first, so that nothing can be issued if a later step fails.
  writeAuthority(dataDir, { ...rest, ...(keychain && { keychain }) })
  const left = keychain !== undefined && !(await removeFromKeychain(keychain))
  const stores: TrustStore[] = []
  for (const store of rest.stores) {
    if ((await isTrusted(store, rest.root)) === 'yes')
      await runTool(getRemoveCommand(store, getSha1(rest.root)))
    if ((await isTrusted(store, rest.root)) !== 'no') stores.push(store)
  }
  if (left || stores.length > 0) writeAuthority(dataDir, { ...rest, stores, ...(left && { keychain }) })
  else fs.rmSync(folder, { recursive: true, force: true })
  return {
    stores: stores.map((store) => ({ ...store, remove: getRemoveCommand(store, getSha1(rest.root)) })),
    keychain: left,
  }
}

/** Describes the lasting authority, without its key; null if there is none. Throws like `readAuthority`. */
export async function inspectAuthority(dataDir: string): Promise<AuthorityReport | null> {
  if (!hasAuthority(dataDir)) return null
  const { folder } = getAuthorityFiles(dataDir)
  const record = readAuthority(dataDir)
  if (!record)
    return {
      state: 'incomplete',
      names: [],
      fingerprint: null,
      expires_at: null,
      key: null,
      folder,
      stores: [],
    }
  const { names, root, sealed, keychain } = record
  const expiry = getExpiry(record)
  const stores = await Promise.all(
    record.stores.map(async (store) => ({ ...store, trusted: await isTrusted(store, root) })),
  )
  return {
    state: sealed === undefined ? 'incomplete' : expiry <= Date.now() ? 'expired' : 'present',
    names,
    fingerprint: new X509Certificate(root).fingerprint256,
    expires_at: formatIsoTime(expiry),
    key: sealed === undefined ? null : keychain ? 'keychain' : 'passphrase',
    folder,
    stores,
  }
}

function getExpiry({ root }: AuthorityRecord): number {
  return new X509Certificate(root).validToDate.getTime()
}
