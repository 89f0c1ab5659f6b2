import { Buffer } from 'node:buffer'
import { CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { expectShortTurns } from '../longest-block.ts'
import { number, startTestServer, type TestServer } from './test-server.ts'

const card = { number, expiration_month: 12, expiration_year: 2030 }
const year = 365 * 24 * 60 * 60 * 1000

type ClientKey = { key_id: string; public_key_pem: string; expires_at: string }

async function createKey(
  { request, keys }: TestServer,
  body: { expires_at?: string } = {},
): Promise<ClientKey> {
  const response = await request('POST', '/keys', { key: keys.management, body })
  expect(response.status).toBe(201)
  return response.body
}

/** Reads a public key like the clients: a PEM without armour and white space is the base64 of 32 bytes. */
function toRawKey(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
}

async function encryptFor(
  { key_id, public_key_pem }: Pick<ClientKey, 'key_id' | 'public_key_pem'>,
  plaintext: string,
  header: Record<string, unknown> = {},
): Promise<string> {
  const jwk = { kty: 'OKP', crv: 'X25519', x: toRawKey(public_key_pem).toString('base64url') }
  return new CompactEncrypt(Buffer.from(plaintext))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key_id, ...header })
    .encrypt(await importJWK(jwk, 'ECDH-ES'))
}

test('C-01 a key expires at the requested time, at most a year ahead, and is deleted', async () => {
  const world = await startTestServer()
  const { request, keys, vault } = world
  const formatTimeIn = (ms: number) => new Date(vault.clock.now() + ms).toISOString()
  for (const expires_at of [formatTimeIn(-1000), formatTimeIn(2 * year), 'soon']) {
    const { status, body } = await request('POST', '/keys', { key: keys.management, body: { expires_at } })
    expect([expires_at, status, Object.keys(body.errors)]).toEqual([expires_at, 400, ['expires_at']])
  }
  const { key_id, expires_at } = await createKey(world, { expires_at: formatTimeIn(60_000) })
  expect(Date.parse(expires_at)).toBe(vault.clock.now() + 60_000)
  vault.clock.advance(60_001)
  expect((await request('GET', `/keys/${key_id}`, { key: keys.management })).status).toBe(404)
  expect((await request('GET', '/keys', { key: keys.management })).body).toEqual([])
  expect(Date.parse((await createKey(world)).expires_at)).toBe(vault.clock.now() + year)
})

test('C-02 encrypted data creates the same tokens and intents as unencrypted data', async () => {
  const world = await startTestServer()
  const { request, keys } = world
  const key = await createKey(world)
  const revealData = async (id: string) =>
    (await request('GET', `/tokens/${id}`, { key: keys.private })).body.data
  const postJson = (path: string, body: object) =>
    request('POST', path, { key: keys.private, body: body as never })

  const encrypted = await encryptFor(key, JSON.stringify(card))
  const token = await postJson('/tokens', { type: 'card', encrypted, metadata: { a: 'b' } })
  expect([token.status, token.body.type, token.body.metadata]).toEqual([201, 'card', { a: 'b' }])
  expect(token.body._extras).toEqual({ deduplicated: false, decrypted_payload: true })
  expect(await revealData(token.body.id)).toEqual(card)
  const plain = await postJson('/tokens', { type: 'card', data: card })
  expect(token.body.fingerprint).toBe(plain.body.fingerprint)
  expect(plain.body._extras).toEqual({ deduplicated: false })
  const again = await postJson('/tokens', { type: 'card', encrypted, deduplicate_token: true })
  const duplicate = { deduplicated: true, deduplication_behavior: 'read_existing' }
  expect(again.body._extras).toEqual({ ...duplicate, decrypted_payload: true })

  const intent = await postJson('/token-intents', { type: 'card', encrypted })
  expect([intent.status, intent.body.fingerprint]).toEqual([201, plain.body.fingerprint])

  const payload = {
    first: { type: 'card', encrypted },
    list: [{ type: 'token', encrypted: await encryptFor(key, '"x"') }],
  }
  const created = await postJson('/tokenize', payload)
  expect(created.status).toBe(200)
  expect(await revealData(created.body.first.id)).toEqual(card)
  expect(await revealData(created.body.list[0].id)).toBe('x')
})

test('C-02 encrypted data is validated like unencrypted data, and need not be JSON', async () => {
  const world = await startTestServer()
  const { request, keys } = world
  const key = await createKey(world)
  const postEncrypted = async (type: string, plaintext: string) =>
    request('POST', '/tokens', {
      key: keys.private,
      body: { type, encrypted: await encryptFor(key, plaintext) },
    })
  const bare = await postEncrypted('token', 'no JSON')
  expect((await request('GET', `/tokens/${bare.body.id}`, { key: keys.private })).body.data).toBe('no JSON')
  const wrong = await postEncrypted('card', '{"number":"4242424242424241"}')
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ['data.number']])
  expect(wrong.text).not.toContain('4242424242424241')
})

test('C-02 encrypted digits become a string if the type requires one', async () => {
  const world = await startTestServer()
  const { request, keys } = world
  const key = await createKey(world)
  const revealData = async (id: string) =>
    (await request('GET', `/tokens/${id}`, { key: keys.private })).body.data
  for (const [type, plaintext, data] of [
    ['card_number', number, number],
    ['card_number', `"${number}"`, number],
    ['social_security_number', '123456789', '123456789'],
    ['employer_id_number', '123456789', '123456789'],
    ['us_bank_account_number', '12345', '12345'],
    ['us_bank_routing_number', '121042882', '121042882'],
    ['token', '12345', 12345],
  ] as const) {
    const one = { type, encrypted: await encryptFor(key, plaintext) }
    const created = await request('POST', '/tokens', { key: keys.private, body: one })
    expect([type, created.status, await revealData(created.body.id)]).toEqual([type, 201, data])
    const { body } = await request('POST', '/tokenize', { key: keys.private, body: { one } })
    expect(await revealData(body.one.id)).toBe(data)
  }
  const intent = { type: 'card_number', encrypted: await encryptFor(key, number) }
  expect(await request('POST', '/token-intents', { key: keys.private, body: intent })).toMatchObject({
    status: 201,
  })
})

test('C-02 encrypted together with data or a token intent is rejected', async () => {
  const world = await startTestServer()
  const { request, keys } = world
  const encrypted = await encryptFor(await createKey(world), '"x"')
  for (const more of [
    { data: 'x' },
    { token_intent_id: (await world.createTokenIntent()).id, type: undefined },
  ]) {
    const { type = 'token', ...rest } = { type: 'token', ...more }
    const body = { ...('token_intent_id' in more ? {} : { type }), ...rest, encrypted } as never
    const { status, body: problem } = await request('POST', '/tokens', { key: keys.private, body })
    expect([status, problem.status]).toEqual([400, 400])
  }
  const both = await request('POST', '/token-intents', {
    key: keys.private,
    body: { type: 'token', data: 'x', encrypted },
  })
  expect(both.status).toBe(400)
})

const lowOrder = Buffer.alloc(32).toString('base64url')

test('X-57 every defect of a JWE gives the same error', async () => {
  const world = await startTestServer()
  const { request, keys, vault } = world
  const key = await createKey(world)
  const deleted = await createKey(world)
  await request('DELETE', `/keys/${deleted.key_id}`, { key: keys.management })
  const expired = await createKey(world, { expires_at: new Date(vault.clock.now() + 1000).toISOString() })
  vault.clock.advance(1001)
  const good = await encryptFor(key, '"secret"')
  const [head = '', , iv = '', text = '', tag = ''] = good.split('.')
  const replaceHeader = (change: object) => {
    const header = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...change }
    return [Buffer.from(JSON.stringify(header)).toString('base64url'), '', iv, text, tag].join('.')
  }
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256' })
  const p256 = await new CompactEncrypt(Buffer.from('"x"'))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.key_id })
    .encrypt(publicKey)
  const wrong: Record<string, string> = {
    'text other than a JWE': 'x',
    'five empty parts': '....',
    'another alg': await encryptFor(key, '"x"', { alg: 'ECDH-ES+A256KW' }),
    'another enc': await encryptFor(key, '"x"', { enc: 'A128GCM' }),
    'alg dir': replaceHeader({ alg: 'dir' }),
    'an alg that is none': replaceHeader({ alg: 'none' }),
    'a foreign kid': await encryptFor({ ...key, key_id: '00000000-0000-4000-8000-000000000000' }, '"x"'),
    'no kid': await encryptFor(key, '"x"', { kid: undefined }),
    'a deleted key': await encryptFor(deleted, '"x"'),
    'an expired key': await encryptFor(expired, '"x"'),
    'the key of another curve': p256,
    'a low-order epk': replaceHeader({ epk: { kty: 'OKP', crv: 'X25519', x: lowOrder } }),
    'an epk of P-256': replaceHeader({ epk: await exportJWK(publicKey) }),
    'an epk that is too short': replaceHeader({ epk: { kty: 'OKP', crv: 'X25519', x: 'AAAA' } }),
    'a critical header': replaceHeader({ crit: ['x'], x: 1 }),
    compressed: replaceHeader({ zip: 'DEF' }),
    'a changed tag': [head, '', iv, text, Buffer.alloc(16).toString('base64url')].join('.'),
    'a changed text': [head, '', iv, Buffer.from('other').toString('base64url'), tag].join('.'),
    'an encrypted key': [head, 'AAAA', iv, text, tag].join('.'),
    'a header of 1 MB': replaceHeader({ x: 'x'.repeat(1_000_000) }),
    'no UTF-8': await encryptFor(key, '\ud800').then(async () => {
      const jwk = { kty: 'OKP', crv: 'X25519', x: toRawKey(key.public_key_pem).toString('base64url') }
      return new CompactEncrypt(Buffer.from([0xff, 0xfe]))
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.key_id })
        .encrypt(await importJWK(jwk, 'ECDH-ES'))
    }),
  }
  const seen = new Set<string>()
  for (const [what, encrypted] of Object.entries(wrong)) {
    const { status, body } = await request('POST', '/tokens', {
      key: keys.private,
      body: { type: 'token', encrypted },
    })
    expect([what, status]).toEqual([what, 400])
    const { trace_id: _, ...rest } = body
    seen.add(JSON.stringify(rest))
  }
  expect([...seen]).toHaveLength(1)
  expect(JSON.parse([...seen][0] ?? '').errors).toEqual({
    encrypted: ['cannot be decrypted with a client encryption key'],
  })
})

test('X-57 a request with thousands of JWEs is rejected because of its number of tokens', async () => {
  const world = await startTestServer()
  const { request, keys } = world
  const encrypted = await encryptFor(await createKey(world), '"x"')
  const body = Array.from({ length: 2000 }, () => ({ type: 'token', encrypted }))
  const response = await request('POST', '/tokenize', { key: keys.private, body })
  expect([response.status, response.body.errors.body?.[0]]).toEqual([
    400,
    expect.stringMatching(/2000 tokens/),
  ])
})

test.each<[string, string]>([
  ['a member named __proto__', '{"a":{"__proto__":{"b":1}}}'],
  ['an escaped member named __proto__', '{"__proto\\u005f_":1}'],
  ['more levels than a body may have', `${'['.repeat(100)}${']'.repeat(100)}`],
  ['levels without end', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['more members than a body may have', `[${'[],'.repeat(300_000)}[]]`],
  ['more long numbers than a body may have', `[${'1.0,'.repeat(200_000)}1]`],
])('X-48 X-57 encrypted data with %s is rejected as quickly as unencrypted data', async (_, text) => {
  const world = await startTestServer()
  const { request, keys } = world
  const encrypted = await encryptFor(await createKey(world), text)
  const plain = await request('POST', '/tokens', {
    key: keys.private,
    raw: `{"type":"token","data":${text}}`,
  })
  expect(plain.status).toBe(400)
  const { status, body } = await expectShortTurns(
    () => request('POST', '/tokens', { key: keys.private, body: { type: 'token', encrypted } }),
    150,
  )
  expect([status, Object.keys(body.errors)]).toEqual([400, ['encrypted']])
})
