import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { exportPoint, importPoint } from '../p256.ts'

/** The content of Google's `signedMessage`, all in base64. */
export type GoogleMessage = {
  readonly encryptedMessage: string
  readonly ephemeralPublicKey: string
  readonly tag: string
}

const CIPHER = 'aes-256-ctr'
const zeroIv = Buffer.alloc(16)

/** Encrypts text as Google Pay does (ECv2) for a P-256 key. */
export function encryptForGooglePay(plaintext: string, publicKey: KeyObject): GoogleMessage {
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const point = exportPoint(ephemeral.publicKey)
  const { encryptionKey, macKey } = deriveKeys(ephemeral.privateKey, publicKey, point)
  const cipher = createCipheriv(CIPHER, encryptionKey, zeroIv)
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return {
    encryptedMessage: encrypted.toString('base64'),
    ephemeralPublicKey: point.toString('base64'),
    tag: computeTag(macKey, encrypted).toString('base64'),
  }
}

/** Decrypts a message of Google Pay (ECv2). Throws any error if it was encrypted for another key, or changed. */
export function decryptGooglePay(message: GoogleMessage, privateKey: KeyObject): Buffer {
  const point = Buffer.from(message.ephemeralPublicKey, 'base64')
  const encrypted = Buffer.from(message.encryptedMessage, 'base64')
  const { encryptionKey, macKey } = deriveKeys(privateKey, importPoint(point), point)
  // Throws if the lengths differ.
  if (!timingSafeEqual(computeTag(macKey, encrypted), Buffer.from(message.tag, 'base64')))
    throw new Error('the tag does not match')
  const decipher = createDecipheriv(CIPHER, encryptionKey, zeroIv)
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

/** Makes up a signature, because only Google can sign. */
export function createFakeSignature(): string {
  return randomBytes(70).toString('base64')
}

function deriveKeys(privateKey: KeyObject, publicKey: KeyObject, ephemeralPoint: Buffer) {
  const secret = diffieHellman({ privateKey, publicKey })
  const input = Buffer.concat([ephemeralPoint, secret])
  const keys = Buffer.from(hkdfSync('sha256', input, Buffer.alloc(32), 'Google', 64))
  return { encryptionKey: keys.subarray(0, 32), macKey: keys.subarray(32) }
}

function computeTag(macKey: Buffer, encrypted: Buffer): Buffer {
  return createHmac('sha256', macKey).update(encrypted).digest()
}
