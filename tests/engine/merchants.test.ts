import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

const tenant_id = 'self'
const details = {
  merchant: { full_legal_name: 'Shop Ltd', contact: { email: 'ada@example.com' } },
  card_network_info: { visa: { acquirer_bin: '000000999' } },
}
const absent = {
  status: 'not_requested',
  providers: [],
  card_network_status: {
    visa: { status: 'not_requested' },
    mastercard: { status: 'not_requested' },
    amex: { status: 'not_requested' },
    discover: { status: 'not_requested' },
  },
}
const active = { status: 'active' }

test('Z-03 a merchant is created, updated, listed newest first, and shown for the last time when it is deleted', async () => {
  const vault = openVault()
  const permissions = ['create', 'read', 'update', 'delete'].map((verb) => `tenant:merchant:${verb}`)
  const { client, id: by } = await vault.application({ type: 'management', permissions })
  const { merchants } = client
  const created = await merchants.create({ tenant_id, name: 'Shop', details })
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenant_id: vault.engine.tenant_id,
    name: 'Shop',
    details,
    services: { account_updater: absent, network_token: absent, agentic_commerce: absent },
    created_by: by,
    created_at: '2030-01-01T00:00:00.000+00:00',
  })
  const { id } = created
  vault.reopen()
  expect(await merchants.get({ tenant_id: vault.engine.tenant_id.toUpperCase(), id })).toEqual(created)
  const second = await merchants.create({ tenant_id, name: 'Second' })
  expect(second.details).toEqual({})
  const modified = { modified_by: by, modified_at: '2030-01-01T00:00:00.000+00:00' }
  // Without details, they stay the same; with details, they are replaced.
  const renamed = { ...created, ...modified, name: 'Third' }
  expect(await merchants.update({ tenant_id, id, name: 'Third' })).toEqual(renamed)
  const short = { merchant: { descriptor: 'SHOP' } }
  expect(await merchants.update({ tenant_id, id, name: 'Third', details: short })).toEqual({
    ...renamed,
    details: short,
  })
  expect((await merchants.list({ tenant_id, size: 1, page: 2 })).data.map((each) => each.id)).toEqual([id])
  expect(await merchants.remove({ tenant_id, id })).toMatchObject({ id, details: short })
  expect((await merchants.list({ tenant_id })).data).toEqual([second])
  const calls = [merchants.get, merchants.remove, merchants.requestOnboarding]
  for (const call of calls) expect((await catchProblem(call({ tenant_id, id }))).status).toBe(404)
  const { data } = await vault.owner.logs.list({ entity_type: 'merchant', entity_id: id, size: 100 })
  expect(
    data
      .map(({ action }) => action)
      .reverse()
      .slice(0, 4),
  ).toEqual(['merchants.create', 'merchants.get', 'merchants.update', 'merchants.update'])
})

test('Z-03 a merchant is registered for services of the networks once, and immediately', async () => {
  const { owner } = openBriefVault()
  const { id } = await owner.merchants.create({ tenant_id, name: 'Shop', details })
  const card_network_info = { mastercard: { merchant_id_mid: '9876543210001' } }
  const partly = await owner.merchants.requestOnboarding({
    tenant_id,
    id,
    account_updater: ['visa', 'visa'],
    network_token: [],
    card_network_info,
  })
  expect(partly.details).toEqual({ ...details, card_network_info })
  const { card_network_status } = absent
  expect(partly.services).toEqual({
    account_updater: { ...absent, ...active, card_network_status: { ...card_network_status, visa: active } },
    network_token: absent,
    agentic_commerce: absent,
  })
  const again = owner.merchants.requestOnboarding({
    tenant_id,
    id,
    account_updater: ['amex'],
    network_token: ['visa'],
  })
  expect(await catchProblem(again)).toMatchObject({
    status: 409,
    detail: 'This merchant is already registered for account_updater.',
  })
  // A request that names no service is for those that are left, with every network.
  const { services } = await owner.merchants.requestOnboarding({ tenant_id, id })
  const whole = { visa: active, mastercard: active, amex: active, discover: active }
  expect(services).toMatchObject({
    account_updater: partly.services.account_updater,
    network_token: { ...active, card_network_status: whole },
    agentic_commerce: { ...active, card_network_status: whole },
  })
  expect((await catchProblem(owner.merchants.requestOnboarding({ tenant_id, id }))).status).toBe(409)
})

test('Z-03 a request about a merchant names what is wrong', async () => {
  const { merchants } = openBriefVault().owner
  const { id } = await merchants.create({ tenant_id, name: 'Shop' })
  const other = await merchants.create({ tenant_id, name: 'Other' })
  expect((await catchProblem(merchants.create({ tenant_id, name: 'Shop' }))).status).toBe(409)
  expect((await catchProblem(merchants.update({ tenant_id, id: other.id, name: 'Shop' }))).status).toBe(409)
  expect((await merchants.update({ tenant_id, id, name: 'Shop' })).name).toBe('Shop')
  for (const foreign of [id, 'SELFISH', ''])
    expect((await catchProblem(merchants.list({ tenant_id: foreign }))).detail).toBe(
      'There is no such tenant.',
    )
  const deep = { merchant: { address: { street_1: 'a'.repeat(501) } } }
  const { errors } = await catchProblem(merchants.create({ tenant_id, name: '', details: deep }))
  expect(Object.keys(errors ?? {})).toEqual(['name', 'details.merchant.address.street_1'])
  const unknown = merchants.requestOnboarding({ tenant_id, id, network_token: ['diners'] as never })
  expect((await catchProblem(unknown)).errors).toHaveProperty('network_token[0]')
})

test('Z-03 a tenant has at most a thousand merchants', async () => {
  const { owner } = openBriefVault()
  for (let at = 0; at < 1000; at++) await owner.merchants.create({ tenant_id, name: `${at}` })
  expect((await catchProblem(owner.merchants.create({ tenant_id, name: 'more' }))).status).toBe(422)
})

const services = ['account_updater', 'network_token', 'agentic_commerce'] as const
type Known = { name: string; readonly services: Set<string> }

const step = fc.record({
  act: fc.constantFrom('create', 'update', 'onboard', 'remove'),
  at: fc.nat(3),
  name: fc.constantFrom('a', 'b', 'c'),
  service: fc.option(fc.constantFrom(...services)),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
type Merchants = ReturnType<typeof openBriefVault>['owner']['merchants']

/** Takes a step in the model, and returns the status that the call must have; 200 stands for success. */
const modelSteps = {
  create: (model: Known[], _: Known | undefined, { name }: Step) => {
    if (model.some((each) => each.name === name)) return 409
    model.push({ name, services: new Set() })
    return 200
  },
  update: (model: Known[], known: Known | undefined, { name }: Step) => {
    if (!known) return 404
    if (model.some((each) => each !== known && each.name === name)) return 409
    known.name = name
    return 200
  },
  onboard: (_: Known[], known: Known | undefined, { service }: Step) => {
    if (!known) return 404
    const wanted = service === null ? services.filter((each) => !known.services.has(each)) : [service]
    if (wanted.length === 0 || (service !== null && known.services.has(service))) return 409
    for (const each of wanted) known.services.add(each)
    return 200
  },
  remove: (model: Known[], known: Known | undefined) => {
    if (!known) return 404
    model.splice(model.indexOf(known), 1)
    return 200
  },
}

const takeStep = {
  create: ({ create }: Merchants, _: string, { name }: Step) => create({ tenant_id, name }),
  update: ({ update }: Merchants, id: string, { name }: Step) => update({ tenant_id, id, name }),
  onboard: ({ requestOnboarding }: Merchants, id: string, { service }: Step) =>
    requestOnboarding({ tenant_id, id, ...(service && { [service]: ['visa'] }) }),
  remove: ({ remove }: Merchants, id: string) => remove({ tenant_id, id }),
}

test('Z-03 random life cycles of merchants match a model', async () => {
  const { merchants } = openBriefVault().owner
  const listAll = async () => (await merchants.list({ tenant_id })).data.reverse()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      for (const { id } of await listAll()) await merchants.remove({ tenant_id, id })
      const model: Known[] = []
      for (const each of steps) {
        const stored = await listAll()
        const id = stored[each.at]?.id ?? 'none'
        const status = modelSteps[each.act](model, model[each.at], each)
        const call = takeStep[each.act](merchants, id, each)
        expect([
          each,
          await call.then(
            () => 200,
            (error) => error.status,
          ),
        ]).toEqual([each, status])
      }
      const shown = (await listAll()).map((each) => ({
        name: each.name,
        services: services.filter((service) => each.services[service].status === 'active'),
      }))
      const expected = model.map(({ name, services: had }) => ({
        name,
        services: services.filter((service) => had.has(service)),
      }))
      expect(shown).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

test('Z-03 a vault of the format before merchants gets them', async () => {
  const vault = openVault()
  vault.engine.close()
  undoMigrations(
    vault,
    migrations.findIndex(({ name }) => name === 'merchants'),
  )
  vault.reopen()
  expect((await vault.owner.merchants.create({ tenant_id, name: 'Shop' })).name).toBe('Shop')
})
