import { describe, expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import type { Json } from '../../shared/json.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'
import { type NewToken, updateSettings } from './vault-helpers.ts'

const number = '4242424242424242'
const other = '4111111111111111'

async function openRevealing() {
  const vault = openVault()
  const permissions = ['token:create', 'token:read', 'token:update'] as const
  const { client } = await vault.application({
    permissions: ['token-intent:create'],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: [...permissions] }],
  })
  return { vault, client, tokens: client.tokens }
}

/** Returns the errors by field. Fails if the call succeeds. */
async function getErrors(promise: Promise<unknown>) {
  const { status, errors } = await catchProblem(promise)
  expect(status).toBe(400)
  return errors
}

const empty = { fingerprint_expression: ['must not yield null or an empty value'] }
const missing = {
  fingerprint_expression: ['uses a value that is missing; if it is optional, add a default filter'],
}

/** Expressions that find nothing, each with its data and the expected errors. There is no metadata. */
const nothing: [string, Json, Record<string, string[]>][] = [
  ['{{ data.numbr }}', { a: 'x' }, empty],
  ['{{ metadata.customer }}', { a: 'x' }, empty],
  ['{{ metadata }}', { a: 'x' }, empty],
  ['{{ nothing }}', { a: 'x' }, empty],
  ['{{ data.none }}', { none: null }, empty],
  ['{{ data.none }}', { none: '' }, empty],
  ['{{ data.none }}', { none: ' \t\n' }, empty],
  ['{{ data.none }}', { none: [] }, empty],
  ['{{ data.none }}', { none: {} }, empty],
  ['{{ data.none }}', { none: [null, { a: null }] }, empty],
  ['{{ data.none | stringify }}', { a: 'x' }, empty],
  ['{{ data.none | upcase }}', { a: 'x' }, empty],
  ["{{ data.none | map: 'id' }}", { none: [{ a: 1 }] }, empty],
  ["{{ data.none | default: '' }}", { a: 'x' }, empty],
  ['{{ data.none }}{{ data.neither }}', { a: 'x' }, empty],
  ['{{ data.none }}-{{ data.neither }}', { none: '', neither: '' }, empty],
  ['{{ metadata.customer }}-{{ data.a }}', { a: 'x' }, missing],
  ['{{ data.account_number }}|{{ data.routing_number }}', { account_number: '1' }, missing],
  ['{{ data.a }}{{ data.none | stringify }}', { a: 'x', none: null }, missing],
  ["{{ data.none | append: '-x' }}", { a: 'x' }, missing],
  ["{{ data.a | append: '-' | append: data.none }}", { a: 'x' }, missing],
  ['{{ data.none | size }}', { a: 'x' }, missing],
  ['{{ data.none | plus: 1 }}', { a: 'x' }, missing],
  ["{{ data.none | map: 'id' | join: ',' }}", { none: [{ id: 'x' }, {}] }, missing],
  ["{{ data.none | sum: 'price' }}", { none: [null] }, missing],
  ["{{ data.none | default: data.neither | append: '!' }}", { a: 'x' }, missing],
]

describe('a fingerprint expression', () => {
  test('T-07 T-10 tokens with different metadata in the expression are not duplicates', async () => {
    const { vault, tokens } = await openRevealing()
    const input = {
      type: 'token',
      fingerprint_expression: '{{ metadata.customer }}',
      deduplicate_token: true,
    }
    const alice = await tokens.create({ ...input, data: 'secret of alice', metadata: { customer: 'alice' } })
    const bob = await tokens.create({ ...input, data: 'secret of bob', metadata: { customer: 'bob' } })
    expect([bob.data, bob._extras]).toEqual(['secret of bob', { deduplicated: false }])
    expect((await vault.owner.tokens.reveal({ id: bob.id })).data).toBe('secret of bob')
    const again = await tokens.create({ ...input, data: 'newer', metadata: { customer: 'alice' } })
    expect([again.id, again._extras]).toEqual([
      alice.id,
      { deduplicated: true, deduplication_behavior: 'read_existing' },
    ])
    const createCard = (customer: string) =>
      tokens.create({
        type: 'card',
        data: { number },
        metadata: { customer },
        fingerprint_expression: '{{ metadata.customer }}-{{ data.number }}',
        deduplicate_token: true,
      })
    expect((await createCard('alice')).id).not.toBe((await createCard('bob')).id)
    expect((await createCard('alice')).id).toBe((await createCard('alice')).id)
  })

  test.each(nothing)(
    'T-07 an expression without a value is rejected: %s over %j',
    async (expression, data, errors) => {
      const { client, tokens } = await openRevealing()
      const input = { type: 'token', data, fingerprint_expression: expression, deduplicate_token: true }
      expect(await getErrors(tokens.create(input))).toEqual(errors)
      const report = await client.tokens.list({})
      expect(report.data).toEqual([])
    },
  )

  test('T-07 a fingerprint expression is checked on every create and change', async () => {
    const { vault, client, tokens } = await openRevealing()
    const input = { type: 'card', data: { number }, fingerprint_expression: '{{ data.numbr }}' }
    const report = await vault.owner.tokens.createMany({
      tokens: [input, { type: 'card', data: { number } }],
    })
    expect(report.ids).toEqual([null, expect.any(String)])
    expect(report.refused).toEqual([
      { index: 0, detail: 'fingerprint_expression must not yield null or an empty value', errors: empty },
    ])
    expect(await getErrors(client.tokens.tokenize({ payload: { a: input } }))).toEqual({
      'a.fingerprint_expression': empty.fingerprint_expression,
    })
    const intent = await client.tokenIntents.create({ type: 'card', data: { number } })
    const { data: _, type: __, ...rest } = input
    expect(await getErrors(tokens.create({ token_intent_id: intent.id, ...rest }))).toEqual(empty)
    // The intent still exists.
    await tokens.create({ token_intent_id: intent.id })
    const { id } = await tokens.create({ type: 'token', data: { a: 'x' }, metadata: { customer: 'alice' } })
    expect(await getErrors(tokens.update({ id, fingerprint_expression: '{{ data.b }}' }))).toEqual(empty)
    await tokens.update({ id, fingerprint_expression: '{{ metadata.customer }}/{{ data.a }}' })
    expect(await getErrors(tokens.update({ id, metadata: null }))).toEqual(missing)
    expect(await getErrors(tokens.update({ id, metadata: { customer: null } }))).toEqual(missing)
    expect(await getErrors(tokens.update({ id, data: { a: null } }))).toEqual(missing)
    const preview = await vault.owner.expressions.previewToken(input)
    expect([preview.errors, preview.fingerprinted]).toEqual([empty, undefined])
  })

  test.each<[string, Json]>([
    ["{{ data.none | default: 'none' }}/{{ data.a }}", { a: 'x' }],
    ["{{ data.none | upcase | default: 'none' }}/{{ data.a }}", { a: 'x' }],
    ['{{ data.none | default: data.a }}', { a: 'x' }],
    ["{{ data.list | compact | join: ',' }}", { list: ['x', null] }],
    ["{{ data.list | map: 'id' | compact | first }}", { list: [{}, { id: 1 }] }],
    ['{{ data.a }}{{ data.b }}', { a: '', b: 'x' }],
    ['{{ data }}', [null, 1]],
    ['{{ data }}', false],
    ['{{ data }}', 0],
  ])('T-07 an expression with a default is accepted: %s', async (fingerprint_expression, data) => {
    const { tokens } = await openRevealing()
    const token = await tokens.create({ type: 'token', data, fingerprint_expression })
    expect(token.fingerprint).toMatch(/./)
  })

  test('T-07 T-09 the default expression covers all data, even empty', async () => {
    const { tokens } = await openRevealing()
    for (const data of ['', ' ', [], {}, 'null']) {
      for (const more of [{}, { fingerprint_expression: '{{ data | stringify }}' }]) {
        const { fingerprint } = await tokens.create({ type: 'token', data, ...more })
        expect(fingerprint).toBe((await tokens.create({ type: 'token', data })).fingerprint)
      }
    }
  })

  test('T-09 different objects and different strings have different fingerprints', async () => {
    const { tokens } = await openRevealing()
    const createFingerprint = async (data: Json, fingerprint_expression: string) =>
      (await tokens.create({ type: 'token', data, fingerprint_expression })).fingerprint
    const lower = '{{ data | downcase }}'
    expect(await createFingerprint({ a: 1 }, lower)).not.toBe(await createFingerprint({ a: 2 }, lower))
    // A lone surrogate has no distinct UTF-8 encoding.
    expect(await createFingerprint('a\ud800', '{{ data }}')).not.toBe(
      await createFingerprint('a\ud801', '{{ data }}'),
    )
    expect(await createFingerprint('a\ud800', '{{ data }}')).toBe(
      await createFingerprint('a\ud800', '{{ data }}'),
    )
    expect(await createFingerprint('caf\u00e9', '{{ data }}')).not.toBe(
      await createFingerprint('cafe\u0301', '{{ data }}'),
    )
    expect(await createFingerprint('A', '{{ data }}')).not.toBe(await createFingerprint('a', '{{ data }}'))
  })

  test('T-12 patching metadata changes a fingerprint that depends on it', async () => {
    const { tokens } = await openRevealing()
    const input = { type: 'token', fingerprint_expression: '{{ metadata.customer }}' }
    const alice = await tokens.create({ ...input, data: 'a', metadata: { customer: 'alice' } })
    const bob = await tokens.create({ ...input, data: 'b', metadata: { customer: 'bob' } })
    const same = await tokens.update({
      id: bob.id,
      metadata: { customer: 'alice' },
      deduplicate_token: true,
    })
    expect([same.id, same._extras]).toEqual([
      alice.id,
      { deduplicated: true, deduplication_behavior: 'read_existing' },
    ])
    const moved = await tokens.update({ id: alice.id, metadata: { customer: 'carol' } })
    expect(moved.fingerprint).not.toBe(alice.fingerprint)
    const fresh = { ...input, data: 'c', deduplicate_token: true }
    expect((await tokens.create({ ...fresh, metadata: { customer: 'carol' } })).id).toBe(alice.id)
    expect((await tokens.create({ ...fresh, metadata: { customer: 'alice' } }))._extras).toEqual({
      deduplicated: false,
    })
  })

  test('T-15 a fingerprint of a cvc is deleted with it', async () => {
    const { vault, tokens } = await openRevealing()
    const createCard = (card_number: string, more: Partial<NewToken> = {}) =>
      tokens.create({ type: 'card', data: { number: card_number, cvc: '123' }, ...more })
    const by_cvc = { fingerprint_expression: '{{ metadata.who }}{{ data.cvc }}', metadata: { who: 'ada' } }
    const one = await createCard(number, by_cvc)
    const two = await createCard(other, by_cvc)
    expect(one.fingerprint).toBe(two.fingerprint)
    const unrelated = await createCard(number, { ...by_cvc, fingerprint_expression: '{{ metadata.who }}' })
    vault.clock.advance(3_600_000)
    await vault.engine.sweeper.sweep()
    const [first, second] = [await tokens.get({ id: one.id }), await tokens.get({ id: two.id })]
    expect(first.fingerprint).not.toBe(second.fingerprint)
    expect((await tokens.get({ id: unrelated.id })).fingerprint).toBe(unrelated.fingerprint)
  })
})

describe('tokens of a vault of the first version', () => {
  test('T-10 a fingerprint of a missing value is preserved, but matches no duplicate', async () => {
    const { vault, tokens } = await openRevealing()
    const old = await tokens.create({ type: 'token', data: { secret: 'old' } })
    const honest = await tokens.create({ type: 'token', data: 'null' })
    // The first version's fingerprint for an expression that found nothing.
    const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
    db.prepare(
      `UPDATE token SET fingerprint_expression = '{{ data.none }}',
       fingerprint = (SELECT fingerprint FROM token WHERE id = ?) WHERE id = ?`,
    ).run(honest.id, old.id)
    db.close()
    vault.reopen()
    expect((await tokens.get({ id: old.id })).fingerprint).toBe(honest.fingerprint)
    const again = await tokens.create({ type: 'token', data: 'null', deduplicate_token: true })
    expect([again.id, again.data]).toEqual([honest.id, 'null'])
    await vault.owner.tokens.remove({ id: honest.id })
    const fresh = await tokens.create({ type: 'token', data: 'null', deduplicate_token: true })
    expect([fresh.data, fresh._extras]).toEqual(['null', { deduplicated: false }])
    // The token can be changed once its expression finds a value.
    expect(await getErrors(tokens.update({ id: old.id, metadata: { a: 'b' } }))).toEqual(empty)
    await tokens.update({ id: old.id, metadata: { a: 'b' }, fingerprint_expression: null })
  })
})

describe('duplicates', () => {
  test('T-09 T-10 duplicates are found without tenant fingerprints', async () => {
    const { vault, tokens } = await openRevealing()
    await updateSettings(vault, { fingerprint_tokens: 'false' })
    const input = { type: 'card', data: { number: other } }
    const plain = await tokens.create(input)
    expect([plain.fingerprint, plain.fingerprint_expression]).toEqual([undefined, undefined])
    const first = await tokens.create({ ...input, deduplicate_token: true })
    expect([first.id === plain.id, first._extras]).toEqual([false, { deduplicated: false }])
    expect(first.fingerprint_expression).toBe('{{ data.number }}')
    const second = await tokens.create({ ...input, deduplicate_token: true })
    expect([second.id, second._extras]).toEqual([
      first.id,
      { deduplicated: true, deduplication_behavior: 'read_existing' },
    ])
    // The token is still found as a duplicate after a change.
    await tokens.update({ id: first.id, metadata: { a: 'b' } })
    expect((await tokens.create({ ...input, deduplicate_token: true })).id).toBe(first.id)
    const patched = await tokens.update({ id: plain.id, deduplicate_token: true })
    expect([patched.id, patched._extras]).toEqual([
      first.id,
      { deduplicated: true, deduplication_behavior: 'read_existing' },
    ])
  })

  test('T-09 T-10 a request overrides the setting of the tenant', async () => {
    const { vault, tokens } = await openRevealing()
    await updateSettings(vault, { fingerprint_tokens: 'false', deduplicate_tokens: 'true' })
    const input = { type: 'token', data: 'x' }
    const first = await tokens.create(input)
    expect((await tokens.create(input)).id).toBe(first.id)
    expect(first.fingerprint).toBeDefined()
    const apart = await tokens.create({ ...input, deduplicate_token: false })
    expect([apart.id === first.id, apart.fingerprint]).toEqual([false, undefined])
    const report = await vault.owner.tokens.createMany({ tokens: [input, input] })
    expect(report.ids).toEqual([first.id, first.id])
  })

  test('T-13 a patch can add a fingerprint, by which duplicates are found', async () => {
    const { vault, tokens } = await openRevealing()
    await updateSettings(vault, { fingerprint_tokens: 'false' })
    const { id } = await tokens.create({ type: 'token', data: 'x' })
    expect((await tokens.update({ id, deduplicate_token: true })).fingerprint).toBeDefined()
    expect((await tokens.create({ type: 'token', data: 'x', deduplicate_token: true })).id).toBe(id)
  })

  test('T-10 X-17 a duplicate shows no data to a caller without read access', async () => {
    const vault = openBriefVault()
    const { id, fingerprint } = await vault.owner.tokens.create({
      type: 'card',
      data: { number, expiration_month: 1 },
      mask: { number: 'hidden' },
      metadata: { secret: 'note' },
      search_indexes: ['{{ data.number | last4 }}'],
      fingerprint_expression: '{{ data.number }}',
      expires_at: '2031-01-01',
      containers: ['/other/'],
    })
    const { client } = await vault.application({
      rules: [{ priority: 1, container: '/mine/', transform: 'reveal', permissions: ['token:create'] }],
    })
    const input = { type: 'card', data: { number }, containers: ['/mine/'], deduplicate_token: true }
    const redacted = {
      id,
      tenant_id: vault.engine.tenant_id,
      type: 'card',
      fingerprint,
      containers: ['/other/'],
      _extras: { deduplicated: true, deduplication_behavior: 'read_existing' },
    }
    expect(await client.tokens.create(input)).toEqual(redacted)
    expect(await client.tokens.tokenize({ payload: { a: input } })).toEqual({ a: redacted })
  })
})
