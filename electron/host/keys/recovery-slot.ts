import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import type { Header } from '../files/header.ts'
import { unwrapMaster, wrapMaster } from './master.ts'
import { deriveRecoveryWrappingKey, parseRecoveryKey } from './recovery-key.ts'

export type RecoverySlot = Header['recovery']
/** A new recovery key, or the public half of its key pair, which opens nothing. */
export type NewRecoveryKey = string | { readonly public_half: string }

/** The bytes before the 32 bytes of an X25519 key in its standard encodings (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b656e032100', 'hex')

/**
 * Creates the header's slot for a recovery key: the master secret, sealed to the public half of a key pair that
 * derives from the recovery key. The slot also holds the public half, sealed under the master secret, so that the
 * next master secret can be sealed to the same recovery key, which Coffer does not know. Throws `invalid` for an
 * invalid recovery key.
 */
export function newRecoverySlot(
  master: Buffer,
  vault_id: string,
  recovery_key: NewRecoveryKey,
): RecoverySlot {
  const { public_half } =
    typeof recovery_key === 'string' ? derivePublicHalf(recovery_key, vault_id) : recovery_key
  return sealToHalf(Buffer.from(public_half, 'base64'), master, vault_id)
}

/** Returns the public half of a recovery key's key pair. Throws `invalid` for an invalid recovery key. */
export function derivePublicHalf(recovery_key: string, vault_id: string): { public_half: string } {
  const secret = parseRecoveryKey(recovery_key)
  const half = createPublicKey(derivePrivateHalf(secret, vault_id))
  secret.fill(0)
  return { public_half: exportPublicBytes(half).toString('base64') }
}

/**
 * Returns a slot that lets the recovery key of `slot` open the next master secret too. Undefined for a slot of an older
 * Coffer, which holds no public half: such a vault needs a new recovery key.
 */
export function nextRecoverySlot(
  slot: RecoverySlot,
  { from, to, vault_id }: { from: Buffer; to: Buffer; vault_id: string },
): RecoverySlot | undefined {
  if (!slot.sealed_to) return undefined
  const key = deriveHalfKey(from, vault_id)
  // SECURITY: only the current master secret can have sealed this half. Someone who can write vault.json therefore
  // cannot have the next master secret sealed to a key of their own.
  const half = unwrapMaster(slot.sealed_to, key, vault_id, 'recovery half')
  key.fill(0)
  return half && sealToHalf(half, to, vault_id)
}

/**
 * Opens the slot and returns its master secret, or undefined if the slot belongs to another recovery key. Wipes
 * `secret`.
 */
export function openRecoverySlot(slot: RecoverySlot, secret: Buffer, vault_id: string): Buffer | undefined {
  try {
    const key = slot.ephemeral
      ? deriveRecipientKey(
          derivePrivateHalf(secret, vault_id),
          Buffer.from(slot.ephemeral, 'base64'),
          vault_id,
        )
      : deriveRecoveryWrappingKey(secret, vault_id)
    const master = unwrapMaster(slot.wrapped, key, vault_id, 'recovery')
    key.fill(0)
    return master
  } catch {
    // The half is not a point of the curve: the header was tampered with.
    return undefined
  } finally {
    secret.fill(0)
  }
}

function sealToHalf(half: Buffer, master: Buffer, vault_id: string): RecoverySlot {
  const ephemeral = generateKeyPairSync('x25519')
  const key = deriveAgreedKey(ephemeral.privateKey, half, {
    sender: exportPublicBytes(ephemeral.publicKey),
    half,
    vault_id,
  })
  const wrapped = wrapMaster(master, key, vault_id, 'recovery')
  key.fill(0)
  const own = deriveHalfKey(master, vault_id)
  const sealed_to = wrapMaster(half, own, vault_id, 'recovery half')
  own.fill(0)
  return { wrapped, ephemeral: exportPublicBytes(ephemeral.publicKey).toString('base64'), sealed_to }
}

function deriveRecipientKey(own: KeyObject, sender: Buffer, vault_id: string): Buffer {
  return deriveAgreedKey(own, sender, { sender, half: exportPublicBytes(createPublicKey(own)), vault_id })
}

/** Derives the key that both sides of one exchange share, bound to the two public halves and the vault. */
function deriveAgreedKey(
  privateKey: KeyObject,
  other: Buffer,
  { sender, half, vault_id }: { sender: Buffer; half: Buffer; vault_id: string },
): Buffer {
  const publicKey = createPublicKey({ key: Buffer.concat([PUBLIC, other]), format: 'der', type: 'spki' })
  const shared = diffieHellman({ privateKey, publicKey })
  const salt = Buffer.concat([sender, half])
  const key = Buffer.from(hkdfSync('sha256', shared, salt, `coffer recovery seal v1|${vault_id}`, 32))
  shared.fill(0)
  return key
}

function derivePrivateHalf(secret: Buffer, vault_id: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, vault_id, 'coffer recovery pair v1', 32))
  const key = Buffer.concat([PRIVATE, seed])
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  } finally {
    seed.fill(0)
    key.fill(0)
  }
}

function deriveHalfKey(master: Buffer, vault_id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, vault_id, 'coffer recovery half v1', 32))
}

function exportPublicBytes(half: KeyObject): Buffer {
  return half.export({ format: 'der', type: 'spki' }).subarray(PUBLIC.length)
}
