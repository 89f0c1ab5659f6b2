import {
  createCipheriv,
  createDecipheriv,
  diffieHellman,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { importNamedPoint } from '../p256.ts'

/** Apple's encrypted payment data, as a browser receives it. */
type ApplePaymentData = {
  readonly data: string
  readonly signature: string
  readonly version: string
  readonly header: {
    readonly publicKeyHash: string
    readonly ephemeralPublicKey: string
    readonly transactionId: string
  }
}

const CIPHER = 'aes-256-gcm'
const TAG_LENGTH = 16
const zeroIv = Buffer.alloc(16)
const kdfInfo = Buffer.from('\x0did-aes256-GCMApple', 'latin1')

/** Returns the SHA-256 hash of a public key, by which Apple names the key that it encrypted for. */
export function hashPublicKey(key: KeyObject): Buffer {
  return hash('sha256', key.export({ format: 'der', type: 'spki' }), 'buffer')
}

/**
 * Encrypts text as Apple Pay does (EC_v1) for a P-256 key. `merchantHash` is the SHA-256 hash of the merchant
 * identifier. The signature is made up, because only Apple can sign.
 */
export function encryptForApplePay(
  plaintext: string,
  publicKey: KeyObject,
  merchantHash: Buffer,
): ApplePaymentData {
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cipher = createCipheriv(CIPHER, deriveKey(ephemeral.privateKey, publicKey, merchantHash), zeroIv)
  const data = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  return {
    data: data.toString('base64'),
    signature: randomBytes(64).toString('base64'),
    version: 'EC_v1',
    header: {
      publicKeyHash: hashPublicKey(publicKey).toString('base64'),
      ephemeralPublicKey: ephemeral.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      transactionId: randomBytes(32).toString('hex'),
    },
  }
}

/** Decrypts the data of an Apple Pay payment (EC_v1). Throws any error if that fails. */
export function decryptApplePay(
  { data, ephemeralPublicKey }: { readonly data: string; readonly ephemeralPublicKey: string },
  privateKey: KeyObject,
  merchantHash: Buffer,
): Buffer {
  const sealed = Buffer.from(data, 'base64')
  const ephemeral = importNamedPoint(Buffer.from(ephemeralPublicKey, 'base64'))
  const key = deriveKey(privateKey, ephemeral, merchantHash)
  const decipher = createDecipheriv(CIPHER, key, zeroIv, { authTagLength: TAG_LENGTH })
  decipher.setAuthTag(sealed.subarray(-TAG_LENGTH))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_LENGTH)), decipher.final()])
}

/** Derives the key of both sides: the concatenation KDF of NIST SP 800-56A with one round. */
function deriveKey(privateKey: KeyObject, publicKey: KeyObject, merchantHash: Buffer): Buffer {
  const secret = diffieHellman({ privateKey, publicKey })
  return hash('sha256', Buffer.concat([Buffer.from([0, 0, 0, 1]), secret, kdfInfo, merchantHash]), 'buffer')
}
