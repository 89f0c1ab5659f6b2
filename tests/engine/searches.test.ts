import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getRunCount } from '../thorough.ts'
import { catchProblem, openBriefVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const reading = ['token:create', 'token:read']

/** Stores tokens one second apart. Returns their ids in the order of creation. */
async function storeTokens(
  vault: TestVault,
  tokens: readonly { id?: string; data?: string; type?: string; containers?: string[]; metadata?: object }[],
) {
  const ids: string[] = []
  for (const token of tokens) {
    vault.clock.advance(1000)
    ids.push((await vault.owner.tokens.create({ type: 'token', data: 'x', ...token } as never)).id)
  }
  return ids
}

const listIds = ({ data }: { data: { id: string }[] }) => data.map((token) => token.id)

describe('List Tokens v1', () => {
  it('L-06 numbered pages list every token once, newest first', async () => {
    const vault = openBriefVault()
    const ids = await storeTokens(
      vault,
      Array.from({ length: 7 }, () => ({})),
    )
    const pages = await Promise.all([1, 2, 3, 4].map((page) => vault.owner.tokens.listV1({ page, size: 3 })))
    expect(pages.flatMap(listIds)).toEqual([...ids].reverse())
    expect(pages.map((page) => page.pagination)).toEqual(
      [1, 2, 3, 4].map((page_number) => ({ total_items: 7, page_number, page_size: 3, total_pages: 3 })),
    )
  })

  it('L-06 a list filtered by ids ignores unknown ids', async () => {
    const vault = openBriefVault()
    const [a, , c] = await storeTokens(vault, [{}, {}, {}])
    const page = await vault.owner.tokens.listV1({ id: [a as string, c as string, 'none', a as string] })
    expect(listIds(page)).toEqual([c, a])
    expect(page.pagination.total_items).toBe(2)
  })

  it('L-06 all metadata pairs must match, ignoring case, and a repeated key uses its first value', async () => {
    const vault = openBriefVault()
    const [a, b, c] = await storeTokens(vault, [
      { metadata: { Env: 'Prod', region: 'EU' } },
      { metadata: { env: 'prod', ENV: 'PROD', region: 'us' } },
      { metadata: { env: 'test' } },
    ])
    const listByMetadata = async (metadata: [string, string][], id?: string[]) =>
      listIds(await vault.owner.tokens.listV1({ metadata, ...(id && { id }) } as never))
    expect(await listByMetadata([['ENV', 'prod']])).toEqual([b, a])
    expect((await vault.owner.tokens.listV1({ metadata: [['env', 'prod']] })).pagination.total_items).toBe(2)
    expect(
      await listByMetadata([
        ['env', 'PROD'],
        ['REGION', 'eu'],
      ]),
    ).toEqual([a])
    expect(
      await listByMetadata([
        ['env', 'test'],
        ['ENV', 'prod'],
      ]),
    ).toEqual([c])
    expect(await listByMetadata([['env', 'prod']], [b as string, c as string])).toEqual([b])
    expect(await listByMetadata([['env', 'none']])).toEqual([])
  })

  it('L-06 L-07 tokens are found by two metadata pairs in several spellings', async () => {
    const vault = openBriefVault()
    const [, wanted] = await storeTokens(vault, [
      {
        metadata: { name: 'y', Name: 'y', nAme: 'y', naMe: 'y', namE: 'y', NAme: 'y', NaMe: 'y', NAME: 'y' },
      },
      { metadata: { name: 'y', b: 'x' } },
      { metadata: { b: 'x' } },
    ])
    const metadata: [string, string][] = [
      ['b', 'x'],
      ['name', 'y'],
    ]
    for (const pairs of [metadata, metadata.toReversed()]) {
      expect(listIds(await vault.owner.tokens.listV1({ metadata: pairs }))).toEqual([wanted])
      const query = pairs.map(([key, value]) => `metadata.${key}:${value}`).join(' AND ')
      expect((await vault.owner.tokens.searchV1({ query })).pagination.total_items).toBe(1)
    }
  })

  it('P-09 L-06 a list counts and contains only readable tokens, each once', async () => {
    const vault = openBriefVault()
    const ids = await storeTokens(vault, [
      { containers: ['/a/x/'], metadata: { k: 'v' } },
      { containers: ['/b/'], metadata: { k: 'v' } },
      { containers: ['/b/', '/a/', '/a/y/', '/c/'], metadata: { k: 'v' } },
      { containers: ['/ab/'] },
      { containers: ['/c/', '/b/'] },
    ])
    const createRule = (priority: number, container: string) => ({
      priority,
      container,
      transform: 'mask' as const,
      permissions: ['token:read' as const],
    })
    const { client } = await vault.application({ rules: [createRule(1, '/a/'), createRule(2, '/c/')] })
    const all = await client.tokens.listV1({})
    expect(listIds(all)).toEqual([ids[4], ids[2], ids[0]])
    expect(all.pagination.total_items).toBe(3)
    const filtered = await client.tokens.listV1({ metadata: [['k', 'v']], size: 1 })
    expect(listIds(filtered)).toEqual([ids[2]])
    expect(filtered.pagination).toMatchObject({ total_items: 2, total_pages: 2 })
    expect((await client.tokens.listV1({ id: [ids[1] as string] })).pagination.total_items).toBe(0)
    const everything = await vault.application({ permissions: ['token:read'] })
    expect((await everything.client.tokens.listV1({})).pagination.total_items).toBe(5)
  })

  it('P-09 L-06 the total equals the number of tokens in the v2 list, for any rules', async () => {
    const vault = openBriefVault()
    const container = fc.constantFrom('/', '/a/', '/a/b/', '/ab/', '/c/', '/c/d/')
    const containers = fc.uniqueArray(container, { minLength: 1, maxLength: 3 })
    const many = fc.array(containers, { minLength: 40, maxLength: 40 })
    const [sample = []] = fc.sample(many, { numRuns: 1, seed: 7 })
    await storeTokens(
      vault,
      sample.map((each) => ({ containers: each, metadata: { k: 'v' } })),
    )
    const scopes = fc.uniqueArray(container, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(scopes, fc.constantFrom('', 'metadata.k:v'), async (granted, query) => {
        const rules = granted.map((each, at) => ({
          priority: at + 1,
          container: each,
          transform: 'redact' as const,
          permissions: ['token:read' as const],
        }))
        const { client } = await vault.application({ rules })
        const walked = await client.tokens.search({ query, size: 100 })
        const listed = await client.tokens.searchV1({ query, size: 100 })
        expect(listIds(listed).sort()).toEqual(listIds(walked).sort())
        expect(listed.pagination.total_items).toBe(walked.data.length)
      }),
      getRunCount(25),
    )
  })

  it('T-14 L-06 a list omits expired tokens before they are deleted', async () => {
    const vault = openBriefVault()
    const soon = new Date(vault.clock.ms + 60_000).toISOString()
    const [remaining] = await storeTokens(vault, [{ containers: ['/a/'], metadata: { k: 'v' } }])
    for (const containers of [['/a/'], ['/b/', '/a/'], ['/b/']]) {
      const token = { type: 'token', data: 'x', containers, metadata: { k: 'v' }, expires_at: soon }
      await vault.owner.tokens.create(token)
    }
    const rules = [
      { priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] } as const,
    ].map((each) => ({ ...each, permissions: [...each.permissions] }))
    const { client } = await vault.application({ rules })
    expect((await client.tokens.listV1({})).pagination.total_items).toBe(3)
    vault.clock.advance(60_000)
    for (const caller of [client, vault.owner]) {
      for (const query of [{}, { metadata: [['k', 'v']] as [string, string][] }]) {
        const page = await caller.tokens.listV1(query)
        expect(listIds(page)).toEqual([remaining])
        expect(page.pagination.total_items).toBe(1)
      }
    }
  })
})

describe('Search Tokens v1', () => {
  it('L-07 a search finds by id, index or metadata, and lists all without a query', async () => {
    const vault = openBriefVault()
    const [ssn] = await storeTokens(vault, [
      { type: 'social_security_number', data: '123-45-6789', metadata: { A: 'x', b: 'Y' } },
      { metadata: { a: 'X' } },
    ])
    const searchIds = async (query?: string) => listIds(await vault.owner.tokens.searchV1({ query }))
    expect(await searchIds('data:6789')).toEqual([ssn])
    expect(await searchIds('data:"123456789"')).toEqual([ssn])
    expect(await searchIds('metadata.a:x AND metadata.B:y')).toEqual([ssn])
    expect(await searchIds(`id:${ssn}`)).toEqual([ssn])
    expect(await searchIds()).toHaveLength(2)
    expect(await searchIds('')).toHaveLength(2)
    const page = await vault.owner.tokens.searchV1({ query: 'metadata.a:x', page: 2, size: 1 })
    expect(page.pagination).toEqual({ total_items: 2, page_number: 2, page_size: 1, total_pages: 2 })
    expect(listIds(page)).toEqual([ssn])
  })

  it('L-07 a search needs token:search or token:read, and applies its transform', async () => {
    const vault = openBriefVault()
    await storeTokens(vault, [
      { type: 'card_number', data: '4242424242424242', containers: ['/a/'] },
      { type: 'card_number', data: '4242424242424242', containers: ['/b/'] },
      { type: 'card_number', data: '4242424242424242', containers: ['/c/'] },
    ])
    const { client } = await vault.application({
      rules: [
        { priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:read'] },
        { priority: 2, container: '/b/', transform: 'redact', permissions: ['token:search'] },
        { priority: 3, container: '/b/', transform: 'reveal', permissions: ['token:read'] },
      ],
    })
    const v1 = await client.tokens.searchV1({})
    expect(v1.pagination.total_items).toBe(2)
    expect(v1.data.map((token) => [token.containers[0], token.data])).toEqual([
      ['/b/', undefined],
      ['/a/', '4242424242424242'],
    ])
    const v2 = await client.tokens.search({ query: 'type:card_number' })
    expect(v2.data).toEqual(v1.data)
    const searching = await vault.application({ permissions: ['token:search'] })
    expect((await searching.client.tokens.searchV1({})).data[0]?.data).toBe('XXXXXXXXXXXX4242')
    const neither = await vault.application({ permissions: ['token:create'] })
    expect((await catchProblem(neither.client.tokens.searchV1({}))).status).toBe(403)
    expect((await catchProblem(neither.client.tokens.search({}))).status).toBe(403)
  })
})

describe('Search Tokens v2', () => {
  it('L-08 a search finds by type, fingerprint, metadata or data in a container', async () => {
    const vault = openBriefVault()
    const [card, text] = await storeTokens(vault, [
      { type: 'card_number', data: '4242424242424242', metadata: { k: 'V' }, containers: ['/a/'] },
      { metadata: { k: 'V' }, containers: ['/b/'] },
      { metadata: { k: 'v' }, containers: ['/b/'] },
    ])
    const searchIds = async (query: string) => listIds(await vault.owner.tokens.search({ query })).sort()
    const { fingerprint } = await vault.owner.tokens.get({ id: card as string })
    expect(await searchIds('type:card_number')).toEqual([card])
    expect(await searchIds(`fingerprint:${fingerprint}`)).toEqual([card])
    expect(await searchIds('metadata.k:V')).toEqual([card, text].sort())
    expect(await searchIds('metadata.k:V AND container:"/B/"')).toEqual([text])
    expect(await searchIds('container:"/a/"')).toEqual([card])
    expect(await searchIds('metadata.K:V')).toEqual([])
    expect((await catchProblem(vault.owner.tokens.search({ query: 'fingerprint:0' }))).errors).toEqual({
      query: ['must contain the fingerprint of a token'],
    })
  })

  it('L-08 the cursor of a search is bound to its query', async () => {
    const vault = openBriefVault()
    await storeTokens(
      vault,
      Array.from({ length: 5 }, () => ({ metadata: { k: 'v' } })),
    )
    const seen: string[] = []
    let start: string | undefined
    do {
      const page = await vault.owner.tokens.search({ query: 'metadata.k:v', size: 2, start })
      seen.push(...listIds(page))
      start = page.pagination.next
    } while (start)
    expect(new Set(seen).size).toBe(5)
    const { pagination } = await vault.owner.tokens.search({ query: 'metadata.k:v', size: 2 })
    const foreign = vault.owner.tokens.search({ query: 'type:token', start: pagination.next })
    expect((await catchProblem(foreign)).errors).toHaveProperty('start')
  })

  it('L-08 a search needs the permission on the container of its query', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:search'] }],
    })
    expect(await client.tokens.search({ query: 'container:"/a/b/"' })).toMatchObject({ data: [] })
    expect((await catchProblem(client.tokens.search({ query: 'container:"/b/"' }))).status).toBe(403)
  })
})

describe('search by index', () => {
  it('L-09 index values match exactly, with case, in v1 and v2', async () => {
    const vault = openBriefVault()
    const { id } = await vault.owner.tokens.create({
      type: 'token',
      data: { name: 'Ann', city: 'Köln' },
      search_indexes: ['{{ data.name }}', '{{ data.city }}'],
    })
    for (const search of [vault.owner.tokens.searchV1, vault.owner.tokens.search]) {
      expect(listIds(await search({ query: 'data:Ann' }))).toEqual([id])
      expect(listIds(await search({ query: 'data:Köln' }))).toEqual([id])
      for (const other of ['ann', 'An', 'Annn', 'name']) {
        expect(listIds(await search({ query: `data:${other}` }))).toEqual([])
      }
    }
    await vault.owner.tokens.update({ id, data: { name: 'Eve' } })
    expect(listIds(await vault.owner.tokens.search({ query: 'data:Ann' }))).toEqual([])
    expect(listIds(await vault.owner.tokens.search({ query: 'data:Eve' }))).toEqual([id])
  })

  it('P-09 a search finds nothing in containers that the caller may not read', async () => {
    const vault = openBriefVault()
    const created = await vault.owner.tokens.create({
      type: 'token',
      data: 'secret',
      search_indexes: ['{{ data }}'],
      containers: ['/a/'],
    })
    const { client } = await vault.application({
      rules: [{ priority: 1, container: '/b/', transform: 'mask', permissions: reading as never }],
    })
    for (const query of ['data:secret', `id:${created.id}`, '']) {
      const page = await client.tokens.searchV1({ query })
      expect(page).toMatchObject({ pagination: { total_items: 0 }, data: [] })
    }
    expect(await client.tokens.search({ query: 'data:secret' })).toMatchObject({ data: [] })
  })
})
