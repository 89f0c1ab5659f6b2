import { expect, test } from 'vitest'
import { catchProblem, openBriefVault } from '../vault.ts'

const number = '4242424242424242'
const card = { number, expiration_month: 12, expiration_year: 2030 }

test('a preview names the deciding rule, and why other rules did not apply', async () => {
  const vault = openBriefVault()
  const token = await vault.owner.tokens.create({ type: 'card', data: card })
  const { id } = await vault.application({
    rules: [
      { priority: 1, container: '/bank/', transform: 'reveal', permissions: ['token:read'] },
      { priority: 2, container: '/pci/', transform: 'mask', permissions: ['token:create'] },
      { priority: 3, container: '/pci/', transform: 'mask', permissions: ['token:read'] },
      { priority: 4, container: '/', transform: 'reveal', permissions: ['token:read'] },
    ],
  })
  const read = await vault.owner.access.explain({
    application_id: id,
    permission: 'token:read',
    token_id: token.id,
  })
  expect(read).toMatchObject({
    transform: 'mask',
    rule: 3,
    note: 'mask, by rule 3 on /pci/ (token:read)',
    containers: ['/pci/high/'],
    by_permissions: false,
  })
  expect(read.rules.map(({ grants, covers, decides }) => [grants, covers, decides])).toEqual([
    [true, false, false],
    [false, true, false],
    [true, true, true],
    [true, true, false],
  ])
  const remove = await vault.owner.access.explain({
    application_id: id,
    permission: 'token:delete',
    containers: ['/pci/high/'],
  })
  expect(remove).toMatchObject({ transform: null, rule: null, note: null })
})

test('P-08 a preview of drafted rules shows no plaintext', async () => {
  const { owner } = openBriefVault()
  await owner.tokens.create({ type: 'card', data: card })
  await owner.tokens.create({
    type: 'bank',
    data: { routing_number: '021000021', account_number: '123456789' },
  })
  await owner.tokens.create({ type: 'social_security_number', data: '123-45-6789' })
  await owner.tokens.create({ type: 'token', data: 'free' })
  const seen = await owner.access.preview({
    type: 'private',
    permissions: [],
    rules: [
      { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] },
      { priority: 2, container: '/bank/', transform: 'mask', permissions: ['token:read'] },
      { priority: 3, container: '/pii/', transform: 'redact', permissions: ['token:read'] },
    ],
  })
  const byType = Object.fromEntries(
    seen.map(({ type, transform, rule, data }) => [type, { transform, rule, data }]),
  )
  expect(byType).toEqual({
    card: { transform: 'reveal', rule: 1, data: { ...card, number: 'XXXXXXXXXXXX4242' } },
    bank: {
      transform: 'mask',
      rule: 2,
      data: { routing_number: '021000021', account_number: 'XXXXX6789' },
    },
    social_security_number: { transform: 'redact', rule: 3, data: undefined },
    token: { transform: null, rule: null, data: undefined },
  })
  expect(JSON.stringify(seen)).not.toContain(number)
})

test('P-05 a preview rejects the same rules as creating an application', async () => {
  const { owner } = openBriefVault()
  const rule = {
    priority: 1,
    container: '/',
    transform: 'mask' as const,
    permissions: ['token:read' as const],
  }
  const problem = await catchProblem(
    owner.access.preview({ type: 'private', permissions: [], rules: [rule, rule] }),
  )
  expect(problem.errors).toHaveProperty('rules[1].priority')
})
