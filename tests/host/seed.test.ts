import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAbaValid } from '../../electron/engine/resources/banks/aba.ts'
import { parseYaml } from '../../electron/host/files/yaml-file.ts'
import { applySeed } from '../../electron/host/initial-data/seed/apply-seed.ts'
import { generateTokens } from '../../electron/host/initial-data/seed/realistic-data.ts'
import { type SeedInput, seed } from '../../electron/host/initial-data/seed/seed.ts'
import { createEphemeralVault } from '../../electron/host/vault/ephemeral.ts'
import { isLuhnValid } from '../../shared/luhn.ts'
import { CHUNK_BYTES, DOCUMENT_LIMIT } from '../../shared/schemas/document.ts'
import { tokenTypes } from '../../shared/token-types.ts'
import { catchProblem, createTempFolder, createTestClient, openVault } from '../vault.ts'
import { createApplePayload } from '../wallets.ts'

const fixed = 'key_local_pvt_shopbackend00000000000'

/** An in-memory vault filled from a seed, closed when the test ends. */
async function createSeeded(text: string, folder = process.cwd()) {
  const vault = createEphemeralVault()
  onTestFinished(() => vault.lock())
  const filled = await applySeed(vault.engine, { ...parseYaml(text, 'seed.yaml', seed), folder })
  return { ...filled, owner: createTestClient(() => vault.engine, { kind: 'owner' }), vault }
}

const generateFrom = (input: SeedInput) => [...generateTokens(seed.parse(input))]

test('a seed creates tenant, settings, applications with fixed keys, and tokens', async () => {
  const { keys, owner, vault } = await createSeeded(`
tenant:
  name: Shop
  settings: { deduplicate_tokens: true, cvc_retention_seconds: 60 }
applications:
  - name: Backend
    type: private
    key: ${fixed}
    rules:
      - { priority: 1, container: /pci/, transform: reveal, permissions: [token:read] }
tokens:
  - id: "card-{{ data.number | last4 }}"
    type: card
    data: { number: "4242424242424242" }
    mask: "{{ data.number | card_mask: 'true', 'true' }}"
`)
  expect(keys.private).toBe(fixed)
  expect(await owner.tenants.get()).toMatchObject({
    name: 'Shop',
    settings: { deduplicate_tokens: 'true', cvc_retention_seconds: '60' },
  })
  const backend = createTestClient(() => vault.engine, { kind: 'key', key: fixed })
  expect((await backend.tokens.get({ id: 'card-4242' })).data).toEqual({ number: '4242424242424242' })
  expect((await owner.tokens.get({ id: 'card-4242' })).data).toBe('42424242XXXX4242')
  expect((await owner.applications.list()).data.map(({ name, type }) => [name, type])).toEqual([
    ['Browser', 'public'],
    ['Management', 'management'],
    ['Backend', 'private'],
  ])
})

test('a seed can be JSON', async () => {
  const { owner } = await createSeeded(
    JSON.stringify({ tokens: [{ id: 'one', type: 'token', data: { a: 1 } }] }),
  )
  expect((await owner.tokens.get({ id: 'one' })).type).toBe('token')
})

test('T-02 T-03 generated data of every type is valid, including its checksums', async () => {
  const generate = tokenTypes.map((type) => ({
    type,
    count: 30,
    id: `${type}-{n}`,
    metadata: { n: 'no {n}' },
  }))
  const tokens = generateFrom({ generate })
  for (const { type, data } of tokens) {
    const at = data as { number?: string; routing_number?: string }
    if (type === 'card') expect(isLuhnValid(at.number ?? '')).toBe(true)
    if (type === 'card_number') expect(isLuhnValid(data as string)).toBe(true)
    if (type === 'bank') expect(isAbaValid(at.routing_number ?? '')).toBe(true)
    if (type === 'us_bank_routing_number') expect(isAbaValid(data as string)).toBe(true)
  }
  const { owner } = await createSeeded(JSON.stringify({ generate }))
  const { token_report } = await owner.tenants.getUsageReport()
  for (const type of tokenTypes) expect(token_report.metrics_by_type[type]?.count).toBe(30)
  expect((await owner.tokens.get({ id: 'bank-7' })).metadata).toEqual({ n: 'no 7' })
})

test('the same random seed generates the same data and ids, and another one different ones', () => {
  const generate = [{ type: 'card' as const, count: 20 }]
  expect(generateFrom({ generate })).toEqual(generateFrom({ generate }))
  expect(generateFrom({ generate, random: 2 })).not.toEqual(generateFrom({ generate }))
  expect(new Set(generateFrom({ generate }).map(({ id }) => id)).size).toBe(20)
  const longer = generateFrom({ generate: [...generate, { type: 'token', count: 1 }] })
  expect(longer.slice(0, 20)).toEqual(generateFrom({ generate }))
})

test('a seed error gives file, line, member and expectation, and never the value', async () => {
  const vault = createEphemeralVault()
  onTestFinished(() => vault.lock())
  const cases = [
    [
      'tokens:\n  - type: card\n    data: { number: "4242424242424241" }\n',
      'seed.yaml:3 tokens[0].data.number must ',
    ],
    ['tokens:\n  - type: card\n    dta: 1\n', 'seed.yaml:3 tokens[0].dta is not a known member'],
    ['generate:\n  - type: card\n    count: 0\n', 'seed.yaml:3 generate[0].count '],
    [
      'generate:\n  - type: card\n    count: 1\n    id: "a/b"\n',
      'seed.yaml:4 generate[0].id must not contain',
    ],
    [
      'generate:\n  - { type: token, count: 2 }\n  - { type: token, count: 2, id: same }\n',
      'seed.yaml:3 generate[1]',
    ],
    [
      'applications:\n  - name: A\n    type: private\n    permissions: [application:read]\n',
      'seed.yaml:4 applications[0].permissions[0] ',
    ],
    [
      'applications:\n  - name: A\n    type: private\n    permissions: [token:read]\n    key: key_local_pvt_short\n',
      'seed.yaml:5 applications[0].key must be key_local_pvt_ and 20 to 64 letters and digits',
    ],
    ['tenant:\n  settings: { nope: 1 }\n', 'seed.yaml:2 tenant.settings.nope '],
    ['tokens: [\n', 'seed.yaml:2 is not valid YAML or JSON'],
    ['- 1\n', 'seed.yaml:1 must be an object'],
  ] as const
  for (const [text, expected] of cases) {
    const applyText = async () => applySeed(vault.engine, parseYaml(text, 'seed.yaml', seed))
    const { detail } = await catchProblem(applyText())
    expect(detail).toContain(expected)
    expect(detail).not.toContain('4242424242424241')
  }
})

test('A-03 a fixed key that is malformed or taken is rejected, and so is a fourth key', async () => {
  const { owner } = await createSeeded('tokens: []')
  const { id } = await owner.applications.create({ name: 'A', type: 'private', permissions: ['token:read'] })
  const fixKey = (key: string) => owner.keys.fix({ id, key })
  const createKey = (fill: string, kind = 'pvt') => `key_local_${kind}_${fill.repeat(20)}`
  for (const wrong of [
    createKey('a', 'pub'),
    'a'.repeat(40),
    `key_local_pvt_${'a'.repeat(19)}`,
    createKey('-'),
  ]) {
    expect(await catchProblem(fixKey(wrong))).toMatchObject({
      status: 400,
      errors: { key: [expect.any(String)] },
    })
  }
  await fixKey(createKey('a'))
  expect(await catchProblem(fixKey(createKey('a')))).toMatchObject({ status: 409 })
  await fixKey(createKey('b'))
  expect(await catchProblem(fixKey(createKey('c')))).toMatchObject({ status: 422 })
})

test('A-03 a stored vault accepts no fixed key', async () => {
  const { owner, application } = openVault()
  const { id, client } = await application({ permissions: ['token:read'] })
  expect(await catchProblem(owner.keys.fix({ id, key: fixed }))).toMatchObject({ status: 403 })
  expect(await catchProblem(client.keys.fix({ id, key: fixed }))).toMatchObject({ status: 403 })
})

test.each([
  ['a tag', 'tokens: [{type: token, data: !!binary aGVsbG8=}]', 'seed.yaml:1 is not valid'],
  [
    'not a number',
    'tokens:\n  - {type: token, data: .nan}',
    'seed.yaml:2 has a number that cannot be stored',
  ],
  ['a long hexadecimal', 'tokens: [{type: token, data: 0x12345678901234567}]', 'cannot be stored exactly'],
  ['an endless number', `tokens: [{type: token, data: ${'1'.repeat(1001)}}]`, 'cannot be stored exactly'],
  ['a list for a name', 'tokens: [{type: token, data: {? [x] : b}}]', 'seed.yaml:1 is not valid'],
  ['__proto__', 'tokens: [{type: token, data: {__proto__: 1}}]', 'must not have a member named __proto__'],
  [
    'a node within itself',
    'tokens: &all [{type: token, data: *all}]',
    'refers to a part of the file that contains it',
  ],
  ['a missing anchor', 'tokens: [{type: token, data: *none}]', 'an alias that is not defined'],
])('X-08 YAML that JSON cannot express is rejected, not converted: %s', (_what, text, message) => {
  expect(() => parseYaml(text, 'seed.yaml', seed)).toThrow(message)
})

test('a seed can use YAML aliases, and a name is always text', async () => {
  const { owner } = await createSeeded(
    'tokens:\n  - &one { id: one, type: token, data: { 1: a, true: b } }\n  - { <<: *one, id: two }',
  )
  expect((await owner.tokens.get({ id: 'two' })).type).toBe('token')
  const value = parseYaml('tokens: [{type: token, data: {1: a, null: b}}]', 'seed.yaml', seed).value
  expect(value.tokens[0]?.data).toEqual({ 1: 'a', null: 'b' })
})

const id = '0f6f1c1e-7a5b-4a51-9a44-0a8f4d4b7a10'
const other = '0f6f1c1e-7a5b-4a51-9a44-0a8f4d4b7a11'

test('a seed creates documents, code from files, webhooks and client keys', async () => {
  const folder = createTempFolder()
  const content = randomBytes(2 * CHUNK_BYTES)
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  fs.writeFileSync(path.join(folder, 'scan.pdf'), content)
  fs.writeFileSync(path.join(folder, 'charge.js'), 'module.exports = async () => ({ raw: 1 })')
  const { owner, vault, client_keys } = await createSeeded(
    `
applications:
  - { name: Backend, type: private, permissions: [token:use] }
reactors:
  - { name: charge, file: charge.js, application: { name: Backend }, configuration: { a: b }, runtime: { image: node22, timeout: 20 } }
webhooks:
  - { name: Orders, url: 'http://localhost:3000/hooks', events: [token.created] }
client_keys:
  - {}
  - { expires_at: ${expires_at} }
documents:
  - { id: ${id}, file: ./scan.pdf, content_type: application/pdf, metadata: { customer: ada } }
  - { id: ${other}, text: Hello }
tokens:
  - { id: one, type: token, data: x }
`,
    folder,
  )
  const [reactor] = (await owner.reactors.list({})).data
  expect(reactor).toMatchObject({
    name: 'charge',
    code: 'module.exports = async () => ({ raw: 1 })',
    runtime: { image: 'node22', timeout: 20 },
  })
  expect(await owner.documents.get({ id })).toMatchObject({
    content_type: 'application/pdf',
    metadata: { customer: 'ada' },
  })
  const readChunk = (of: string, number: number) =>
    vault.engine.documents.readChunk(of, number) ?? Buffer.alloc(0)
  expect(Buffer.concat([readChunk(id, 0), readChunk(id, 1)]).equals(content)).toBe(true)
  expect(await owner.documents.get({ id: other })).toMatchObject({ content_type: 'text/plain', metadata: {} })
  expect(String(readChunk(other, 0))).toBe('Hello')
  const [webhook] = (await owner.webhooks.list({})).data
  expect(await owner.webhooks.getHealth({ id: webhook?.id ?? '' })).toMatchObject({ waiting: 0, dropped: 0 })
  expect(client_keys).toHaveLength(2)
  expect(client_keys[1]).toMatchObject({
    expires_at: expect.stringContaining(expires_at),
    public_key_pem: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n.{44}\n/),
  })
  expect((await owner.clientKeys.list({})).map(({ key_id }) => key_id).sort()).toEqual(
    client_keys.map(({ key_id }) => key_id).sort(),
  )
})

test('Z-02 a seed registers merchants of wallets under fixed ids with their certificates, and domains', async () => {
  const merchantId = '6a1f0b8e-3c64-4d0b-9a3f-1f5a7b0c2d11'
  const folder = path.join(import.meta.dirname, '..', 'wallet-files')
  const text = `
wallet_merchants:
  - id: ${merchantId}
    wallet: apple
    merchant_identifier: merchant.com.example.shop
    certificates:
      - { file: processor.p12, password: pässword }
  - wallet: google
    merchant_identifier: BCR2DN6T
    certificates:
      - { file: java.p12, password: password }
wallet_domains: [shop.example.com]
`
  const { owner } = await createSeeded(text, folder)
  const { merchants, domains } = await owner.wallets.getOverview({})
  expect(merchants).toMatchObject([
    { id: merchantId, wallet: 'apple', certificates: [{ name: 'payment_processor_certificate' }] },
    { wallet: 'google', merchant_identifier: 'BCR2DN6T', certificates: [{ name: 'merchant_certificate' }] },
  ])
  expect(domains).toEqual(['shop.example.com'])
  const payload = await createApplePayload({ owner }, { merchant_registration_id: merchantId })
  expect((await owner.applePay.create(payload)).apple_pay.status).toBe('active')

  const twice = text.replace('  - wallet: google', `  - id: ${merchantId}\n    wallet: google`)
  expect((await catchProblem(createSeeded(twice, folder))).detail).toContain(
    'seed.yaml:8 wallet_merchants[1].id is the id of another registration',
  )
  expect((await catchProblem(createSeeded(text.replace('pässword', 'wrong'), folder))).detail).toContain(
    'does not open with payment_processor_certificate_password',
  )
})

test('Z-03 a seed creates merchants', async () => {
  const { owner } = await createSeeded(`
merchants:
  - { name: Shop, details: { merchant: { website_url: https://shop.example.com } } }
  - { name: Other }
`)
  const { data } = await owner.merchants.list({ tenant_id: 'self' })
  expect(data.map(({ name, details }) => [name, details])).toEqual([
    ['Other', {}],
    ['Shop', { merchant: { website_url: 'https://shop.example.com' } }],
  ])
})

test('Z-03 a seed creates network tokens of its tokens and of other cards', async () => {
  const { owner } = await createSeeded(`
tokens:
  - { id: card-1, type: card, data: { number: '4000000000000002', expiration_month: 10, expiration_year: 2035 } }
network_tokens:
  - { token_id: card-1 }
  - { data: { number: '5100000000000008', expiration_month: 10, expiration_year: 2035 } }
`)
  const ids = await owner.networkTokens.listIds()
  expect(ids).toHaveLength(2)
  expect((await owner.tokens.get({ id: 'card-1' }))._extras).toEqual({ network_token_ids: [ids[0]] })
  await expect(createSeeded('network_tokens:\n  - { token_id: none }')).rejects.toThrow(
    'seed.yaml:2 network_tokens[0].token_id must name a token that exists',
  )
})

test('Z-03 a seed creates enrollments of its tokens', async () => {
  const { owner } = await createSeeded(`
tokens:
  - { id: card-1, type: card, data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 } }
enrollments:
  - { token_id: card-1, consumer: { email: ada@example.com }, wallet_name: Shop }
`)
  const { data } = await owner.enrollments.list({})
  expect(data).toMatchObject([{ token_id: 'card-1', wallet_name: 'Shop', status: 'active' }])
})

test('M-01 a seed creates the security contact and invitations', async () => {
  const { owner } = await createSeeded(`
tenant: { security_contact: security@example.com }
invitations:
  - { email: a@example.com, role: READ_ONLY }
  - { email: b@example.com }
`)
  expect(await owner.tenants.getSecurityContact()).toEqual({ email: 'security@example.com' })
  const { data } = await owner.invitations.list({})
  expect(data.map(({ email, role, status }) => [email, role, status]).sort()).toEqual([
    ['a@example.com', 'READ_ONLY', 'PENDING'],
    ['b@example.com', 'ADMIN', 'PENDING'],
  ])
})

test.each([
  ['invitations:\n  - { email: nobody }', 'seed.yaml:3 invitations[0].email must be an email address'],
  ['tenant: { security_contact: nobody }', 'seed.yaml:2 tenant.security_contact must be an email address'],
  [
    'merchants:\n  - { name: a }\n  - { name: a }',
    'seed.yaml:4 merchants[1] The tenant has another merchant with this name.',
  ],
  ['documents:\n  - { file: none }', 'seed.yaml:3 documents[0].file cannot be read: there is no such file'],
  ['documents:\n  - { file: . }', 'seed.yaml:3 documents[0].file must name a file'],
  ['documents:\n  - { file: long }', 'seed.yaml:3 documents[0].file is larger than 50 MiB'],
  ['documents:\n  - { metadata: {} }', 'seed.yaml:3 documents[0] needs either text or file'],
  ['documents:\n  - { text: a, file: b }', 'seed.yaml:3 documents[0] needs either text or file'],
  ['documents:\n  - { text: a, content_type: pdf }', 'seed.yaml:3 documents[0].content_type must be a type'],
  ['documents:\n  - { text: a, id: x }', 'seed.yaml:3 documents[0].id'],
  ['reactors:\n  - { name: r }', 'seed.yaml:3 reactors[0] needs either code or file'],
  ['reactors:\n  - { name: r, file: none.js }', 'seed.yaml:3 reactors[0].file cannot be read'],
  ['reactors:\n  - { name: r, file: no-text.js }', 'seed.yaml:3 reactors[0].file must hold UTF-8 text'],
  [
    'webhooks:\n  - { name: w, url: "http://a.example", events: [token.created] }',
    'seed.yaml:3 webhooks[0].url',
  ],
  ['client_keys:\n  - { expires_at: 2020-01-01 }', 'seed.yaml:3 client_keys[0].expires_at'],
  [
    `documents:\n  - { text: a, id: ${id} }\n  - { text: a, id: ${id} }`,
    'seed.yaml:4 documents[1] This id is taken',
  ],
] as const)(
  'an invalid document, code, webhook or client key is named by line and member: %s',
  async (text, expected) => {
    const folder = createTempFolder()
    fs.writeFileSync(path.join(folder, 'long'), '')
    fs.truncateSync(path.join(folder, 'long'), DOCUMENT_LIMIT + 1)
    fs.writeFileSync(path.join(folder, 'no-text.js'), Buffer.from([0xff, 0xfe, 0xff]))
    expect((await catchProblem(createSeeded(`\n${text}`, folder))).detail).toContain(expected)
  },
)

const portal = 'https://portal.example.com/applications/create'

test('H-05 a portal link in a seed describes an application, and members beside it override it', async () => {
  const { owner, keys } = await createSeeded(`
applications:
  - from: ${portal}?name=Card+Form&permissions=token%3Acreate&permissions=token-intent%3Acreate&type=public
  - from: '${portal}?permissions=token%3Apii%3Aread%3Alow,token%3Ageneral%3Acreate&type=server_to_server.'
    name: Backend
    key: ${fixed}
`)
  expect((await owner.applications.list({})).data).toMatchObject([
    { name: 'Management' },
    { name: 'Backend', type: 'private', permissions: ['token:read', 'token:create'] },
    { name: 'Card Form', type: 'public', permissions: ['token:create', 'token-intent:create'] },
  ])
  expect(keys.private).toBe(fixed)
})

test.each([
  ['https://portal.example.com/tenants', 'applications[0].from must be a portal link: https://…'],
  [
    `${portal}?application_template_id=1&type=public`,
    'applications[0].from names a template, whose permissions',
  ],
  [`${portal}?permissions=token%3Afly`, 'applications[0].from.permissions[0] is not a permission'],
  [`${portal}?type=owner&permissions=token%3Aread`, 'applications[0].from.type must be one of private'],
])('H-05 the link %s is refused with its reason', async (from, message) => {
  await expect(createSeeded(`applications: [{ from: "${from}" }]`)).rejects.toThrow(message)
})

test('H-05 an application without a link needs a name and a type', async () => {
  await expect(createSeeded('applications: [{ permissions: [token:read] }]')).rejects.toThrow(
    /applications\[0\]\.name is required\n.*applications\[0\]\.type is required/,
  )
})
