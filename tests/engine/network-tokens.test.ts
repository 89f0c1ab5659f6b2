import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { isLuhnValid } from '../../shared/luhn.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { RuleTransform } from '../../shared/schemas/rule.ts'
import { getFuzzParameters } from '../fuzz.ts'
import { createEligibleCard, createNetworkToken, eligibleCard } from '../network-tokens.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { catchProblem, openBriefVault, openVault, start } from '../vault.ts'
import { createIdempotency, type TestClient, type TestVault } from './vault-helpers.ts'
import { openWithWebhook } from './webhooks/received-events.ts'

const granted = ['create', 'read', 'reveal', 'delete', 'cryptogram', 'suspend', 'resume'].map(
  (verb) => `network-token:${verb}`,
)
const time = '2030-01-01T00:00:00.000+00:00'

test('Z-03 a network token is created, suspended, resumed, used for payments and deleted', async () => {
  const { vault, takeEvents } = await openWithWebhook([
    'network-token.created',
    'network-token.updated',
    'network-token.deleted',
    'network-token.cryptogram.created',
  ])
  const { client, id: by } = await vault.application({ permissions: granted })
  const { networkTokens } = client
  const data = { ...eligibleCard, expiration_month: '10', expiration_year: '2035', cvc: '123' }
  const created = await networkTokens.create({ data, cardholder_info: { name: 'Ada' } })
  const { id, _extras, ...shown } = created
  const last4 = created.network_token.last4
  const expiry = { expiration_month: 12, expiration_year: 2039 }
  expect({ _extras, ...shown }).toEqual({
    tenant_id: vault.engine.tenant_id,
    data: { number: `XXXXXXXXXXXX${last4}`, ...expiry },
    network_token: expect.objectContaining({ bin: expect.stringMatching(/^4895/), brand: 'visa', ...expiry }),
    card: { last4: '0002', expiration_month: 10, expiration_year: 2035 },
    par: expect.stringMatching(/^5[\dA-Z]{28}$/),
    status: 'active',
    created_by: by,
    created_at: time,
    _extras: { deduplicated: false },
  })
  vault.reopen()
  const clear = await networkTokens.get({ id })
  expect(clear).toEqual({ id, ...shown, data: { number: expect.stringMatching(/^4895\d{12}$/), ...expiry } })
  const number = clear.data?.number ?? ''
  expect([isLuhnValid(number), number.slice(-4)]).toEqual([true, last4])

  const changed = { id, ...shown, modified_by: by, modified_at: time }
  expect(await networkTokens.suspend({ id })).toEqual({ ...changed, status: 'suspended' })
  expect(await catchProblem(networkTokens.suspend({ id }))).toMatchObject({ status: 409 })
  expect(await catchProblem(networkTokens.createCryptogram({ id }))).toMatchObject({
    status: 400,
    detail: 'id must name an active network token; resume it first',
  })
  expect(await networkTokens.resume({ id })).toEqual(changed)
  expect(await catchProblem(networkTokens.resume({ id }))).toMatchObject({
    status: 409,
    detail: 'This network token is active, and only one that is suspended can change to active.',
  })
  const cryptograms = [
    await networkTokens.createCryptogram({ id }),
    await networkTokens.createCryptogram({ id }),
  ]
  for (const each of cryptograms)
    expect(each).toEqual({ cryptogram: expect.stringMatching(/^[\w+/]{22}==$/), eci: '07' })
  expect(cryptograms[0]).not.toEqual(cryptograms[1])
  const { card_art } = await networkTokens.getAccount({ id })
  expect(card_art).toEqual({
    background_color: '#3a4a63',
    logo: expect.objectContaining({ width: 64, height: 64 }),
    card_image: expect.objectContaining({ description: 'Card ending in 0002', width: 343, height: 216 }),
  })
  expect(decodeURIComponent(card_art.card_image.url)).toMatch(
    /^data:image\/svg\+xml,<svg .*0002<\/text><\/svg>$/,
  )
  await networkTokens.remove({ id })
  for (const call of [
    networkTokens.get,
    networkTokens.suspend,
    networkTokens.remove,
    networkTokens.getAccount,
  ])
    expect((await catchProblem(call({ id }))).status).toBe(404)

  const event = { id, status: 'active', created_by: by, created_at: '2030-01-01T00:00:00.000Z' }
  expect(takeEvents().map(({ type, data: { network_token } }) => [type, network_token])).toEqual([
    ['network-token.created', event],
    ['network-token.updated', { ...event, status: 'suspended' }],
    ['network-token.updated', event],
    ['network-token.cryptogram.created', event],
    ['network-token.cryptogram.created', event],
    ['network-token.deleted', event],
  ])
  const { data: records } = await vault.owner.logs.list({
    entity_type: 'network_token',
    entity_id: id,
    size: 20,
  })
  expect(
    records
      .filter(({ status }) => status < 400)
      .map(({ message }) => message)
      .reverse(),
  ).toEqual([
    'Network token created',
    'Network token retrieved',
    ...['Network token updated', 'Network token updated', 'Network token created', 'Network token created'],
    ...['Network token retrieved', 'Network token deleted'],
  ])
  // The number is made from that of the card, so that a new network token has the same.
  expect((await networkTokens.create({ data })).par).toBe(created.par)
})

const refused = {
  PROVISION_DATA_EXPIRED: '4012888888881881 5105105105105100 6011601160116611 371449635398431',
  CARD_VERIFICATION_FAILED: '4330251207506660 5461310156953048 6011168802268945 370488998077498',
  CARD_NOT_ELIGIBLE: '4539097887163333 5325191087030619 6011690151507086 373555735376156 3566006663297692',
  CARD_NOT_ALLOWED: '4929980395567582 5580422612666704 6011444770992901 378025849667382',
  CARD_DECLINED: '4929544240318920 5157204564548129 6011760519541711 348322853530243',
  PROVISION_NOT_ALLOWED: '4916725297925395 5336475987107024 6011490740263725 375155165213132',
  CARD_ELIGIBILITY_ERROR: '4711358892785746 5233580618829955 6011000990139424 348835199015504',
  CARD_NUMBER_LENGTH_INVALID: '5589092000000000006',
}
const accepted = [
  ['visa', '07', '4000000000000002 4000000000000085 4000000000000093 4111111111111111'],
  ['mastercard', '02', '5100000000000008 5100000000000065 5100000000000073'],
  ['discover', '07', '6011000000000004'],
  ['american-express', '07', '370000000000002 370000000000069 370000000000077'],
] as const

test('Z-03 the number of a card decides whether it gets a network token', async () => {
  const { owner } = openBriefVault()
  const createFor = (number: string) => owner.networkTokens.create({ data: { ...eligibleCard, number } })
  for (const [title, numbers] of Object.entries(refused)) {
    for (const number of numbers.split(' '))
      expect([number, await catchProblem(createFor(number))]).toEqual([
        number,
        {
          title,
          status: 422,
          code: 'network_token_refused',
          detail: expect.stringMatching(/^(The|A) .*\.$/),
        },
      ])
  }
  for (const [brand, eci, numbers] of accepted) {
    for (const number of numbers.split(' ')) {
      const { id, network_token } = await createFor(number)
      expect([number, network_token.brand]).toEqual([number, brand])
      expect((await owner.networkTokens.createCryptogram({ id })).eci).toBe(eci)
    }
  }
})

test('Z-03 a network token of a token or a token intent is in their extras, and stays when they are deleted', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const { id: merchant_id } = await owner.merchants.create({ tenant_id: 'self', name: 'Shop' })
  const intent = await owner.tokenIntents.create({ type: 'card', data: eligibleCard })
  const made = await owner.networkTokens.create({
    token_intent_id: intent.id.toUpperCase(),
    expiration_month: 1,
    expiration_year: '2031',
    merchant_id,
  })
  const { id } = made
  expect(made).toMatchObject({
    token_intent_id: intent.id,
    card: { last4: '0002', expiration_month: 1, expiration_year: 2031 },
  })
  const _extras = { network_token_ids: [id] }
  expect(await owner.tokenIntents.get({ id: intent.id })).toEqual({ ...intent, _extras })
  const converted = await owner.tokens.create({ token_intent_id: intent.id, id: 'card-1' })
  expect(converted._extras).toEqual({ deduplicated: false, ..._extras })
  expect(await owner.networkTokens.get({ id })).toMatchObject({
    token_id: 'card-1',
    token_intent_id: intent.id,
  })

  // Another token with the same card has the same network token.
  const second = await owner.tokens.create({ id: 'card-2', type: 'card', data: eligibleCard })
  expect(second._extras).toEqual({ deduplicated: false })
  expect(await owner.networkTokens.create({ token_id: 'card-2' })).toMatchObject({
    id,
    token_id: 'card-1',
    card: { expiration_year: 2031 },
    _extras: { deduplicated: true },
  })
  expect((await owner.tokens.get({ id: 'card-2' }))._extras).toEqual(_extras)
  expect((await owner.tokens.update({ id: 'card-2', metadata: { a: 'b' } }))._extras).toEqual({
    deduplicated: false,
    ..._extras,
  })
  expect((await owner.tokens.list({})).data.map((each) => each._extras)).toEqual([_extras, _extras])

  await owner.tokens.remove({ id: 'card-1' })
  expect(await owner.networkTokens.get({ id })).toMatchObject({ status: 'active', token_id: 'card-1' })
  vault.clock.advance(1)
  const other = { ...eligibleCard, number: '4000000000000085' }
  await owner.tokens.create({ id: 'card-1', type: 'card', data: other })
  expect(await owner.tokens.get({ id: 'card-1' })).not.toHaveProperty('_extras')
  await owner.networkTokens.remove({ id })
  expect(await owner.tokens.get({ id: 'card-2' })).not.toHaveProperty('_extras')
})

test('Z-03 a token and its network token have the same card, also with a new number and a wrong clock', async () => {
  const vault = openBriefVault()
  const { tokens, networkTokens } = vault.owner
  const getIds = async () => (await tokens.get({ id: 'card-1' }))._extras?.network_token_ids
  const other = { ...eligibleCard, number: '4000000000000085' }
  await tokens.create({ id: 'card-1', type: 'card', data: eligibleCard })
  vault.clock.advance(-60_000)
  const first = await networkTokens.create({ token_id: 'card-1' })
  expect(await getIds()).toEqual([first.id])

  const patched = await tokens.update({ id: 'card-1', data: { number: other.number } })
  expect(patched._extras).toEqual({ deduplicated: false })
  expect(await getIds()).toBeUndefined()
  const second = await networkTokens.create({ token_id: 'card-1' })
  expect(await getIds()).toEqual([second.id])
  await tokens.update({ id: 'card-1', data: eligibleCard })
  expect(await getIds()).toEqual([first.id])

  // A token that gets the id at the same time, for another card.
  await tokens.remove({ id: 'card-1' })
  const third = { ...eligibleCard, number: '4000000000000093' }
  await tokens.create({ id: 'card-1', type: 'card', data: third })
  expect(await getIds()).toBeUndefined()
})

test('X-48 a network token of 100,000 tokens is read and deleted like any other', async () => {
  const vault = openVault()
  const { networkTokens } = vault.owner
  const { id } = await networkTokens.create({ data: eligibleCard })
  vault.engine.close()
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  const columns = '(network_token_id, kind, source_id)'
  db.prepare(`WITH RECURSIVE source (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM source WHERE n < 100000)
    INSERT INTO network_token_source ${columns} SELECT ?, 'token_intent', 'intent-' || n FROM source`).run(id)
  db.close()
  vault.reopen()
  const measureBusy = async (call: () => Promise<unknown>) => {
    const before = process.cpuUsage()
    await call()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  expect(await networkTokens.get({ id })).toMatchObject({ token_intent_id: 'intent-1' })
  expect(await measureBusy(() => networkTokens.get({ id }))).toBeLessThan(50)
  expect(await measureBusy(() => networkTokens.suspend({ id }))).toBeLessThan(50)
  expect(await measureBusy(() => networkTokens.remove({ id }))).toBeLessThan(50)
})

test('Z-03 a request for a network token names what is wrong', async () => {
  const { owner } = openBriefVault()
  const { networkTokens } = owner
  const { id: token_id } = await owner.tokens.create({ type: 'card_number', data: eligibleCard.number })
  const { id: undated } = await owner.tokens.create({ type: 'card', data: { number: eligibleCard.number } })
  for (const each of [{ token_id }, { token_id: undated }, { token_id: undated, expiration_month: 1 }])
    expect(await catchProblem(networkTokens.create(each))).toMatchObject({
      title: 'CARD_DATA_MISSING',
      status: 422,
    })
  const dated = { token_id: undated, expiration_month: 1, expiration_year: 2035 }
  expect((await networkTokens.create(dated)).card.expiration_year).toBe(2035)
  const none = '00000000-0000-4000-8000-000000000000'
  const wrong = { ...eligibleCard, number: '4000000000000003' }
  const cases: [Parameters<typeof networkTokens.create>[0], string[]][] = [
    [{}, ['token_id']],
    [{ merchant_id: none }, ['merchant_id', 'token_id']],
    [{ token_id, data: eligibleCard }, ['token_id']],
    [{ token_id: 'none', merchant_id: none }, ['merchant_id', 'token_id']],
    [{ token_intent_id: none }, ['token_intent_id']],
    [{ data: wrong, merchant_id: none }, ['merchant_id', 'data.number']],
    [
      { data: { ...eligibleCard, number: '1', expiration_month: 13 } },
      ['data.number', 'data.expiration_month'],
    ],
  ]
  for (const [input, paths] of cases)
    expect(Object.keys((await catchProblem(networkTokens.create(input))).errors ?? {})).toEqual(paths)
  const years = { expiration_month: '13', expiration_year: 35, cvc: 12 }
  const problem = await catchProblem(networkTokens.create({ data: { ...eligibleCard, ...years } }))
  expect(problem.errors).toEqual({
    'data.expiration_month': ['must be a month from 1 to 12'],
    'data.expiration_year': ['must be a year of four digits'],
    'data.cvc': ['must be three or four digits'],
  })
  const last = { ...createEligibleCard(), expiration_year: 9998, cvc: 123 }
  expect((await networkTokens.create({ data: last })).data?.expiration_year).toBe(9999)
})

test('Z-03 A-12 a repeated request creates, suspends and resumes a network token once, and gives one cryptogram', async () => {
  const vault = openBriefVault()
  const application = await vault.application({ permissions: granted })
  const callAs = (path: string, method: string) =>
    application.with(createIdempotency(path, method, path)).networkTokens
  const createOnce = () => callAs('/network-tokens', 'POST').create({ data: eligibleCard })
  const created = await createOnce()
  const { id } = created
  expect(await createOnce()).toEqual(created)
  const suspendOnce = () => callAs(`/network-tokens/${id}/suspend`, 'PUT').suspend({ id })
  const suspended = await suspendOnce()
  expect(await suspendOnce()).toEqual(suspended)
  const resumeOnce = () => callAs(`/network-tokens/${id}/resume`, 'PUT').resume({ id })
  expect(await resumeOnce()).toEqual(await resumeOnce())
  const payOnce = () => callAs(`/network-tokens/${id}/cryptogram`, 'POST').createCryptogram({ id })
  const paid = await payOnce()
  expect(await payOnce()).toEqual(paid)
  await vault.owner.networkTokens.remove({ id })
  for (const again of [createOnce, suspendOnce, resumeOnce, payOnce])
    expect((await catchProblem(again())).status).toBe(409)
})

describe('Z-03 P-01 permissions of network tokens', () => {
  const calls: [Permission, (networkTokens: TestClient['networkTokens'], id: string) => Promise<unknown>][] =
    [
      [
        'network-token:create',
        ({ create }) => create({ data: { ...eligibleCard, number: '4000000000000085' } }),
      ],
      [
        'network_token:create',
        ({ create }) => create({ data: { ...eligibleCard, number: '4000000000000085' } }),
      ],
      ['network-token:read', ({ get }, id) => get({ id })],
      ['network-token:reveal', ({ get }, id) => get({ id })],
      ['network-token:read', ({ getAccount }, id) => getAccount({ id })],
      ['network-token:cryptogram', ({ createCryptogram }, id) => createCryptogram({ id })],
      ['network-token:suspend', ({ suspend }, id) => suspend({ id })],
      ['network-token:resume', ({ resume }, id) => resume({ id })],
      ['network-token:update', ({ suspend }, id) => suspend({ id })],
      ['network-token:update', ({ resume }, id) => resume({ id })],
      ['network-token:delete', ({ remove }, id) => remove({ id })],
    ]

  test('each allows what it names, and nothing without it or by a rule for another container', async () => {
    const vault = openBriefVault()
    const { id } = await createNetworkToken(vault)
    const without = await vault.application({ permissions: ['token:read', 'token:use'] })
    for (const [permission, call] of calls) {
      const rule = { priority: 1, transform: 'reveal' as const, permissions: [permission] }
      const elsewhere = await vault.application({ rules: [{ ...rule, container: '/general/' }] })
      for (const { client } of [without, elsewhere])
        expect([permission, (await catchProblem(call(client.networkTokens, id))).status]).toEqual([
          permission,
          403,
        ])
      const { client } = await vault.application({ rules: [{ ...rule, container: '/pci/' }] })
      await call(client.networkTokens, id)
    }
  })

  test('network-token:reveal shows the number, network-token:read its mask, and a redacting rule nothing', async () => {
    const vault = openBriefVault()
    const { id } = await createNetworkToken(vault)
    const showNumber = async (permission: Permission, transform: RuleTransform) => {
      const rule = { priority: 1, container: '/', transform, permissions: [permission] }
      const { client } = await vault.application({ rules: [rule] })
      return (await client.networkTokens.get({ id })).data?.number
    }
    expect(await showNumber('network-token:reveal', 'reveal')).toMatch(/^\d{16}$/)
    for (const permission of ['network-token:reveal', 'network-token:read'] as const)
      expect(await showNumber(permission, 'mask')).toMatch(/^X{12}\d{4}$/)
    expect(await showNumber('network-token:read', 'reveal')).toMatch(/^X{12}\d{4}$/)
    expect(await showNumber('network-token:read', 'redact')).toBeUndefined()
  })

  test('a network token of a token needs the permission on its containers', async () => {
    const vault = openBriefVault()
    const containers = ['/pci/high/', '/secret/']
    const { id } = await vault.owner.tokens.create({ type: 'card', data: eligibleCard, containers })
    const { client } = await vault.application({
      rules: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['network-token:create'] }],
    })
    expect((await catchProblem(client.networkTokens.create({ token_id: id }))).status).toBe(403)
  })
})

test('Z-03 O-02 an expression uses a network token as it may be read', async () => {
  const vault = openBriefVault()
  const { id } = await createNetworkToken(vault)
  const { client } = await vault.application({ permissions: ['token:read', 'network-token:reveal'] })
  const { data, par } = await client.networkTokens.get({ id })
  const payload = {
    whole: `{{ network_token: ${id} | json: '$.data' }}`,
    number: `{{ network_token: ${id.toUpperCase()} | json: '$.data.number' }}`,
    id: `{{ network_token: ${id} | json: '$.id' }}`,
    par: `{{ network_token: ${id} | json: '$.par' }}`,
  }
  expect(await client.tokens.detokenize({ payload })).toEqual({ whole: data, number: data?.number, id, par })
  const masked = (await vault.application({ permissions: ['token:read', 'network-token:read'] })).client
  expect(await masked.tokens.detokenize({ payload })).toMatchObject({
    number: expect.stringMatching(/^X{12}/),
  })
  const without = (await vault.application({ permissions: ['token:read'] })).client
  expect((await catchProblem(without.tokens.detokenize({ payload }))).status).toBe(403)
  await vault.owner.networkTokens.remove({ id })
  expect((await catchProblem(client.tokens.detokenize({ payload: payload.id }))).detail).toBe(
    `Failed to detokenize some tokens: ${id}`,
  )
})

test('T-02 T-03 a token of type network_token is a card without a cvc, and there is no token intent of it', async () => {
  const { owner } = openBriefVault()
  const data = { ...eligibleCard, number: '4895370012003478' }
  const token = await owner.tokens.create({ type: 'network_token', data })
  expect(token).toMatchObject({
    containers: ['/pci/high/'],
    data: { number: 'XXXXXXXXXXXX3478', expiration_month: 10, expiration_year: 2035 },
    fingerprint_expression: '{{ data.number }}',
    network_token: { last4: '3478', brand: 'visa', expiration_month: 10 },
  })
  expect(token).not.toHaveProperty('card')
  const withCvc = await catchProblem(
    owner.tokens.create({ type: 'network_token', data: { ...data, cvc: '123' } }),
  )
  expect(withCvc.errors).toEqual({ 'data.cvc': ['is not a member of a network token'] })
  const metadata = { a: data.number }
  const quoted = await catchProblem(owner.tokens.create({ type: 'network_token', data, metadata }))
  expect(Object.keys(quoted.errors ?? {})).toEqual(['metadata.a'])
  const intent = await catchProblem(owner.tokenIntents.create({ type: 'network_token', data }))
  expect(intent.errors).toEqual({ type: ['network_token is not available for token intents'] })
})

const numbers = ['4000000000000002', '5100000000000008', '4539097887163333']
const toData = (at: number) => ({ ...eligibleCard, number: numbers[at] ?? '' })

const acts = ['create', 'link', 'suspend', 'resume', 'pay', 'remove', 'removeToken', 'reopen'] as const
const step = fc.record({ act: fc.constantFrom(...acts), at: fc.nat(numbers.length - 1) })

/** What is known of one of the cards. Its token exists at first, and its network token does not. */
class Card {
  readonly #at: number
  hasToken = true
  status: 'none' | 'active' | 'suspended' = 'none'
  isLinked = false
  id = 'none'
  par = ''

  constructor(at: number) {
    this.#at = at
  }

  get token_id() {
    return `card-${this.#at}`
  }

  /** Takes a step in the model, and returns the status that the call must have; 200 stands for success. */
  expectStatus(act: (typeof acts)[number]): number {
    switch (act) {
      case 'create':
        return this.#createNetworkToken()
      case 'link':
        return this.hasToken ? this.#createNetworkToken(true) : 400
      case 'suspend':
        return this.#changeStatus('active', 'suspended')
      case 'resume':
        return this.#changeStatus('suspended', 'active')
      case 'pay':
        return { active: 200, suspended: 400, none: 404 }[this.status]
      case 'remove':
        return this.#removeNetworkToken()
      case 'removeToken':
        return this.#removeToken()
      case 'reopen':
        return 200
    }
  }

  #createNetworkToken(isLinked = false): number {
    // The third card is not eligible.
    if (this.#at === 2) return 422
    if (this.status === 'none') this.status = 'active'
    this.isLinked ||= isLinked
    return 200
  }

  #changeStatus(from: 'active' | 'suspended', to: 'active' | 'suspended'): number {
    if (this.status === 'none') return 404
    if (this.status !== from) return 409
    this.status = to
    return 200
  }

  #removeNetworkToken(): number {
    if (this.status === 'none') return 404
    this.status = 'none'
    this.isLinked = false
    return 200
  }

  #removeToken(): number {
    const status = this.hasToken ? 200 : 404
    this.hasToken = false
    return status
  }
}

/** Calls what a step names, and checks that the network token of a card is created once and always has its numbers. */
async function takeStep(vault: TestVault, act: (typeof acts)[number], card: Card, at: number) {
  const { networkTokens, tokens } = vault.owner
  const { id, token_id } = card
  const createFrom = async (input: Parameters<typeof networkTokens.create>[0]) => {
    const created = await networkTokens.create(input)
    expect(created._extras).toEqual({ deduplicated: card.id !== 'none' })
    if (card.id !== 'none') expect(created.id).toBe(card.id)
    if (card.par !== '') expect(created.par).toBe(card.par)
    Object.assign(card, { id: created.id, par: created.par })
  }
  const calls = {
    create: () => createFrom({ data: toData(at) }),
    link: () => createFrom({ token_id }),
    suspend: () => networkTokens.suspend({ id }),
    resume: () => networkTokens.resume({ id }),
    pay: () => networkTokens.createCryptogram({ id }),
    remove: () => networkTokens.remove({ id }).finally(() => Object.assign(card, { id: 'none' })),
    removeToken: () => tokens.remove({ id: token_id }),
    reopen: async () => vault.reopen(),
  }
  return calls[act]().then(
    () => 200,
    (error) => error.status ?? error,
  )
}

/** Deletes everything, and stores a token of each card. */
async function startAgain({ owner: { networkTokens, tokens }, clock }: TestVault): Promise<Card[]> {
  for (const id of await networkTokens.listIds()) await networkTokens.remove({ id })
  for (const { id } of (await tokens.list({})).data) await tokens.remove({ id })
  clock.advance(1)
  const cards = numbers.map((_, at) => new Card(at))
  for (const [at, { token_id }] of cards.entries())
    await tokens.create({ id: token_id, type: 'card', data: toData(at) })
  return cards
}

test('Z-03 random life cycles of network tokens match a model', async () => {
  const vault = openVault()
  const { tokens, networkTokens } = vault.owner
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const cards = await startAgain(vault)
      for (const { act, at } of steps) {
        const card = cards[at] ?? new Card(at)
        const status = card.expectStatus(act)
        expect([act, at, await takeStep(vault, act, card, at)]).toEqual([act, at, status])
        vault.clock.advance(1)
      }
      const existing = cards.filter(({ status }) => status !== 'none')
      expect(await networkTokens.listIds()).toHaveLength(existing.length)
      for (const { id, status, isLinked, token_id } of existing)
        expect(await networkTokens.get({ id })).toMatchObject({ status, ...(isLinked && { token_id }) })
      for (const { id, isLinked, token_id } of cards.filter(({ hasToken }) => hasToken)) {
        const { _extras } = await tokens.get({ id: token_id })
        expect(_extras).toEqual(isLinked ? { network_token_ids: [id] } : undefined)
      }
    }),
    getFuzzParameters(300, 25),
  )
})

test('Z-03 a vault of the format before network tokens gets them', async () => {
  const vault = openVault()
  const { id } = await vault.owner.tokens.create({ type: 'card', data: eligibleCard })
  vault.engine.close()
  undoMigrations(
    vault,
    migrations.findIndex(({ name }) => name === 'network tokens'),
  )
  vault.reopen()
  expect(vault.clock.ms).toBe(start)
  expect(await vault.owner.networkTokens.create({ token_id: id })).toMatchObject({ token_id: id })
})
