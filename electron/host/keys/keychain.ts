import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { AsyncEntry } from 'keytar'
import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { busState } from './session-bus.ts'

export type KeychainEntry = { readonly service: string; readonly account: string }

/**
 * Why the keychain returned nothing. `empty` is its own answer; the others are failures and say nothing about what it
 * holds.
 */
export type KeychainFailure = 'empty' | 'absent' | 'locked' | 'denied' | 'silent' | 'failed'

export type KeychainRead =
  | { readonly state: 'found'; readonly secret: Buffer }
  | { readonly state: KeychainFailure }

/** Long enough to type a password into the keychain's own dialog. */
const PATIENCE_MS = 60_000

/** The entry that holds the master secret of a vault. */
export function entryOf(vault_id: string): KeychainEntry {
  return { service: 'Coffer', account: vault_id }
}

/** The entry beside one that holds a master secret: how many commits the vault had. */
export function totalsEntry({ service, account }: KeychainEntry): KeychainEntry {
  return { service, account: `${account} commits` }
}

/** A fresh entry. Two vaults with the same id, one restored from the other, must not share one. */
export function newEntry(): KeychainEntry {
  return entryOf(randomUUID())
}

/**
 * Reads a secret. SECURITY: a failure is never a first run; only the caller knows whether the vault exists (X-32,
 *
 */
export async function readKeychain(entry: KeychainEntry): Promise<KeychainRead> {
  const read = await attempt(entry, (keychain) => keychain.getSecret())
  if ('failure' in read) return { state: read.failure }
  if (!read.value || read.value.length === 0) return { state: 'empty' }
  const secret = Buffer.from(read.value)
  read.value.fill(0)
  return { state: 'found', secret }
}

/** Writes a secret, reads it back and compares. Throws `unavailable` unless the keychain holds exactly that. */
export async function storeInKeychain(entry: KeychainEntry, secret: Buffer): Promise<void> {
  const written = await attempt(entry, (keychain) => keychain.setSecret(secret))
  if ('failure' in written) throw unavailable(written)
  const back = await readKeychain(entry)
  if (back.state === 'found') {
    const same = back.secret.length === secret.length && timingSafeEqual(back.secret, secret)
    back.secret.fill(0)
    if (same) return
  } else if (back.state !== 'empty') throw unavailable({ failure: back.state })
  throw new CofferError(
    'unavailable',
    'The system keychain did not keep what was written to it. Protect the vault with a passphrase instead.',
  )
}

/** Deletes a secret, and what is kept beside it; returns whether it is gone, also if it never existed. */
export async function removeFromKeychain(entry: KeychainEntry): Promise<boolean> {
  const removed = await attempt(entry, (keychain) => keychain.deleteCredential())
  await attempt(totalsEntry(entry), (keychain) => keychain.deleteCredential())
  for (const { account } of [entry, totalsEntry(entry)]) made.delete(account)
  return 'value' in removed
}

/** Why the keychain cannot store a secret, tested with a random one; undefined if it can. */
export async function keychainProblem(): Promise<CofferError | undefined> {
  const entry = entryOf(`probe-${randomUUID()}`)
  try {
    await storeInKeychain(entry, randomBytes(32))
    await removeFromKeychain(entry)
    return undefined
  } catch (error) {
    return toCofferError(error)
  }
}

/** The sentence that tells the owner of a failure. */
export function keychainSentence(failure: KeychainFailure): string {
  switch (failure) {
    case 'empty':
      return 'The system keychain holds no key for this vault.'
    case 'absent':
      return process.platform === 'linux'
        ? 'No keychain answers on this system (a Secret Service such as GNOME Keyring or KWallet).'
        : 'No keychain answers on this system.'
    case 'locked':
      return 'The system keychain is locked. Unlock it and try again.'
    case 'denied':
      return 'The system keychain denied Coffer access. Allow it and try again.'
    case 'silent':
      return 'The system keychain does not answer. Try again when it does.'
    case 'failed':
      return 'The system keychain failed.'
  }
}

type Failed = { readonly failure: KeychainFailure; readonly cause?: unknown }

/** The library's entries, by account: to make one blocks this thread for some 7 ms. */
const made = new Map<string, AsyncEntry>()

async function attempt<T>(
  entry: KeychainEntry,
  action: (keychain: AsyncEntry) => Promise<T>,
): Promise<{ readonly value: T } | Failed> {
  const bus = await busState()
  if (bus !== 'answers') return { failure: bus }
  const known = made.get(entry.account)
  const first = await within(() => action(known ?? make(entry)))
  if (!('failure' in first)) return first
  made.delete(entry.account)
  // An entry outlives the keychain it was made for, which does not know it after a restart.
  const isStale = known && (first.failure === 'absent' || first.failure === 'failed')
  return isStale ? within(() => action(make(entry))) : first
}

function make({ service, account }: KeychainEntry): AsyncEntry {
  // SECURITY: without this option, a missing Secret Service falls back to the kernel keyring, which forgets.
  const keychain = new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
  made.set(account, keychain)
  return keychain
}

async function within<T>(action: () => Promise<T>): Promise<{ readonly value: T } | Failed> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<Failed>((resolve) => {
    timer = setTimeout(() => resolve({ failure: 'silent' }), PATIENCE_MS)
  })
  try {
    return await Promise.race([action().then((value) => ({ value })), silence])
  } catch (error) {
    return { failure: failureOf(error), cause: error }
  } finally {
    clearTimeout(timer)
  }
}

function unavailable({ failure, cause }: Failed): CofferError {
  return new CofferError('unavailable', keychainSentence(failure), { cause })
}

/** The library uses one error code for everything; its messages come from libdbus, macOS and Windows. */
function failureOf(error: unknown): KeychainFailure {
  const words = String((error as { message?: unknown } | null)?.message)
  if (/did not receive a reply|timed? ?out/i.test(words)) return 'silent'
  if (/prompt was dismissed|locked|interaction is not allowed/i.test(words)) return 'locked'
  if (/denied|cancell?ed|not permitted|user name or passphrase/i.test(words)) return 'denied'
  if (/dbus|not provided|no result found|not available/i.test(words)) return 'absent'
  return 'failed'
}
