import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { AccessRule, RuleTransform } from '../../shared/schemas/rule.ts'
import { getRunCount } from '../thorough.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

type Vault = ReturnType<typeof openVault>
type Client = Vault['owner']
type NewToken = Parameters<Client['tokens']['create']>[0]

const number = '4242424242424242'
const card = { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }
const hour = 3_600_000

const createRule = (
  transform: RuleTransform,
  container = '/',
  priority = 1,
  ...more: Permission[]
): AccessRule => ({
  priority,
  container,
  transform,
  permissions: more.length > 0 ? more : ['token:create', 'token:read', 'token:update', 'token:delete'],
})

async function openRevealingVault() {
  const vault = openVault()
  const application = await vault.application({ rules: [createRule('reveal')] })
  return { vault, ...application, tokens: application.client.tokens }
}

async function catchErrorFields(promise: Promise<unknown>): Promise<string[]> {
  const { status, errors } = await catchProblem(promise)
  expect(status).toBe(400)
  return Object.keys(errors ?? {})
}

const updateSettings = (vault: Vault, values: Record<string, string>) =>
  vault.owner.tenants.update({ name: 'Test', settings: values })

describe('type and data', () => {
  test.each<[object, string[]]>([
    [{}, ['type', 'data']],
    [{ type: 'token' }, ['data']],
    [{ data: 1 }, ['type']],
    [{ type: 'token', data: null }, ['data']],
    [{ type: null, data: 1 }, ['type']],
    [{ type: 'token', data: 1, token_intent_id: 'x' }, ['token_intent_id']],
    [{ type: 'token', token_intent_id: 'x' }, ['token_intent_id']],
    [{ data: 1, token_intent_id: 'x' }, ['token_intent_id']],
    [{ token_intent_id: 'unknown' }, ['token_intent_id']],
  ])('T-01 a token needs type and data or a token intent, not both: %j', async (input, members) => {
    const { tokens } = await openRevealingVault()
    expect(await catchErrorFields(tokens.create(input))).toEqual(members)
  })

  test('T-01 a token with falsy data is created and returned with that data', async () => {
    const { tokens } = await openRevealingVault()
    for (const data of [0, false, '', [], {}]) {
      const { id } = await tokens.create({ type: 'token', data })
      expect((await tokens.get({ id })).data).toEqual(data)
    }
  })

  test.each<[string, Json, object]>([
    [
      'token',
      { a: [1, 'two'] },
      { containers: ['/general/high/'], fingerprint_expression: '{{ data | stringify }}' },
    ],
    [
      'card',
      card,
      {
        containers: ['/pci/high/'],
        fingerprint_expression: '{{ data.number }}',
        data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2030 },
      },
    ],
    [
      'card_number',
      number,
      { containers: ['/pci/high/'], fingerprint_expression: '{{ data }}', data: 'XXXXXXXXXXXX4242' },
    ],
    [
      'bank',
      { routing_number: '021000021', account_number: '00001' },
      {
        containers: ['/bank/high/'],
        fingerprint_expression: '{{ data.account_number }}|{{ data.routing_number }}',
        data: { routing_number: '021000021', account_number: 'X0001' },
      },
    ],
    [
      'us_bank_account_number',
      '123456789',
      { containers: ['/bank/high/'], fingerprint_expression: '{{ data }}', data: 'XXXXX6789' },
    ],
    [
      'us_bank_routing_number',
      '021000021',
      { containers: ['/bank/low/'], fingerprint_expression: '{{ data }}', data: 'XXXXX0021' },
    ],
    ...['social_security_number', 'employer_id_number'].map((type): [string, Json, object] => [
      type,
      '123-45-6789',
      {
        containers: ['/pii/high/'],
        fingerprint_expression: "{{ data | remove: '-' }}",
        data: 'XXX-XX-6789',
        search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
      },
    ]),
  ])('T-02 %s gets the defaults of its type', async (type, data, expected) => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: [createRule('mask')] })
    const { search_indexes, ...created } = await client.tokens.create({ type, data })
    expect({ ...created, ...(search_indexes && { search_indexes }) }).toMatchObject(expected)
    expect(created.fingerprint).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/)
    expect('search_indexes' in expected).toBe(search_indexes !== undefined)
    expect((await vault.owner.tokens.reveal({ id: created.id })).data).toEqual(data)
  })

  test('T-02 an unknown type is rejected', async () => {
    const { tokens } = await openRevealingVault()
    for (const type of ['', 'Card', 'constructor', '__proto__', 'toString']) {
      expect(await catchErrorFields(tokens.create({ type, data: 1 }))).toEqual(['type'])
    }
  })

  test('T-03 data that is invalid for its type is rejected, and the error lists every invalid member', async () => {
    const { tokens } = await openRevealingVault()
    const catchMembers = (type: string, data: Json) => catchErrorFields(tokens.create({ type, data }))
    expect(
      await catchMembers('card', {
        number: `${number}0`,
        expiration_month: 13,
        expiration_year: 30,
        cvc: '1',
        x: 1,
      }),
    ).toEqual(['data.number', 'data.expiration_month', 'data.expiration_year', 'data.cvc', 'data.x'])
    expect(
      await catchMembers('bank', { routing_number: '021000022', account_number: '1'.repeat(18) }),
    ).toEqual(['data.routing_number', 'data.account_number'])
    expect(await catchMembers('card_number', 4242424242424242)).toEqual(['data'])
    expect(await catchMembers('social_security_number', '12345678')).toEqual(['data'])
  })

  test('T-03 A-08 an optional card member that is null is treated as absent', async () => {
    const { client, tokens } = await openRevealingVault()
    const data = { number, expiration_month: null, expiration_year: null, cvc: null }
    const { id, ...created } = await tokens.create({ type: 'card', data })
    expect([created.data, (await tokens.get({ id })).data]).toEqual([{ number }, { number }])
    const patched = await tokens.update({ id, data: { expiration_month: 1, cvc: null } })
    expect(patched.data).toEqual({ number, expiration_month: 1 })
    const [tokenized] = (await client.tokens.tokenize({ payload: [{ type: 'card', data }] })) as [
      { data: Json },
    ]
    expect(tokenized.data).toEqual({ number })
    for (const wrong of [{ number: null }, { number, colour: null }]) {
      expect((await catchProblem(tokens.create({ type: 'card', data: wrong }))).status).toBe(400)
    }
  })

  test('T-03 a card with a past expiry date is accepted, even with month and year as strings', async () => {
    const { tokens } = await openRevealingVault()
    const data = { number, expiration_month: '01', expiration_year: '1999', cvc: 1234 }
    const created = await tokens.create({ type: 'card', data })
    expect([created.data, created.card?.expiration_month, created.card?.expiration_year]).toEqual([
      data,
      1,
      1999,
    ])
  })
})

describe('ids', () => {
  test('T-04 an id is a random UUID v4, or the literal or expression of the request', async () => {
    const { tokens } = await openRevealingVault()
    const created = await tokens.create({ type: 'token', data: 1 })
    expect(created.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect((await tokens.create({ id: 'my id', type: 'token', data: 1 })).id).toBe('my id')
    expect((await tokens.create({ id: 'x-{{ data | last4 }}', type: 'card_number', data: number })).id).toBe(
      'x-4242',
    )
    const alias = await tokens.create({
      id: "{{ data | alias_card: 'true', 'true' }}",
      type: 'card_number',
      data: number,
    })
    expect(alias.id).toMatch(/^42424242\d{4}4242$/)
  })

  test('T-04 creating a token with a taken id gets 409 until that token is deleted or expired', async () => {
    const { vault, tokens } = await openRevealingVault()
    const createToken = (more: Partial<NewToken> = {}) =>
      tokens.create({ id: 'taken', type: 'token', data: 1, ...more })
    await createToken({ expires_at: '2030-01-01T00:00:01Z' })
    expect((await catchProblem(createToken())).status).toBe(409)
    vault.clock.advance(1000)
    await createToken({ data: 2 })
    expect((await catchProblem(createToken())).status).toBe(409)
    await tokens.remove({ id: 'taken' })
    expect((await createToken({ data: 3 })).data).toBe(3)
  })

  test('T-04 an id of invalid length or with a forbidden character is rejected', async () => {
    const { tokens } = await openRevealingVault()
    const forbidden = [...'#/\\+?[]|&=%<>{}^', '\0', '\n', '\ud800'].map((each) => `abc${each}`)
    const broken = ['{{ data', '{% raw %}abc{% endraw %}']
    for (const id of ['ab', 'a'.repeat(401), ' abc', 'abc ', ...forbidden, ...broken]) {
      expect([id, await catchErrorFields(tokens.create({ id, type: 'token', data: 'abc' }))]).toEqual([
        id,
        ['id'],
      ])
    }
  })

  test('T-04 an expression that yields no valid id is rejected', async () => {
    const { tokens } = await openRevealingVault()
    const data = { short: 'ab', bad: 'a/b', none: null, long: 'x'.repeat(401), empty: '' }
    for (const name of [...Object.keys(data), 'missing']) {
      expect(
        await catchErrorFields(tokens.create({ id: `{{ data.${name} }}`, type: 'token', data })),
      ).toEqual(['id'])
    }
  })

  test('T-04 an id expression that collides five times is replaced with a UUID', async () => {
    const { tokens } = await openRevealingVault()
    const createToken = () =>
      tokens.create({ id: '{{ data | card_bin }}', type: 'card_number', data: number })
    expect((await createToken()).id).toBe('42424242')
    expect((await createToken()).id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('T-05 X-22 X-50 ids and metadata that contain the value, with any separators, are rejected', async () => {
    const { tokens } = await openRevealingVault()
    const createToken = (more: Partial<NewToken>) =>
      tokens.create({ type: 'card_number', data: number, ...more })
    for (const id of [
      number,
      `x-${number}`,
      '4242-4242-4242-4242',
      '{{ data }}',
      "{{ data | append: '-x' }}",
      '４２４２４２４２４２４２４２４２',
      '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
      number.slice(0, 12),
      `order-${number.slice(4)}`,
      number.split('').join('x'),
      '424z242y424a242',
      "{{ data | split: '' | join: 'x' }}",
      '{{ data | slice: 0, 12 }}',
    ]) {
      expect(await catchErrorFields(createToken({ id }))).toEqual(['id'])
    }
    for (const metadata of [
      { a: number },
      { a: `no ${number} no` },
      { a: '4242 4242 4242 4242' },
      { a: '42q42w42e42r42t42' },
    ]) {
      expect(await catchErrorFields(createToken({ metadata }))).toEqual(['metadata.a'])
    }
    expect(await catchErrorFields(createToken({ metadata: { [number]: 'a' } }))).toEqual(['metadata'])
    expect((await createToken({ id: 'ends-4242', metadata: { bin: '42424242' } })).id).toBe('ends-4242')
    const short = { type: 'us_bank_account_number', data: '1234' }
    for (const metadata of [{ order: 'o-91234-2' }, { order: '12345' }]) {
      expect((await tokens.create({ ...short, metadata })).metadata).toEqual(metadata)
    }
    expect(await catchErrorFields(tokens.create({ ...short, metadata: { a: '12-34' } }))).toEqual([
      'metadata.a',
    ])
    const long = { type: 'us_bank_account_number', data: '12345', metadata: { order: 'o-12345-2' } }
    expect(await catchErrorFields(tokens.create(long))).toEqual(['metadata.order'])
    const ssn = tokens.create({ type: 'social_security_number', data: '123456789', id: '123-45-6789' })
    expect(await catchErrorFields(ssn)).toEqual(['id'])
    const bank = { routing_number: '021000021', account_number: '000123456' }
    expect(
      await catchErrorFields(tokens.create({ type: 'bank', data: bank, metadata: { a: '000123456' } })),
    ).toEqual(['metadata.a'])
  })
})

describe('metadata, masks and expressions', () => {
  test('T-06 metadata maps strings to strings within its limits', async () => {
    const { tokens } = await openRevealingVault()
    const createToken = (metadata: unknown) => tokens.create({ type: 'token', data: 1, metadata } as never)
    const maxMetadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, 'v']))
    for (const right of [{ ['k'.repeat(200)]: 'v'.repeat(2000) }, { k: '' }, maxMetadata]) {
      expect((await createToken(right)).metadata).toEqual(right)
    }
    expect((await createToken({})).metadata).toBeUndefined()
    expect(await catchErrorFields(createToken({ ...maxMetadata, more: 'v' }))).toEqual(['metadata'])
    expect(await catchErrorFields(createToken({ ['k'.repeat(201)]: 'v' }))).toEqual(['metadata'])
    expect(await catchErrorFields(createToken({ '': 'v' }))).toEqual(['metadata'])
    expect(await catchErrorFields(createToken({ k: 'v'.repeat(2001), n: 1, z: null }))).toEqual([
      'metadata.k',
      'metadata.n',
      'metadata.z',
    ])
    for (const wrong of ['x', [], 1]) expect(await catchErrorFields(createToken(wrong))).toEqual(['metadata'])
    // a message that applies to several members is listed only once.
    const { detail, errors } = await catchProblem(createToken({ '': 'v', ['k'.repeat(201)]: 'v' }))
    const message = 'must have keys of 1 to 200 characters'
    expect([detail, errors]).toEqual([`metadata ${message}`, { metadata: [message] }])
  })

  test('T-07 creating a token with an invalid expression is rejected', async () => {
    const { tokens } = await openRevealingVault()
    const createToken = (more: object) =>
      tokens.create({ type: 'token', data: { a: 'x', n: null, e: '' }, ...more } as never)
    expect(await catchErrorFields(createToken({ mask: '{{ data.a | nope }}' }))).toEqual(['mask'])
    expect(await catchErrorFields(createToken({ mask: { deep: ['ok', '{{ data.a'] } }))).toEqual([
      'mask.deep[1]',
    ])
    expect(await catchErrorFields(createToken({ mask: '{% if true %}x{% endif %}' }))).toEqual(['mask'])
    expect(await catchErrorFields(createToken({ fingerprint_expression: '{{ | }}' }))).toEqual([
      'fingerprint_expression',
    ])
    expect(await catchErrorFields(createToken({ fingerprint_expression: 'x'.repeat(401) }))).toEqual([
      'fingerprint_expression',
    ])
    for (const each of ['{{ data.n }}', '{{ data.e }}', '{{ data.none }}', '{{ data.a | nope }}']) {
      expect(await catchErrorFields(createToken({ search_indexes: ['{{ data.a }}', each] }))).toEqual([
        'search_indexes[1]',
      ])
    }
    const long = `${'x'.repeat(2_000 - '{{ data.a }}'.length)}{{ data.a }}`
    expect((await createToken({ search_indexes: [long] })).search_indexes).toEqual([long])
    expect(await catchErrorFields(createToken({ search_indexes: [`x${long}`] }))).toEqual([
      'search_indexes[0]',
    ])
    expect(await catchErrorFields(createToken({ search_indexes: Array(11).fill('{{ data.a }}') }))).toEqual([
      'search_indexes',
    ])
    const indexes = Array(10).fill('{{ data.a }}')
    expect((await createToken({ search_indexes: indexes })).search_indexes).toEqual(indexes)
  })

  test('T-07 a mask is a string, object or array, and a lone expression yields its value’s type', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: [createRule('mask')] })
    const getVisibleData = async (mask: Json, data: Json = { number, list: [1, 2], n: 7 }) => {
      const { data: masked, mask: kept } = await client.tokens.create({ type: 'token', data, mask })
      expect(kept).toEqual(mask)
      return masked
    }
    expect(await getVisibleData('***')).toBe('***')
    expect(await getVisibleData('{{ data.n }}')).toBe(7)
    expect(await getVisibleData('n={{ data.n }}')).toBe('n=7')
    expect(
      await getVisibleData({ list: '{{ data.list }}', none: '{{ data.none }}', n: 1, is: true }),
    ).toEqual({
      list: [1, 2],
      none: null,
      n: 1,
      is: true,
    })
    expect(await getVisibleData(['{{ data.n }}', 'x'])).toEqual([7, 'x'])
    expect(await getVisibleData({ number: '{{ data.number, reveal_last: 4 }}' })).toEqual({
      number: 'XXXXXXXXXXXX4242',
    })
  })
})

describe('the response', () => {
  test('T-08 a response contains every member that has a value and no other', async () => {
    const { vault, id: application, tokens } = await openRevealingVault()
    const created = await tokens.create({
      id: 'full',
      type: 'card',
      data: card,
      mask: { number: '{{ data.number | card_mask }}' },
      containers: ['/A/', '/b/'],
      metadata: { a: 'b' },
      search_indexes: ['{{ data.number | last4 }}'],
      fingerprint_expression: '{{ data.number }}-x',
      expires_at: '2031-01-01',
    })
    const { _extras, ...rest } = created
    expect(_extras).toEqual({ deduplicated: false })
    expect(rest).toEqual({
      id: 'full',
      tenant_id: vault.engine.tenant_id,
      type: 'card',
      data: card,
      mask: { number: '{{ data.number | card_mask }}' },
      card: expect.objectContaining({ brand: 'visa' }),
      fingerprint: expect.any(String),
      fingerprint_expression: '{{ data.number }}-x',
      containers: ['/a/', '/b/'],
      metadata: { a: 'b' },
      search_indexes: ['{{ data.number | last4 }}'],
      expires_at: '2031-01-01T00:00:00.000+00:00',
      created_by: application,
      created_at: '2030-01-01T00:00:00.000+00:00',
    })
    expect(await tokens.get({ id: 'full' })).toEqual(rest)
    expect((await tokens.list({})).data).toEqual([rest])
    const bare = await tokens.create({ type: 'token', data: 1 })
    expect(Object.keys(bare).sort()).toEqual([
      '_extras',
      'containers',
      'created_at',
      'created_by',
      'data',
      'fingerprint',
      'fingerprint_expression',
      'id',
      'tenant_id',
      'type',
    ])
  })

  test('T-16 cards and card numbers have card details, with a null brand for an unknown BIN', async () => {
    const { tokens } = await openRevealingVault()
    expect((await tokens.create({ type: 'card', data: card })).card).toEqual({
      bin: '42424242',
      last4: '4242',
      expiration_month: 12,
      expiration_year: 2030,
      brand: 'visa',
      funding: 'credit',
      authentication: 'sca_required',
      issuer: { country: 'BM', name: 'Test Cards (TEST)' },
      issuer_country: { alpha2: 'BM', name: 'Bermuda', numeric: '060' },
      segment: 'Consumer',
      product: { code: 'TEST' },
    })
    expect((await tokens.create({ type: 'card_number', data: '371449635398431' })).card).toMatchObject({
      bin: '371449',
      last4: '8431',
      brand: 'american-express',
    })
    expect((await tokens.create({ type: 'card_number', data: '9000000000000001' })).card).toEqual({
      bin: '90000000',
      last4: '0001',
      brand: null,
      funding: null,
      authentication: null,
    })
  })

  test('T-17 bank details have the routing number and the last four account digits', async () => {
    const { tokens } = await openRevealingVault()
    const data = { routing_number: '021000021', account_number: '00012345' }
    expect((await tokens.create({ type: 'bank', data })).bank).toEqual({
      routing_number: '021000021',
      account_number_last4: '2345',
    })
  })
})

describe('fingerprints and duplicates', () => {
  test('T-09 fingerprints are equal only for the same content, type and vault', async () => {
    const { vault, tokens } = await openRevealingVault()
    const createFingerprint = async (type: string, data: Json, more: object = {}) =>
      (await tokens.create({ type, data, ...more })).fingerprint
    const first = await createFingerprint('card_number', number)
    expect(
      await createFingerprint('card_number', number, { metadata: { a: 'b' }, containers: ['/x/'] }),
    ).toBe(first)
    expect(await createFingerprint('card_number', '4111111111111111')).not.toBe(first)
    expect(await createFingerprint('token', number)).not.toBe(first)
    expect(await createFingerprint('card', card)).toBe(
      await createFingerprint('card', { number, cvc: '999' }),
    )
    expect(await createFingerprint('token', { a: 1, b: 2 }, { fingerprint_expression: '{{ data.a }}' })).toBe(
      await createFingerprint('token', { a: 1, b: 3 }, { fingerprint_expression: '{{ data.a }}' }),
    )
    vault.reopen()
    expect(await createFingerprint('card_number', number)).toBe(first)
    const elsewhere = await openRevealingVault()
    expect((await elsewhere.tokens.create({ type: 'card_number', data: number })).fingerprint).not.toBe(first)
  })

  test('T-09 a fingerprint expression creates a fingerprint even if the tenant disables them', async () => {
    const { vault, tokens } = await openRevealingVault()
    await updateSettings(vault, { fingerprint_tokens: 'false' })
    const plain = await tokens.create({ type: 'token', data: 1 })
    expect([plain.fingerprint, plain.fingerprint_expression]).toEqual([undefined, undefined])
    const own = await tokens.create({ type: 'token', data: 1, fingerprint_expression: '{{ data }}' })
    expect(own.fingerprint).toMatch(/./)
  })

  test('T-10 deduplicate_token returns the existing token unchanged', async () => {
    const { vault, tokens } = await openRevealingVault()
    const created = await tokens.create({ type: 'card_number', data: number, metadata: { a: 'b' } })
    vault.clock.advance(10)
    const again = await tokens.create({
      type: 'card_number',
      data: number,
      metadata: { c: 'd' },
      containers: ['/other/'],
      deduplicate_token: true,
    })
    expect(again).toEqual({
      ...created,
      _extras: { deduplicated: true, deduplication_behavior: 'read_existing' },
    })
    expect((await tokens.list({})).data).toHaveLength(1)
    expect((await tokens.create({ type: 'card', data: card, deduplicate_token: true }))._extras).toEqual({
      deduplicated: false,
    })
  })

  test('T-10 deduplicate_token overrides the setting of the tenant', async () => {
    const { vault, tokens } = await openRevealingVault()
    const createToken = async (deduplicate_token?: boolean) => {
      const created = await tokens.create({
        type: 'token',
        data: 1,
        ...(deduplicate_token !== undefined && { deduplicate_token }),
      })
      return created._extras?.deduplicated
    }
    await createToken()
    expect(await createToken()).toBe(false)
    await updateSettings(vault, { deduplicate_tokens: 'true' })
    expect(await createToken()).toBe(true)
    expect(await createToken(false)).toBe(false)
    await updateSettings(vault, { deduplicate_tokens: 'false' })
    expect(await createToken(true)).toBe(true)
  })

  test('T-10 an expired token is not a duplicate', async () => {
    const { vault, tokens } = await openRevealingVault()
    const createToken = (more: object) =>
      tokens.create({ type: 'token', data: 1, deduplicate_token: true, ...more })
    await createToken({ expires_at: '2030-01-01T00:00:01Z' })
    vault.clock.advance(1000)
    expect((await createToken({}))._extras).toEqual({ deduplicated: false })
  })

  test('T-10 X-17 a duplicate shows no data or metadata to a caller who may not read it', async () => {
    const vault = openBriefVault()
    await vault.owner.tokens.create({
      type: 'card_number',
      data: number,
      metadata: { secret: 'note' },
      containers: ['/other/'],
    })
    const asked = { type: 'card_number', data: number, containers: ['/mine/'], deduplicate_token: true }
    const createRules = (transform: RuleTransform, read?: string) => [
      createRule('reveal', '/mine/', 1, 'token:create'),
      ...(read ? [createRule(transform, read, 2, 'token:read')] : []),
    ]
    const createDuplicate = async (rules: AccessRule[]) => {
      const { client } = await vault.application({ rules })
      const { data, metadata, _extras } = await client.tokens.create(asked)
      expect(_extras).toEqual({ deduplicated: true, deduplication_behavior: 'read_existing' })
      return [data, metadata]
    }
    expect(await createDuplicate(createRules('reveal'))).toEqual([undefined, undefined])
    expect(await createDuplicate(createRules('reveal', '/mine/'))).toEqual([undefined, undefined])
    expect(await createDuplicate(createRules('redact', '/other/'))).toEqual([undefined, { secret: 'note' }])
    expect(await createDuplicate(createRules('mask', '/other/'))).toEqual([
      'XXXXXXXXXXXX4242',
      { secret: 'note' },
    ])
    expect(await createDuplicate(createRules('reveal', '/other/'))).toEqual([number, { secret: 'note' }])
    const elsewhere = await vault.application({ rules: createRules('reveal') })
    const outside = elsewhere.client.tokens.create({ ...asked, containers: ['/other/'] })
    expect((await catchProblem(outside)).status).toBe(403)
  })
})

describe('deletion and expiry', () => {
  test('T-11 a deleted token is not found by any operation, and its id can be reused', async () => {
    const { tokens } = await openRevealingVault()
    const asked = {
      id: 'one',
      type: 'token',
      data: 'secret',
      containers: ['/a/', '/b/'],
      metadata: { k: 'v' },
      search_indexes: ['{{ data }}'],
    }
    const { fingerprint = '' } = await tokens.create(asked)
    await tokens.remove({ id: 'one' })
    const queries = [{}, { container: '/b/' }, { type: 'token' }, { fingerprint }, { metadata: { k: 'v' } }]
    const countFound = async () => {
      const counts = await Promise.all(queries.map(async (query) => (await tokens.list(query)).data.length))
      return [...counts, (await tokens.search({ query: 'data:secret' })).data.length]
    }
    expect(await countFound()).toEqual([0, 0, 0, 0, 0, 0])
    expect((await catchProblem(tokens.get({ id: 'one' }))).status).toBe(404)
    expect((await catchProblem(tokens.remove({ id: 'one' }))).status).toBe(404)
    expect((await tokens.create({ ...asked, deduplicate_token: true }))._extras).toEqual({
      deduplicated: false,
    })
    expect(await countFound()).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('T-14 an expired token is not found by any caller, not even the owner', async () => {
    const { vault, tokens } = await openRevealingVault()
    await tokens.create({ id: 'one', type: 'token', data: 1, expires_at: '2030-01-01T02:00:10+02:00' })
    vault.clock.advance(9_999)
    expect((await tokens.get({ id: 'one' })).expires_at).toBe('2030-01-01T02:00:10.000+02:00')
    vault.clock.advance(1)
    for (const ask of [
      () => tokens.get({ id: 'one' }),
      () => tokens.update({ id: 'one', expires_at: null }),
      () => tokens.remove({ id: 'one' }),
      () => vault.owner.tokens.get({ id: 'one' }),
      () => vault.owner.tokens.reveal({ id: 'one' }),
    ]) {
      expect((await catchProblem(ask())).status).toBe(404)
    }
    expect((await tokens.list({})).data).toEqual([])
  })

  test('T-14 an invalid or past expires_at is rejected', async () => {
    const { tokens } = await openRevealingVault()
    for (const expires_at of [
      '2029-12-31',
      '2029-12-31T23:59:59.999Z',
      '2030-01-01T00:00:00+00:01',
      'never',
      '',
      '2031-02-30',
    ]) {
      expect(await catchErrorFields(tokens.create({ type: 'token', data: 1, expires_at }))).toEqual([
        'expires_at',
      ])
    }
    for (const expires_at of [
      '2030-01-02',
      '1/2/2030',
      '1/2/2030 1:02:03 PM +02:00',
      '2030-01-01T00:00:00',
    ]) {
      await tokens.create({ type: 'token', data: 1, expires_at })
    }
  })

  test('T-15 a cvc is hidden after its retention time, and the sweep deletes it', async () => {
    const { vault, tokens } = await openRevealingVault()
    const { id, fingerprint } = await tokens.create({ type: 'card', data: card })
    const { cvc: _, ...rest } = card
    vault.clock.advance(hour - 1)
    expect((await tokens.get({ id })).data).toEqual(card)
    vault.clock.advance(1)
    expect((await tokens.get({ id })).data).toEqual(rest)
    expect((await vault.owner.tokens.reveal({ id })).data).toEqual(rest)
    vault.reopen()
    await vault.engine.sweeper.sweep()
    // If the cvc were only hidden, a longer retention time would show it again.
    await updateSettings(vault, { cvc_retention_seconds: '86400' })
    expect(await tokens.get({ id })).toMatchObject({ data: rest, fingerprint })
  })

  test('T-15 the default mask omits the cvc, and the fingerprint does not depend on it', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: [createRule('mask')] })
    const created = await client.tokens.create({ type: 'card', data: card })
    expect(created.data).not.toHaveProperty('cvc')
    expect(JSON.stringify(created)).not.toContain('cvc')
    const other = await client.tokens.create({ type: 'card', data: { ...card, cvc: '999' } })
    expect(other.fingerprint).toBe(created.fingerprint)
  })
})

describe('masks', () => {
  const generateDigits = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })

  /** A number with a valid check digit. */
  const cardNumber = generateDigits(12, 18).map((text) => {
    for (const last of '0123456789') {
      const sum = [...(text + last)].reverse().reduce((total, digit, at) => {
        const weighted = Number(digit) * (at % 2 === 1 ? 2 : 1)
        return total + (weighted > 9 ? weighted - 9 : weighted)
      }, 0)
      if (sum % 10 === 0) return text + last
    }
    throw new Error('no check digit')
  })

  /** The mask of a secret: its last four characters, dashes, and X for the others. */
  const maskSecret = (secret: string) => {
    const kept = Math.max(0, secret.length - 4)
    return secret.slice(0, kept).replace(/[^-]/g, 'X') + secret.slice(kept)
  }

  test('T-02 X-16 a caller with the transform mask gets at most the last four characters of a value', async () => {
    const vault = openBriefVault()
    const rules = [createRule('mask')]
    const { client } = await vault.application({ rules })
    const secret = fc.oneof(
      cardNumber.map((value) => ({ type: 'card_number', value, data: value as Json })),
      fc
        .tuple(cardNumber, generateDigits(3, 4))
        .map(([value, cvc]) => ({ type: 'card', value, data: { number: value, cvc } as Json })),
      generateDigits(5, 17).map((value) => ({ type: 'us_bank_account_number', value, data: value as Json })),
      generateDigits(5, 17).map((value) => ({
        type: 'bank',
        value,
        data: { routing_number: '021000021', account_number: value } as Json,
      })),
      generateDigits(9, 9).map((value) => ({ type: 'employer_id_number', value, data: value as Json })),
    )
    await fc.assert(
      fc.asyncProperty(secret, async ({ type, value, data }) => {
        const created = await client.tokens.create({ type, data })
        const { id } = created
        const responses = [
          created,
          await client.tokens.get({ id }),
          ...(await client.tokens.list({ type })).data,
          await client.tokens.update({ id, metadata: { a: 'b' } }),
        ]
        for (const response of responses) {
          const shown = response.data as Json
          const part = typeof shown === 'string' ? shown : (shown as { number?: Json; account_number?: Json })
          expect(typeof part === 'string' ? part : (part.number ?? part.account_number)).toBe(
            maskSecret(value),
          )
          expect(JSON.stringify(shown)).not.toContain('cvc')
          // Other members may show the BIN, but never the full number.
          expect(JSON.stringify(response)).not.toContain(value)
        }
        await client.tokens.remove({ id })
      }),
      getRunCount(60),
    )
  })
})
