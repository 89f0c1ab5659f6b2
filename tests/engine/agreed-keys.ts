import {
  createCipheriv,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  type KeyObject,
} from 'node:crypto'
import { onTestFinished } from 'vitest'
import { deriveDatabaseKey, Keyring } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { decryptJwes } from '../../electron/engine/resources/client-keys/decrypt.ts'
import { sealPrivateKey } from '../../electron/engine/resources/client-keys/private-half.ts'
import { insertClientKey } from '../../electron/engine/resources/client-keys/store.ts'
import { decryptApplePay } from '../../electron/engine/resources/wallets/apple-pay/ec-v1.ts'
import { decryptGooglePay } from '../../electron/engine/resources/wallets/google-pay/ec-v2.ts'
import { openVault } from '../vault.ts'

/**
 * One key agreement: what a sender chose, the private key of the recipient, and the secret that both share. All in
 * hexadecimal.
 */
export type Agreement = { readonly public: string; readonly private: string; readonly shared: string }

/** The points of X25519 that make every secret zero: of order 1, 2, 4 and 8, and some of them written as p more. */
export const lowOrderPoints = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  ...['ec', 'ed', 'ee'].map((first) => `${first}${'ff'.repeat(30)}7f`),
]

const plaintext = '{"number":"4242424242424242"}'
const zeroIv = Buffer.alloc(16)
const fromHex = (hex: string) => Buffer.from(hex, 'hex')

// The sender's side of each scheme, written anew from its standard, so that it shares no code with what is tested.

function sealGcm(key: Buffer, iv: Buffer, aad = Buffer.alloc(0)) {
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad)
  return { body: Buffer.concat([cipher.update(plaintext), cipher.final()]), tag: cipher.getAuthTag() }
}

const hashParts = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** A compact JWE with ECDH-ES and A256GCM (RFC 7518, 4.6). */
function createJwe(kid: string, { public: x, shared }: Agreement): string {
  const epk = { kty: 'OKP', crv: 'X25519', x: fromHex(x).toString('base64url') }
  const header = Buffer.from(JSON.stringify({ alg: 'ECDH-ES', enc: 'A256GCM', kid, epk })).toString(
    'base64url',
  )
  const key = hashParts(
    fromHex('00000001'),
    fromHex(shared),
    fromHex('00000007'),
    Buffer.from('A256GCM'),
    fromHex('000000000000000000000100'),
  )
  const iv = Buffer.alloc(12, 7)
  const { body, tag } = sealGcm(key, iv, Buffer.from(header))
  return [header, '', ...[iv, body, tag].map((part) => part.toString('base64url'))].join('.')
}

/** Extract and expand of RFC 5869, with an empty salt. */
function deriveGoogleKeys(input: Buffer): { encryptionKey: Buffer; macKey: Buffer } {
  const pseudoRandom = createHmac('sha256', Buffer.alloc(32)).update(input).digest()
  const expandKey = (before: Buffer, count: number) =>
    createHmac('sha256', pseudoRandom)
      .update(Buffer.concat([before, Buffer.from('Google'), Buffer.from([count])]))
      .digest()
  const encryptionKey = expandKey(Buffer.alloc(0), 1)
  return { encryptionKey, macKey: expandKey(encryptionKey, 2) }
}

function createP256Key(scalar: string): KeyObject {
  const d = fromHex(scalar.replace(/^(00)+/, '').padStart(64, '0'))
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(d)
  const point = ecdh.getPublicKey()
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  return createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', d: d.toString('base64url'), x, y },
    format: 'jwk',
  })
}

/** Returns the private key of X25519 with these 32 bytes, in hexadecimal. */
export function createX25519Key(scalar: string): KeyObject {
  const key = fromHex(`302e020100300506032b656e04220420${scalar}`)
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** Whether an action gives the plaintext. It must either do so or throw. */
function opensPlaintext(open: () => Buffer): boolean {
  try {
    return open().toString() === plaintext
  } catch {
    return false
  }
}

/** Whether Apple Pay data is decrypted whose ephemeral key is this `SubjectPublicKeyInfo`. */
export function opensApplePay({ public: ephemeral, private: scalar, shared }: Agreement): boolean {
  const merchantHash = Buffer.alloc(32, 5)
  const info = Buffer.from('\x0did-aes256-GCMApple', 'latin1')
  const { body, tag } = sealGcm(hashParts(fromHex('00000001'), fromHex(shared), info, merchantHash), zeroIv)
  const payment = {
    data: Buffer.concat([body, tag]).toString('base64'),
    ephemeralPublicKey: fromHex(ephemeral).toString('base64'),
  }
  return opensPlaintext(() => decryptApplePay(payment, createP256Key(scalar), merchantHash))
}

/** Whether a message of Google Pay is decrypted whose ephemeral key is this point. */
export function opensGooglePay({ public: point, private: scalar, shared }: Agreement): boolean {
  const { encryptionKey, macKey } = deriveGoogleKeys(Buffer.concat([fromHex(point), fromHex(shared)]))
  const cipher = createCipheriv('aes-256-ctr', encryptionKey, zeroIv)
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const message = {
    encryptedMessage: encrypted.toString('base64'),
    ephemeralPublicKey: fromHex(point).toString('base64'),
    tag: createHmac('sha256', macKey).update(encrypted).digest('base64'),
  }
  return opensPlaintext(() => decryptGooglePay(message, createP256Key(scalar)))
}

/** Opens a vault and returns a function that tells whether it decrypts a JWE whose ephemeral key is this X25519 key. */
export function openJweReader(): (agreement: Agreement) => Promise<boolean> {
  const vault = openVault()
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  onTestFinished(() => {
    db.close()
  })
  const keyring = new Keyring(db, vault.master, vault.engine.tenant_id)
  const now = vault.clock.now()
  let count = 0
  return async (agreement) => {
    const id = `5f0c8a3e-9d5b-4d67-8f0e-${String(++count).padStart(12, '0')}`
    const { d = '', x = '' } = createX25519Key(agreement.private).export({ format: 'jwk' })
    insertClientKey(db, {
      id,
      private: sealPrivateKey({ keyring }, id, d),
      public: Buffer.from(x, 'base64url'),
      created_at: now,
      expires_at: now + 1,
    })
    const jwe = createJwe(id, agreement)
    return (await decryptJwes({ db, keyring, now: () => now }, [jwe])).get(jwe)?.text === plaintext
  }
}
