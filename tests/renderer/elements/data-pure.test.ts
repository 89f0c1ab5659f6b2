import { compactDecrypt, decodeProtectedHeader, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { expect, test, vi } from 'vitest'
import { buildDetails } from '../../../renderer/elements/data/details.ts'
import { Encryption } from '../../../renderer/elements/data/encrypt.ts'
import { createValidationError, toPlainError } from '../../../renderer/elements/data/errors.ts'
import { parseExactly } from '../../../renderer/elements/data/exact-json.ts'
import { parsePublicKeyPem } from '../../../renderer/elements/data/jwe.ts'
import { toCamelCase, toSnakeCase } from '../../../renderer/elements/data/letter-case.ts'
import { findElements, withValues } from '../../../renderer/elements/data/payload.ts'
import { References } from '../../../renderer/elements/data/references.ts'
import type { Reference } from '../../../renderer/elements/protocol.ts'

const number = '4242424242424242'

test('Elements: case conversion renames members, but does not change data and metadata', () => {
  const data = { cardNumber: 1, inner_name: { deepName: 2 } }
  const model = {
    type: 'card',
    data,
    metadata: { orderId: 'a' },
    fingerprintExpression: 'x',
    searchIndexes: ['aB'],
  }
  expect(toSnakeCase(model)).toEqual({
    type: 'card',
    data,
    metadata: { orderId: 'a' },
    fingerprint_expression: 'x',
    search_indexes: ['aB'],
  })
  const answer = {
    created_at: 'x',
    enrichments: { bin_details: { card_brand: 'VISA' } },
    data: { a_b: { c_d: 1 } },
  }
  expect(toCamelCase(answer)).toEqual({
    createdAt: 'x',
    enrichments: { binDetails: { cardBrand: 'VISA' } },
    data: { a_b: { c_d: 1 } },
  })
  // Below the first level, `data` is an ordinary key, so its content is converted.
  expect(toCamelCase({ some_thing: { data: { a_b: 1 } } })).toEqual({ someThing: { data: { aB: 1 } } })
})

test('Elements: elements are found at any depth of a circular payload', () => {
  const one = { $element: 'one' }
  const two = { $element: 'two', method: 'month' }
  const payload: Record<string, unknown> = { a: [one, { b: two }], c: null, d: new Date(0), e: undefined }
  payload.self = payload
  expect(findElements(payload)).toEqual([
    { path: ['a', '0'], placeholder: one },
    { path: ['a', '1', 'b'], placeholder: two },
  ])
  delete payload.self
  const filled = withValues(
    payload,
    new Map<typeof one, unknown>([
      [one, number],
      [two, 12],
    ]),
  )
  expect(filled).toEqual({ a: [number, { b: 12 }], c: null, d: new Date(0), e: undefined })
})

test('Elements: a key named __proto__ is copied like any other', () => {
  const payload = JSON.parse('{"__proto__": {"x": {"$element": "one"}}}')
  const [found] = findElements(payload)
  expect(found?.path).toEqual(['__proto__', 'x'])
  const values = new Map([[found?.placeholder as { $element: string }, 1]])
  expect(JSON.stringify(toSnakeCase(withValues(payload, values)))).toBe('{"__proto__":{"x":1}}')
  const checked = [{ path: ['__proto__', 'x'], element: 'one', problem: 'invalid' as const, isCard: false }]
  expect(JSON.stringify(buildDetails(checked, false).details)).toBe('{"__proto__":{"x":{"type":"invalid"}}}')
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

test('Elements: validation details have the payload’s shape, for tokenize without data levels', () => {
  const createCard = (alias: string, problem: null | Record<string, 'invalid' | 'incomplete'>) => ({
    path: [alias, 'data'],
    element: alias,
    problem,
    isCard: true,
  })
  const checked = [
    createCard('card1', { number: 'invalid', expiration_month: 'incomplete', expiration_year: 'incomplete' }),
    createCard('card2', null),
    { path: ['name'], element: 'text1', problem: 'incomplete' as const, isCard: false },
  ]
  const { plain } = createValidationError(checked, true)
  expect(plain).toMatchObject({
    name: 'BasisTheoryValidationError',
    details: {
      card1: {
        number: { type: 'invalid' },
        expiration_month: { type: 'incomplete' },
        expiration_year: { type: 'incomplete' },
      },
      card2: {},
      name: { type: 'incomplete' },
    },
    shortened: [['card1'], ['card2']],
    validation: [
      { targetId: 'cardNumber', type: 'invalid' },
      { targetId: 'expirationDate', type: 'incomplete' },
      { targetId: 'text1', type: 'incomplete' },
    ],
  })
  const [first] = checked
  expect(buildDetails(first ? [first] : [], false).details).toMatchObject({
    card1: { data: { number: { type: 'invalid' } } },
  })
})

test('A-14 numbers that a double would change are parsed as text', () => {
  const json = '{"a": 12345678901234567890, "b": 1.0, "c": 12, "d": "1.0", "e": [1e21, -5]}'
  expect(parseExactly(json)).toEqual({
    a: '12345678901234567890',
    b: '1.0',
    c: 12,
    d: '1.0',
    e: ['1e21', -5],
  })
})

test('X-62 a reference resolves only in its own frame, for its own call and until the next unlock', async () => {
  const ownReferences = new References('data-1')
  const other = new References('data-2')
  const references = ownReferences.storeResponse(
    { number, list: [true, 12], none: null, inner: {} },
    'opening 1',
  ) as {
    number: Reference
    list: [Reference, Reference]
    none: null
    inner: object
  }
  expect(JSON.stringify(references)).not.toContain(number)
  expect([references.none, references.inner, references.list.length]).toEqual([null, {}, 2])
  expect(Object.keys(references.number).sort()).toEqual(['correlationId', 'elementId', 'path'])
  const fetchOpening = async () => 'opening 1'
  expect(await ownReferences.resolveReference(references.number, fetchOpening)).toBe(number)
  expect(await ownReferences.resolveReference(references.list[1], fetchOpening)).toBe(12)
  const next = ownReferences.storeResponse(number, 'opening 1') as Reference
  const forged: [References, Reference][] = [
    [other, references.number],
    [other, { ...references.number, elementId: 'data-2' }],
    [ownReferences, { ...references.number, elementId: 'data-2' }],
    [ownReferences, { ...references.number, correlationId: next.correlationId }],
    [ownReferences, { ...references.number, path: 'number' }],
  ]
  for (const [frame, reference] of forged)
    expect(await frame.resolveReference(reference, fetchOpening)).toBeUndefined()
  expect(await ownReferences.resolveReference(references.number, async () => 'opening 2')).toBeUndefined()
  const rejectOpening = () => Promise.reject(new Error('423'))
  expect(await ownReferences.resolveReference(references.number, rejectOpening)).toBeUndefined()
})

test('X-62 a scalar response becomes one unique reference', () => {
  const references = new References('data-1')
  const paths = Array.from({ length: 100 }, () => (references.storeResponse(number, 'o') as Reference).path)
  expect(new Set(paths).size).toBe(100)
  for (const path of paths) expect(path).toMatch(/^[0-9a-f]{32}$/)
})

test('C-02 tokens.encrypt makes a JWE that jose decrypts, for raw keys and SPKI', async () => {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'X25519', extractable: true })
  const { x = '' } = await exportJWK(pair.publicKey)
  const raw = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(x, 'base64url').toString('base64')}\n-----END PUBLIC KEY-----`
  const spki = await exportSPKI(pair.publicKey)
  expect(Buffer.from(parsePublicKeyPem(raw))).toEqual(Buffer.from(parsePublicKeyPem(spki)))
  const data = { number, name: 'Zoë 漢字' }
  const tokenRequests = { type: 'card', data }
  const asked = [
    { tokenRequests, publicKeyPem: raw, keyId: 'k1' },
    { tokenRequests, publicKeyPEM: spki, key_id: 'k1' },
    { tokenRequests, public_key: raw, key_id: 'k1' },
    { token_requests: tokenRequests, public_key_pem: raw, keyId: 'k1' },
  ]
  for (const model of asked) {
    const encryption = new Encryption(model)
    const { encrypted, type } = (await encryption.encryptRequests(encryption.requests)) as {
      encrypted: string
      type: string
    }
    expect([type, encrypted.split('.').length, encrypted.split('.')[1]]).toEqual(['card', 5, ''])
    expect(decodeProtectedHeader(encrypted)).toEqual({
      alg: 'ECDH-ES',
      kid: 'k1',
      enc: 'A256GCM',
      epk: { kty: 'OKP', crv: 'X25519', x: expect.stringMatching(/^[\w-]{43}$/) },
    })
    const { plaintext } = await compactDecrypt(encrypted, pair.privateKey)
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual(data)
  }
  const many = new Encryption({
    tokenRequests: { a: tokenRequests, b: tokenRequests },
    publicKeyPem: raw,
    keyId: 'k1',
  })
  const result = (await many.encryptRequests(many.requests)) as Record<
    string,
    { encrypted: string; type: string }
  >
  expect(Object.keys(result)).toEqual(['a', 'b'])
  expect(result.a?.encrypted).not.toBe(result.b?.encrypted)
})

test('tokens.encrypt names a missing argument without quoting values', () => {
  const tokenRequests = { type: 'card', data: number }
  const pem = `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(43)}=\n-----END PUBLIC KEY-----`
  const getMessage = (model: unknown): string => {
    try {
      new Encryption(model)
    } catch (error) {
      return toPlainError(error).message
    }
    return ''
  }
  expect(getMessage({ tokenRequests, keyId: 'k' })).toBe('Public key PEM is required')
  expect(getMessage({ tokenRequests, publicKeyPem: pem })).toBe('Key ID is required')
  for (const none of [undefined, {}, { a: {} }, { a: { type: 'card' } }, { type: 'card' }, 'text']) {
    const model = { tokenRequests: none, publicKeyPem: pem, keyId: 'k' }
    expect(getMessage(model)).toBe('No valid tokens found to encrypt')
  }
  for (const bad of [
    number,
    'not base64!',
    `${pem}AAAA`,
    '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----',
  ]) {
    const message = getMessage({ tokenRequests, publicKeyPem: bad, keyId: 'k' })
    expect(message).toBe('publicKeyPem is not the PEM of an X25519 public key.')
  }
})

test('tokens.encrypt reports a browser without X25519 or WebCrypto', async () => {
  const pem = Buffer.alloc(32, 9).toString('base64')
  const model = { tokenRequests: { type: 'card', data: 1 }, publicKeyPem: pem, keyId: 'k' }
  const encryption = new Encryption(model)
  const generateKey = vi.spyOn(crypto.subtle, 'generateKey').mockRejectedValue(new Error('NotSupported'))
  await expect(encryption.encryptRequests(encryption.requests)).rejects.toThrow('needs X25519')
  generateKey.mockRestore()
  const subtle = vi.spyOn(crypto, 'subtle', 'get').mockReturnValue(undefined as never)
  await expect(encryption.encryptRequests(encryption.requests)).rejects.toThrow('needs X25519')
  subtle.mockRestore()
})

test('A-05 an unexpected error reaches the page without its message', () => {
  const error = toPlainError(new TypeError(`${number} is not valid`))
  expect(error.name).toBe('TypeError')
  expect(JSON.stringify(error)).not.toContain(number)
})
