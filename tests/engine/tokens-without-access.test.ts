import { expect, test } from 'vitest'
import type { Permission } from '../../shared/permissions.ts'
import type { RuleTransform } from '../../shared/schemas/rule.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }
const secret = { type: 'card', data: card, metadata: { owner: 'Jane' } }

type RuleTuple = [container: string, transform: RuleTransform, ...permissions: Permission[]]

function toRules(...tuples: RuleTuple[]) {
  return tuples.map(([container, transform, ...permissions], at) => ({
    priority: at + 1,
    container,
    transform,
    permissions,
  }))
}

test.each(['create', 'tokenize', 'update'] as const)(
  'X-17 T-10 %s hides the data of a duplicate from a caller without read access',
  async (by) => {
    const vault = openBriefVault()
    const original = await vault.owner.tokens.create({ ...secret, id: 'original', containers: ['/hidden/'] })
    const { client } = await vault.application({
      rules: toRules(['/', 'reveal', 'token:create', 'token:update'], ['/pci/', 'reveal', 'token:read']),
    })
    const copy = { type: 'card', data: card, metadata: { mine: 'yes' }, deduplicate_token: true }
    const other = await client.tokens.create({ type: 'card', data: { ...card, number: '5555555555554444' } })
    const calls = {
      create: () => client.tokens.create(copy),
      tokenize: () => client.tokens.tokenize({ payload: copy }),
      update: () =>
        client.tokens.update({ id: other.id, data: { number: card.number }, deduplicate_token: true }),
    }
    const response = await calls[by]()
    expect(response).toMatchObject({
      id: original.id,
      _extras: { deduplicated: true, deduplication_behavior: 'read_existing' },
    })
    expect(response).not.toHaveProperty('data')
    expect(response).not.toHaveProperty('metadata')
    expect(JSON.stringify(response)).not.toMatch(/4242424242424242|Jane/)
    const { modified_at: _, ...after } = await vault.owner.tokens.get({ id: 'original' })
    const { _extras, ...before } = original
    expect(after).toEqual(before)
  },
)

test('X-17 a duplicate is returned with the transform of the caller’s token:read rule', async () => {
  const vault = openBriefVault()
  await vault.owner.tokens.create(secret)
  const { client } = await vault.application({
    rules: toRules(['/', 'reveal', 'token:create'], ['/pci/', 'mask', 'token:read']),
  })
  const response = await client.tokens.create({ type: 'card', data: card, deduplicate_token: true })
  expect(response).toMatchObject({ data: { number: 'XXXXXXXXXXXX4242' }, metadata: { owner: 'Jane' } })
})

test('X-18 a caller loses access to a token that it moves out of its containers', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({
    rules: toRules(
      ['/a/', 'reveal', 'token:create', 'token:read', 'token:update', 'token:delete'],
      ['/b/', 'redact', 'token:update'],
    ),
  })
  const { id } = await client.tokens.create({ type: 'token', data: 'x', containers: ['/a/'] })
  await client.tokens.update({ id, containers: ['/b/'] })
  const problems = await Promise.all([
    catchProblem(client.tokens.get({ id })),
    catchProblem(client.tokens.remove({ id })),
    catchProblem(client.tokens.detokenize({ payload: `{{ ${id} }}` })),
  ])
  expect(problems.map(({ status }) => status)).toEqual([403, 403, 403])
  expect((await client.tokens.list()).data).toEqual([])
  const back = await client.tokens.update({ id, containers: ['/a/'] })
  expect(back.containers).toEqual(['/a/'])
})

test('X-18 a token in a container without access can be neither changed nor deleted', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({
    rules: toRules(['/a/', 'reveal', 'token:create', 'token:read', 'token:update', 'token:delete']),
  })
  const token = await vault.owner.tokens.create({ type: 'token', data: 'x', containers: ['/a/', '/b/'] })
  const { id } = token
  const problems = await Promise.all([
    catchProblem(client.tokens.update({ id, metadata: { a: 'b' } })),
    catchProblem(client.tokens.update({ id, containers: ['/a/'] })),
    catchProblem(client.tokens.remove({ id })),
    catchProblem(client.tokens.create({ type: 'token', data: 'y', containers: ['/a/', '/b/'] })),
  ])
  expect(problems.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect((await client.tokens.get({ id })).data).toBe('x')
})
