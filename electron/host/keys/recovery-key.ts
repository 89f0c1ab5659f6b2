import { hash, hkdfSync, randomBytes } from 'node:crypto'
import { invalid } from '../../../shared/errors.ts'

/** Crockford's base32: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const SECRET_BYTES = 20
const CHECK_BYTES = 5
const LENGTH = ((SECRET_BYTES + CHECK_BYTES) * 8) / 5

/** A new recovery key: 160 random bits and 40 of checksum, in ten groups of four characters. */
export function newRecoveryKey(): string {
  const secret = randomBytes(SECRET_BYTES)
  const whole = Buffer.concat([secret, checksum(secret)])
  const text = encode(whole)
  secret.fill(0)
  whole.fill(0)
  return (text.match(/.{4}/g) ?? []).join('-')
}

/**
 * The secret in a typed recovery key. Case, spaces and hyphens do not matter; O reads as 0, I and L as 1. Throws
 * `invalid` without repeating the input.
 */
export function parseRecoveryKey(typed: string): Buffer {
  const text = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  if (text.length !== LENGTH) throw invalid('recovery_key', `must have ${LENGTH} letters and digits`)
  const whole = decode(text)
  const secret = whole?.subarray(0, SECRET_BYTES)
  if (!whole || !secret || !whole.subarray(SECRET_BYTES).equals(checksum(secret))) {
    throw invalid('recovery_key', 'has a mistyped character; compare it with what you wrote down')
  }
  return secret
}

/** Whether typed text is a complete recovery key, of any vault. */
export function isRecoveryKey(typed: string): boolean {
  try {
    parseRecoveryKey(typed).fill(0)
    return true
  } catch {
    return false
  }
}

/** The 32-byte key that wraps the master secret in a slot of format 1. Random input needs no slow derivation. */
export function recoveryWrappingKey(secret: Buffer, vault_id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, vault_id, 'coffer recovery key v1', 32))
}

function checksum(secret: Buffer): Buffer {
  return hash('sha256', secret, 'buffer').subarray(0, CHECK_BYTES)
}

function encode(bytes: Buffer): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let text = ''
  for (let index = 0; index < LENGTH; index++) {
    text = ALPHABET.charAt(Number(bits & 31n)) + text
    bits >>= 5n
  }
  return text
}

function decode(text: string): Buffer | undefined {
  let bits = 0n
  for (const character of text) {
    const value = ALPHABET.indexOf(character)
    if (value < 0) return undefined
    bits = (bits << 5n) | BigInt(value)
  }
  return Buffer.from(bits.toString(16).padStart((SECRET_BYTES + CHECK_BYTES) * 2, '0'), 'hex')
}
