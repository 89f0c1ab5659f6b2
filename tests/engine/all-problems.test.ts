import { expect, test } from 'vitest'
import { browser, payment } from '../three-ds.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const reveal = { priority: 1, container: '/', transform: 'reveal' as const }

/** Returns the names of the members that the error of an operation names. */
async function listWrong(name: string, input: object, vault = openBriefVault()): Promise<string[]> {
  const { errors } = await catchProblem(vault.engine.call(name, input, { kind: 'owner' }))
  return Object.keys(errors ?? {}).sort()
}

test('A-05 members, bounds and conditions between members are named together', async () => {
  expect(await listWrong('tokens.create', { type: 'token', mask: 1, deduplicate_token: 'x' })).toEqual([
    'data',
    'deduplicate_token',
  ])
  const card = { number: '4242424242424241', expiration_month: 13, expiration_year: 2030 }
  expect(
    await listWrong('tokens.create', {
      type: 'card',
      data: card,
      containers: ['/a'],
      expires_at: '2001-01-01T00:00:00Z',
      deduplicate_token: 1,
    }),
  ).toEqual(['containers[0]', 'data.expiration_month', 'data.number', 'deduplicate_token', 'expires_at'])
  const rules = [{ ...reveal, permissions: ['token:read'] }]
  expect(await listWrong('applications.create', { name: 5, type: 'management', rules })).toEqual([
    'name',
    'rules',
    'rules[0].permissions[0]',
  ])
  expect(await listWrong('applications.create', { type: 'private', expires_at: 1 })).toEqual([
    'expires_at',
    'name',
    'permissions',
  ])
  expect(
    await listWrong('proxies.create', {
      name: '',
      destination_url: 'https://a.test',
      application: { id: '00000000-0000-4000-8000-000000000000' },
      request_transform: { code: 'x' },
      request_transforms: [],
    }),
  ).toEqual(['application.id', 'name', 'request_transform'])
})

test('A-05 S-01 an authentication names its unknown members and what a payment requires', async () => {
  const vault = openBriefVault()
  const pan = await vault.owner.tokens.create({
    type: 'card',
    data: { number: '4000020000000000', expiration_month: 12, expiration_year: 2035 },
  })
  const session = { pan: pan.id, type: 'customer', device: 'browser', device_info: browser }
  const { id } = await vault.owner.threeDs.create(session as never)
  const { merchant_info: _, ...request } = payment
  expect(await listWrong('threeDs.authenticate', { ...request, id, sessionId: 'x' }, vault)).toEqual([
    'merchant_info',
    'sessionId',
  ])
  expect(await listWrong('threeDs.create', { device: 'phone', web_challenge_mode: 'x' }, vault)).toEqual([
    'device',
    'token_id',
    'web_challenge_mode',
  ])
  expect((await vault.owner.threeDs.get({ id })).authentication).toBeUndefined()
})

test('A-05 a condition that depends on a faulty member waits until the member is sound', async () => {
  const wrong = { token_intent_id: 5, device: 'browser', device_info: browser }
  expect(await listWrong('threeDs.create', wrong)).toEqual(['token_intent_id'])
  expect(await listWrong('tokens.create', { type: 7, data: 'x' })).toEqual(['type'])
  const noRules = { name: 'A', type: 'private', rules: [{ ...reveal, permissions: ['token:fly'] }] }
  expect(await listWrong('applications.create', noRules)).toEqual(['rules[0].permissions[0]'])
})

test('A-05 a list with faulty parameters names its conditions too', async () => {
  const query = { size: 0, type: 'token', fingerprint: '1'.repeat(32) }
  expect(await listWrong('tokens.list', query)).toEqual(['query', 'size'])
})

test('A-05 looking for every problem stores nothing', async () => {
  const vault = openBriefVault()
  expect(await listWrong('tokens.create', { type: 'token', data: 1, deduplicate_token: 1 }, vault)).toEqual([
    'deduplicate_token',
  ])
  const settings = { deduplicate_tokens: 'true', tokens_per_tokenize: 'x' }
  expect(await listWrong('tenants.update', { settings, name: 7 }, vault)).toEqual([
    'name',
    'settings.tokens_per_tokenize',
  ])
  expect((await vault.owner.tokens.list({})).data).toEqual([])
  expect(vault.engine.settings.deduplicate_tokens).toBe('false')
  const [record] = (await vault.owner.logs.list({})).data
  expect(record).toMatchObject({ status: 400 })
  expect(record?.entity_id).toBeUndefined()
})

test('A-05 O-01 tokenize names the members, bounds and conditions of each token', async () => {
  const payload = {
    a: { type: 'card_number', data: '12', deduplicate_token: 1 },
    b: { type: 'token', data: 1, mask: '{{' },
  }
  expect(await listWrong('tokens.tokenize', { payload })).toEqual(['a.data', 'a.deduplicate_token', 'b.mask'])
})
