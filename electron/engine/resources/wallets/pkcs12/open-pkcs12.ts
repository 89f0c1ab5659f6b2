import { createHmac, createPrivateKey, type KeyObject, timingSafeEqual, X509Certificate } from 'node:crypto'
import { type Ber, parseBer } from './ber.ts'
import { decryptWithPassword, requirePasswordWork } from './encryption.ts'
import { type DerivationBudget, derivePkcs12Bytes } from './key-derivation.ts'

const oids = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  encryptedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
}

const digests: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const MAX_BAGS = 12

type Pkcs12Content = {
  readonly privateKeys: readonly KeyObject[]
  readonly certificates: readonly X509Certificate[]
}

export class WrongPassword extends Error {}

/**
 * Opens a PKCS#12 file (RFC 7292) whose integrity is protected with a password. Throws `WrongPassword`,
 * `TooManyIterations`, and any other error if the file is damaged or encrypted in a way that is not supported.
 */
export function openPkcs12(file: Buffer, password: string, budget: DerivationBudget): Pkcs12Content {
  const members = parseBer(file)
  const safes = openData(members.getMember(1))
  checkMac(members.getMember(2), safes, password, budget)
  const privateKeys: KeyObject[] = []
  const certificates: X509Certificate[] = []
  for (const safe of parseBer(safes).members) {
    for (const bag of parseBer(openSafe(safe, password, budget)).members) {
      const [type, value] = [bag.getMember(0).oid, bag.getMember(1).getMember(0)]
      // SECURITY: importing a key or a certificate takes time.
      if (privateKeys.length + certificates.length > MAX_BAGS) throw new Error('too many bags')
      if (type === oids.keyBag) privateKeys.push(importKey(value.encoded))
      if (type === oids.encryptedKeyBag) {
        requirePasswordWork(value.getMember(0), budget)
        privateKeys.push(importKey(value.encoded, password))
      }
      if (type === oids.certificateBag)
        certificates.push(new X509Certificate(value.getMember(1).getMember(0).bytes))
    }
  }
  return { privateKeys, certificates }
}

function importKey(pkcs8: Buffer, passphrase?: string): KeyObject {
  return createPrivateKey({
    key: pkcs8,
    format: 'der',
    type: 'pkcs8',
    ...(passphrase !== undefined && { passphrase }),
  })
}

function checkMac(mac: Ber, content: Buffer, password: string, budget: DerivationBudget): void {
  const digest = digests[mac.getMember(0).getMember(0).getMember(0).oid] ?? ''
  const expected = mac.getMember(0).getMember(1).bytes
  const iterations = mac.members.length > 2 ? mac.getMember(2).integer : 1
  const purpose = { purpose: 'mac', length: expected.length, digest } as const
  const key = derivePkcs12Bytes(password, { salt: mac.getMember(1).bytes, iterations }, purpose, budget)
  const actual = createHmac(digest, key).update(content).digest()
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw new WrongPassword()
}

function openData(content: Ber): Buffer {
  if (content.getMember(0).oid !== oids.data) throw new Error('the content is not data')
  return content.getMember(1).getMember(0).bytes
}

function openSafe(safe: Ber, password: string, budget: DerivationBudget): Buffer {
  if (safe.getMember(0).oid !== oids.encryptedData) return openData(safe)
  const encrypted = safe.getMember(1).getMember(0).getMember(1)
  return decryptWithPassword(encrypted.getMember(1), encrypted.getMember(2).bytes, password, budget)
}
