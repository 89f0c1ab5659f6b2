import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { AsyncEntry } from 'keytar'
import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/index.ts'
import { readBusState } from './session-bus.ts'

export type KeychainEntry = { readonly service: string; readonly account: string }

/**
 * Why the keychain returned no secret. `empty` means that the keychain responded and has no such secret. The other
 * values are failures, which say nothing about the keychain's content.
 */
export type KeychainFailure = 'empty' | 'absent' | 'locked' | 'denied' | 'silent' | 'failed'

export type KeychainRead =
  | { readonly state: 'found'; readonly secret: Buffer }
  | { readonly state: KeychainFailure }

/** Long enough for a person to enter a password in the keychain's own dialog. */
const KEYCHAIN_TIMEOUT_MS = 60_000

/** Returns the entry that holds the master secret of a vault. */
export function toKeychainEntry(vault_id: string): KeychainEntry {
  return { service: 'Coffer', account: vault_id }
}

/** Returns the companion of an entry. It stores how many commits the vault had. */
export function toTotalsEntry({ service, account }: KeychainEntry): KeychainEntry {
  return { service, account: `${account} commits` }
}

/** Returns a new entry. Two vaults with the same id, one restored from the other, must not share an entry. */
export function newKeychainEntry(): KeychainEntry {
  return toKeychainEntry(randomUUID())
}

/**
 * Reads a secret. SECURITY: a missing or unreadable secret does not mean that the vault is new. Only the caller knows
 * whether the vault exists.
 */
export async function readKeychain(entry: KeychainEntry): Promise<KeychainRead> {
  const read = await tryWithEntry(entry, (keychain) => keychain.getSecret())
  if ('failure' in read) return { state: read.failure }
  if (!read.value || read.value.length === 0) return { state: 'empty' }
  const secret = Buffer.from(read.value)
  read.value.fill(0)
  return { state: 'found', secret }
}

/**
 * Writes a secret, reads it back and compares. Throws `unavailable` unless the keychain holds exactly that secret
 * (X-32).
 */
export async function storeInKeychain(entry: KeychainEntry, secret: Buffer): Promise<void> {
  const written = await tryWithEntry(entry, (keychain) => keychain.setSecret(secret))
  if ('failure' in written) throw createUnavailableError(written)
  const back = await readKeychain(entry)
  if (back.state === 'found') {
    const same = back.secret.length === secret.length && timingSafeEqual(back.secret, secret)
    back.secret.fill(0)
    if (same) return
  } else if (back.state !== 'empty') throw createUnavailableError({ failure: back.state })
  throw new CofferError(
    'unavailable',
    'The system keychain did not store the secret correctly. Protect the vault with a passphrase instead.',
  )
}

/**
 * Deletes a secret and its companion entry. Returns true if the secret does not exist afterwards, even if it never
 * existed.
 */
export async function removeFromKeychain(entry: KeychainEntry): Promise<boolean> {
  const removed = await tryWithEntry(entry, (keychain) => keychain.deleteCredential())
  await tryWithEntry(toTotalsEntry(entry), (keychain) => keychain.deleteCredential())
  for (const { account } of [entry, toTotalsEntry(entry)]) entriesByAccount.delete(account)
  return 'value' in removed
}

/** Finds out why the keychain cannot store a secret, by testing it with a random one. Undefined if it can. */
export async function findKeychainProblem(): Promise<CofferError | undefined> {
  const entry = toKeychainEntry(`probe-${randomUUID()}`)
  try {
    await storeInKeychain(entry, randomBytes(32))
    await removeFromKeychain(entry)
    return undefined
  } catch (error) {
    return toCofferError(error)
  }
}

/** Describes a failure for the owner. */
export function describeKeychainFailure(failure: KeychainFailure): string {
  switch (failure) {
    case 'empty':
      return 'The system keychain holds no key for this vault.'
    case 'absent':
      return process.platform === 'linux'
        ? 'No keychain is available on this system (a Secret Service such as GNOME Keyring or KWallet).'
        : 'No keychain is available on this system.'
    case 'locked':
      return 'The system keychain is locked. Unlock it and try again.'
    case 'denied':
      return 'The system keychain denied Coffer access. Allow it and try again.'
    case 'silent':
      return 'The system keychain does not respond. Try again later.'
    case 'failed':
      return 'The system keychain failed.'
  }
}

type FailedAttempt = { readonly failure: KeychainFailure; readonly cause?: unknown }

/**
 * The keychain library's entries, by account. They are cached, because creating one blocks this thread for about 7 ms.
 */
const entriesByAccount = new Map<string, AsyncEntry>()

async function tryWithEntry<T>(
  entry: KeychainEntry,
  action: (keychain: AsyncEntry) => Promise<T>,
): Promise<{ readonly value: T } | FailedAttempt> {
  const bus = await readBusState()
  if (bus !== 'answers') return { failure: bus }
  const known = entriesByAccount.get(entry.account)
  const first = await withTimeout(() => action(known ?? createEntry(entry)))
  if (!('failure' in first)) return first
  entriesByAccount.delete(entry.account)
  // A cached entry outlives the keychain it was created for, and does not work after the keychain restarts.
  const isStale = known && (first.failure === 'absent' || first.failure === 'failed')
  return isStale ? withTimeout(() => action(createEntry(entry))) : first
}

function createEntry({ service, account }: KeychainEntry): AsyncEntry {
  // SECURITY: without this option, a missing Secret Service falls back to the kernel keyring, which loses its
  // content.
  const keychain = new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
  entriesByAccount.set(account, keychain)
  return keychain
}

async function withTimeout<T>(action: () => Promise<T>): Promise<{ readonly value: T } | FailedAttempt> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<FailedAttempt>((resolve) => {
    timer = setTimeout(() => resolve({ failure: 'silent' }), KEYCHAIN_TIMEOUT_MS)
  })
  try {
    return await Promise.race([action().then((value) => ({ value })), timeout])
  } catch (error) {
    return { failure: classifyError(error), cause: error }
  } finally {
    clearTimeout(timer)
  }
}

function createUnavailableError({ failure, cause }: FailedAttempt): CofferError {
  return new CofferError('unavailable', describeKeychainFailure(failure), { cause })
}

/**
 * Classifies by message, because the library has one error code for everything. Messages come from libdbus, macOS and
 * Windows.
 */
function classifyError(error: unknown): KeychainFailure {
  const text = String((error as { message?: unknown } | null)?.message)
  if (/did not receive a reply|timed? ?out/i.test(text)) return 'silent'
  if (/prompt was dismissed|locked|interaction is not allowed/i.test(text)) return 'locked'
  if (/denied|cancell?ed|not permitted|user name or passphrase/i.test(text)) return 'denied'
  if (/dbus|not provided|no result found|not available/i.test(text)) return 'absent'
  return 'failed'
}
