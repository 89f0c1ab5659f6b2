import { createDecipheriv, pbkdf2Sync } from 'node:crypto'
import type { Ber } from './ber.ts'
import { type Derivation, type DerivationBudget, derivePkcs12Bytes } from './key-derivation.ts'
import { decryptRc2 } from './rc2.ts'

const PBES2 = '1.2.840.113549.1.5.13'
const PBKDF2 = '1.2.840.113549.1.5.12'
const TRIPLE_DES = 'des-ede3-cbc'

/** The ciphers of PKCS#12 itself, whose keys are derived with SHA-1. */
const legacyCiphers: Readonly<Record<string, { readonly cipher: string; readonly keyLength: number }>> = {
  '1.2.840.113549.1.12.1.3': { cipher: TRIPLE_DES, keyLength: 24 },
  '1.2.840.113549.1.12.1.5': { cipher: 'rc2', keyLength: 16 },
  '1.2.840.113549.1.12.1.6': { cipher: 'rc2', keyLength: 5 },
}

/** The ciphers of PBES2. */
const ciphers: Readonly<Record<string, { readonly cipher: string; readonly keyLength: number }>> = {
  '2.16.840.1.101.3.4.1.2': { cipher: 'aes-128-cbc', keyLength: 16 },
  '2.16.840.1.101.3.4.1.22': { cipher: 'aes-192-cbc', keyLength: 24 },
  '2.16.840.1.101.3.4.1.42': { cipher: 'aes-256-cbc', keyLength: 32 },
  '1.2.840.113549.3.7': { cipher: TRIPLE_DES, keyLength: 24 },
}

const pseudoRandom: Readonly<Record<string, { readonly digest: string; readonly length: number }>> = {
  '1.2.840.113549.2.7': { digest: 'sha1', length: 20 },
  '1.2.840.113549.2.9': { digest: 'sha256', length: 32 },
  '1.2.840.113549.2.10': { digest: 'sha384', length: 48 },
  '1.2.840.113549.2.11': { digest: 'sha512', length: 64 },
}

/** How much faster OpenSSL derives a key than a loop in JavaScript. */
const NATIVE_SPEED = 4
const LEGACY_IV_LENGTH = 8

/** Decrypts content that is encrypted with a password. Throws `TooManyIterations`, and any error if it cannot. */
export function decryptWithPassword(
  algorithm: Ber,
  encrypted: Buffer,
  password: string,
  budget: DerivationBudget,
): Buffer {
  const legacy = legacyCiphers[algorithm.getMember(0).oid]
  if (!legacy) return decryptPbes2(readPbes2(algorithm), encrypted, password, budget)
  const derivation = toDerivation(algorithm.getMember(1))
  const deriveBytes = (purpose: 'key' | 'iv', length: number) =>
    derivePkcs12Bytes(password, derivation, { purpose, length, digest: 'sha1' }, budget)
  const [key, iv] = [deriveBytes('key', legacy.keyLength), deriveBytes('iv', LEGACY_IV_LENGTH)]
  return legacy.cipher === 'rc2'
    ? decryptRc2(encrypted, key, iv)
    : decryptBlocks(legacy.cipher, encrypted, key, iv)
}

/**
 * Consumes the work with which OpenSSL decrypts a key. Throws `TooManyIterations`, and any error for an algorithm that
 * is not supported.
 */
export function requirePasswordWork(algorithm: Ber, budget: DerivationBudget): void {
  const legacy = legacyCiphers[algorithm.getMember(0).oid]
  if (legacy) {
    const derivations = Math.ceil(legacy.keyLength / 20) + 1
    budget.consumeUnits((toDerivation(algorithm.getMember(1)).iterations * derivations) / NATIVE_SPEED)
  } else consumePbkdf2(readPbes2(algorithm), budget)
}

type Pbes2 = Derivation & {
  readonly cipher: string
  readonly keyLength: number
  readonly iv: Buffer
  readonly prf: { readonly digest: string; readonly length: number }
}

/** SECURITY: other derivations, such as scrypt, could take any amount of memory. */
function readPbes2(algorithm: Ber): Pbes2 {
  const [derivation, encryption] = [algorithm.getMember(1).getMember(0), algorithm.getMember(1).getMember(1)]
  if (algorithm.getMember(0).oid !== PBES2 || derivation.getMember(0).oid !== PBKDF2)
    throw new Error('not supported')
  const { members } = derivation.getMember(1)
  const prfAlgorithm = members.slice(2).find((each) => !each.isInteger)
  const prf = pseudoRandom[prfAlgorithm?.getMember(0).oid ?? '1.2.840.113549.2.7']
  const cipher = ciphers[encryption.getMember(0).oid]
  if (!prf || !cipher) throw new Error('not supported')
  return { ...toDerivation(derivation.getMember(1)), ...cipher, iv: encryption.getMember(1).bytes, prf }
}

function decryptPbes2(scheme: Pbes2, encrypted: Buffer, password: string, budget: DerivationBudget): Buffer {
  const { salt, iterations, keyLength, prf, cipher, iv } = scheme
  consumePbkdf2(scheme, budget)
  const key = pbkdf2Sync(password, salt, iterations, keyLength, prf.digest)
  return decryptBlocks(cipher, encrypted, key, iv)
}

function consumePbkdf2({ iterations, keyLength, prf }: Pbes2, budget: DerivationBudget): void {
  budget.consumeUnits((iterations * Math.ceil(keyLength / prf.length)) / NATIVE_SPEED)
}

function toDerivation(parameters: Ber): Derivation {
  return { salt: parameters.getMember(0).bytes, iterations: parameters.getMember(1).integer }
}

function decryptBlocks(cipher: string, encrypted: Buffer, key: Buffer, iv: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv)
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}
