import { expect, test } from 'vitest'
import { openBriefVault } from '../vault.ts'
import type { TestClient } from './vault-helpers.ts'

const queries = [
  '',
  'container:"/x/"',
  'type:token',
  'type:card',
  'type:token AND container:"/x/"',
  'type:card AND container:"/x/"',
  'container:"/x/y/"',
  'container:"/none/"',
  'metadata.a:b',
  'metadata.a:b AND container:"/x/"',
  'data:same',
  'data:same AND container:"/z/"',
]

/** Counts a list by reading all of its pages. */
async function countByListing(owner: TestClient, query: string): Promise<number> {
  let [count, start]: [number, string | undefined] = [0, undefined]
  do {
    const page: Awaited<ReturnType<typeof owner.tokens.search>> = await owner.tokens.search({
      query,
      size: 3,
      ...(start !== undefined && { start }),
    })
    count += page.data.length
    start = page.pagination.next
  } while (start !== undefined)
  return count
}

test('T-14 P-10 the count equals the length of the list, without expired tokens', async () => {
  const { owner, clock } = openBriefVault()
  const createToken = (containers: string[], more: object = {}) =>
    owner.tokens.create({ type: 'token', data: 'same', containers, search_indexes: ['{{ data }}'], ...more })
  const card = { number: '4242424242424242' }
  await createToken(['/x/'])
  await createToken(['/x/y/', '/z/'])
  await createToken(['/z/', '/x/'])
  await createToken(['/z/', '/x/y/', '/x/'], { metadata: { a: 'b' } })
  await createToken(['/'], { metadata: { a: 'b' } })
  await createToken(['/x/'], { expires_at: '2030-01-01T00:01:00Z', metadata: { a: 'b' } })
  await createToken(['/z/', '/x/'], { expires_at: '2030-01-01T00:01:00Z' })
  await owner.tokens.create({ type: 'card', data: card, containers: ['/x/'] })
  await owner.tokens.create({ type: 'card', data: card, containers: ['/z/', '/x/'] })
  const { id } = await createToken(['/x/'])
  const compareCounts = async () => {
    for (const query of queries) {
      expect([query, (await owner.tokens.count({ query })).total]).toEqual([
        query,
        await countByListing(owner, query),
      ])
    }
  }
  await compareCounts()
  await owner.tokens.remove({ id })
  await compareCounts()
  clock.advance(60_000)
  await compareCounts()
  expect((await owner.tokens.count({ query: '' })).total).toBe(7)
})

test('a large list is counted exactly, or as null if counting takes too long', async () => {
  const { owner } = openBriefVault()
  for (let batch = 0; batch < 6; batch++) {
    await owner.tokens.createMany({
      tokens: Array.from({ length: 1000 }, (_, at) => ({
        type: 'token',
        data: `${batch} ${at}`,
        metadata: { all: 'yes', some: String(at % 2) },
      })),
    })
  }
  const countTokens = async (query: string) => (await owner.tokens.count({ query })).total
  expect(await countTokens('')).toBe(6000)
  expect(await countTokens('type:token AND container:"/general/"')).toBe(6000)
  expect(await countTokens('metadata.some:1')).toBe(3000)
  expect(await countTokens('metadata.all:yes')).toBe(null)
})

test('only the owner can count tokens', async () => {
  const { client } = await openBriefVault().application({ permissions: ['token:read', 'token:search'] })
  await expect(client.tokens.count({ query: '' })).rejects.toMatchObject({ status: 403 })
})
