import { expect, test } from 'vitest'
import { openVault, problemOf } from '../vault.ts'

test('A-05 says of every member what it must be, in words', async () => {
  const { owner } = openVault()
  const search_indexes = Array.from({ length: 11 }, () => '{{ data }}')
  const asked = [
    owner.applications.create({} as never),
    owner.applications.create({ name: '', type: 'other', permissions: 'token:read' } as never),
    owner.applications.create({ name: 'a'.repeat(201), type: 'private', permissions: [] }),
    owner.tokens.list({ size: 1000 }),
    owner.tokens.create({ type: 'token', data: 1, search_indexes }),
    owner.tokens.create([] as never),
  ]
  const errors = (await Promise.all(asked.map(problemOf))).map((problem) => problem.errors)
  expect(errors).toEqual([
    { name: ['is required'], type: ['is required'] },
    {
      name: ['must not be empty'],
      type: ['must be one of private, public, management'],
      permissions: ['must be a list'],
    },
    { name: ['must have at most 200 characters'] },
    { size: ['must be at most 100'] },
    { search_indexes: ['must have at most 10 items'] },
    { body: ['must be an object'] },
  ])
})
