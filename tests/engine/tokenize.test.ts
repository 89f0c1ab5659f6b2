import { expect, test } from 'vitest'
import { catchProblem, openBriefVault } from '../vault.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const all = [
  {
    priority: 1,
    container: '/',
    transform: 'reveal',
    permissions: ['token:create', 'token:read', 'token-intent:create'],
  },
] as const
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

async function openVaultWithLimit(tokens = 5) {
  const vault = openBriefVault()
  await vault.owner.tenants.update({ name: 'Test', settings: { tokens_per_tokenize: String(tokens) } })
  const app = await vault.application({
    rules: all.map((rule) => ({ ...rule, permissions: [...rule.permissions] })),
  })
  return { vault, app, client: app.client }
}

test('O-01 a leaf of the payload becomes a token of type token and is replaced by its id', async () => {
  const { client } = await openVaultWithLimit()
  const result = (await client.tokens.tokenize({
    payload: { first_name: 'John', tags: ['vip', null], age: 42, active: true },
  })) as { first_name: string; tags: [string, null]; age: string; active: string }
  expect(result).toEqual({
    first_name: expect.stringMatching(uuid),
    tags: [expect.stringMatching(uuid), null],
    age: expect.stringMatching(uuid),
    active: expect.stringMatching(uuid),
  })
  const readData = async (id: string) => (await client.tokens.get({ id })).data
  expect([
    await readData(result.first_name),
    await readData(result.age),
    await readData(result.active),
  ]).toEqual(['John', 42, true])
  expect((await client.tokens.get({ id: result.tags[0] })).type).toBe('token')
})

test('O-01 a token request at any depth is replaced with the created token', async () => {
  const { client } = await openVaultWithLimit()
  const intent = await client.tokenIntents.create({ type: 'card', data: card })
  const result = await client.tokens.tokenize({
    payload: {
      cards: [{ type: 'card', data: card, metadata: { kind: 'first' } }, { token_intent_id: intent.id }],
      name: 'Jane',
    },
  })
  expect(result).toEqual({
    cards: [
      expect.objectContaining({
        type: 'card',
        data: card,
        metadata: { kind: 'first' },
        containers: ['/pci/high/'],
      }),
      expect.objectContaining({ type: 'card', fingerprint: intent.fingerprint }),
    ],
    name: expect.stringMatching(uuid),
  })
  const whole = await client.tokens.tokenize({ payload: { type: 'token', data: { a: [1] } } })
  expect(whole).toMatchObject({ type: 'token', data: { a: [1] }, _extras: { deduplicated: false } })
  expect(await client.tokens.tokenize({ payload: 'alone' })).toMatch(uuid)
  expect(await client.tokens.tokenize({ payload: null })).toBe(null)
})

test('O-01 tokenize creates no token if one of them is rejected', async () => {
  const { vault, client } = await openVaultWithLimit()
  const problem = await catchProblem(
    client.tokens.tokenize({
      payload: {
        good: 'kept out',
        card: { type: 'card', data: { number: '4242424242424241' } },
        list: [
          { type: 'nonsense', data: 1 },
          { type: 'token', data: 1, colour: 'red' },
        ],
      },
    }),
  )
  expect(problem).toMatchObject({
    status: 400,
    errors: {
      'card.data.number': [expect.stringContaining('Luhn')],
      'list[0].type': [expect.stringContaining('must be one of')],
      'list[1].colour': ['is not a member of this request'],
    },
  })
  expect(JSON.stringify(problem)).not.toContain('4242')
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 0 })
})

test('O-01 a forbidden container rejects the whole payload', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({
    rules: [{ priority: 1, container: '/general/', transform: 'mask', permissions: ['token:create'] }],
  })
  const problem = await catchProblem(
    client.tokens.tokenize({ payload: ['fine', { type: 'card', data: card }] }),
  )
  expect(problem.status).toBe(403)
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 0 })
})

test('O-01 a request creates at most five tokens, or as many as the tenant setting allows', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({ permissions: ['token:create'] })
  const problem = await catchProblem(client.tokens.tokenize({ payload: ['a', 'b', 'c', 'd', 'e', 'f'] }))
  expect(problem).toMatchObject({ status: 400, errors: { body: [expect.stringContaining('allows 5')] } })
  await vault.owner.tenants.update({ name: 'Test', settings: { tokens_per_tokenize: '1000' } })
  const many = Array.from({ length: 1000 }, (_, at) => at)
  expect(await client.tokens.tokenize({ payload: many })).toHaveLength(1000)
  expect((await catchProblem(client.tokens.tokenize({ payload: [...many, 1] }))).status).toBe(400)
})

test('O-01 O-05 tokenize writes one log record, which is found by each token id', async () => {
  const { vault, client } = await openVaultWithLimit()
  const ids = (await client.tokens.tokenize({ payload: ['a', 'b'] })) as string[]
  for (const id of ids) {
    const { data } = await vault.owner.logs.list({ entity_id: id })
    expect(data).toEqual([expect.objectContaining({ action: 'tokens.tokenize', entity_id: id, status: 200 })])
  }
  const { data } = await vault.owner.logs.list({ entity_type: 'token' })
  expect(data).toEqual([expect.objectContaining({ action: 'tokens.tokenize', message: 'Token created' })])
})
