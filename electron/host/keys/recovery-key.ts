import { hash, hkdfSync, randomBytes } from 'node:crypto'
import { createInvalidError } from '../../../shared/errors.ts'

/** Crockford's base32: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const SECRET_BYTES = 20
const CHECK_BYTES = 5
const KEY_LENGTH = ((SECRET_BYTES + CHECK_BYTES) * 8) / 5

/** Creates a recovery key: 160 random bits and 40 of checksum, in ten groups of four characters. */
export function newRecoveryKey(): string {
  const secret = randomBytes(SECRET_BYTES)
  const keyBytes = Buffer.concat([secret, computeChecksum(secret)])
  const text = encodeBase32(keyBytes)
  secret.fill(0)
  keyBytes.fill(0)
  return (text.match(/.{4}/g) ?? []).join('-')
}

/**
 * Returns the secret in an entered recovery key. Case, spaces and hyphens do not matter. O is read as 0, I and L as
 * 1. Throws `invalid` without repeating the input.
 */
export function parseRecoveryKey(entered: string): Buffer {
  const text = entered.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  if (text.length !== KEY_LENGTH)
    throw createInvalidError('recovery_key', `must have ${KEY_LENGTH} letters and digits`)
  const keyBytes = decodeBase32(text)
  const secret = keyBytes?.subarray(0, SECRET_BYTES)
  if (!keyBytes || !secret || !keyBytes.subarray(SECRET_BYTES).equals(computeChecksum(secret))) {
    throw createInvalidError('recovery_key', 'has a mistyped character; compare it with what you wrote down')
  }
  return secret
}

/** Whether entered text is a complete recovery key, of any vault. */
export function isRecoveryKey(entered: string): boolean {
  try {
    parseRecoveryKey(entered).fill(0)
    return true
  } catch {
    return false
  }
}

/**
 * Derives the 32-byte key that wraps the master secret in a slot of format 1. Random input needs no slow derivation.
 */
export function deriveRecoveryWrappingKey(secret: Buffer, vault_id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, vault_id, 'coffer recovery key v1', 32))
}

function computeChecksum(secret: Buffer): Buffer {
  return hash('sha256', secret, 'buffer').subarray(0, CHECK_BYTES)
}

function encodeBase32(bytes: Buffer): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let text = ''
  for (let index = 0; index < KEY_LENGTH; index++) {
    text = ALPHABET.charAt(Number(bits & 31n)) + text
    bits >>= 5n
  }
  return text
}

function decodeBase32(text: string): Buffer | undefined {
  let bits = 0n
  for (const character of text) {
    const value = ALPHABET.indexOf(character)
    if (value < 0) return undefined
    bits = (bits << 5n) | BigInt(value)
  }
  return Buffer.from(bits.toString(16).padStart((SECRET_BYTES + CHECK_BYTES) * 2, '0'), 'hex')
}
