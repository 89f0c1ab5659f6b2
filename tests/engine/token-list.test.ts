import { randomBytes } from 'node:crypto'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { findPositionBetween } from '../../electron/engine/resources/tokens/read/cursor.ts'
import {
  buildKeysQuery,
  buildScopeQueries,
  type WalkFilter,
} from '../../electron/engine/resources/tokens/read/walk.ts'
import type { Token } from '../../shared/schemas/token.ts'
import type { Position } from '../../shared/token-order.ts'
import { catchProblem, createTempFolder, openBriefVault, openVault } from '../vault.ts'
import type { TestClient } from './vault-helpers.ts'

type ListQuery = Parameters<TestClient['tokens']['list']>[0]

/** The ids of every page of a list. */
async function listAllPages(
  client: TestClient,
  query: ListQuery,
  between: () => Promise<unknown> = async () => undefined,
) {
  const pages: Token[][] = []
  let start: string | undefined
  do {
    const page = await client.tokens.list({ ...query, ...(start !== undefined && { start }) })
    pages.push(page.data)
    start = page.pagination.next
    if (start !== undefined) {
      expect(start.length).toBeLessThanOrEqual(500)
      await between()
    }
  } while (start !== undefined)
  return pages.flat()
}

const listIds = (tokens: readonly Token[]) => tokens.map((token) => token.id)

const everything = [
  {
    priority: 1,
    container: '/',
    transform: 'reveal' as const,
    permissions: ['token:create' as const, 'token:read' as const],
  },
]

describe('the filters', () => {
  async function openFilledVault() {
    const vault = openVault()
    const { client } = await vault.application({ rules: everything })
    const createToken = (id: string, more: object) =>
      client.tokens.create({ id, type: 'token', data: id, ...more } as never)
    await createToken('one', { containers: ['/a/'], metadata: { Color: 'Red' } })
    await createToken('two', { containers: ['/a/b/'], metadata: { Color: 'red' } })
    await createToken('three', { containers: ['/ab/'], metadata: { Color: 'Red', size: '1' } })
    await createToken('four', { containers: ['/c/', '/a/b/'] })
    await createToken('card', { type: 'card_number', data: '4242424242424242' })
    return { vault, client }
  }

  test('L-01 the container filter matches any container of a token, and subcontainers', async () => {
    const { client } = await openFilledVault()
    const findIds = async (container: string) => listIds((await client.tokens.list({ container })).data)
    expect(await findIds('/a/')).toEqual(['four', 'two', 'one'])
    expect(await findIds('/A/B/')).toEqual(['four', 'two'])
    expect(await findIds('/c/')).toEqual(['four'])
    expect(await findIds('/')).toEqual(['card', 'four', 'three', 'two', 'one'])
    expect(await findIds('/nowhere/')).toEqual([])
    for (const container of ['', 'a', '/a', '//', '/a//b/', '/%2f/']) {
      expect((await catchProblem(client.tokens.list({ container }))).errors).toHaveProperty('container')
    }
  })

  test('L-01 a list is filtered by type, fingerprint or metadata, and by container', async () => {
    const { client } = await openFilledVault()
    const findIds = async (query: ListQuery) => listIds((await client.tokens.list(query)).data)
    const { fingerprint = '' } = await client.tokens.get({ id: 'two' })
    expect(await findIds({ type: 'card_number' })).toEqual(['card'])
    expect(await findIds({ type: 'token', container: '/a/' })).toEqual(['four', 'two', 'one'])
    expect(await findIds({ type: 'unheard-of' })).toEqual([])
    expect(await findIds({ fingerprint })).toEqual(['two'])
    expect(await findIds({ fingerprint, container: '/c/' })).toEqual([])
    expect(await findIds({ metadata: [['Color', 'Red']] })).toEqual(['three', 'one'])
    expect(await findIds({ metadata: { Color: 'Red' }, container: '/a/' })).toEqual(['one'])
    const refused: ListQuery[] = [
      { type: 'token', fingerprint },
      { type: 'token', metadata: { Color: 'Red' } },
      { fingerprint, metadata: { Color: 'Red' } },
      { metadata: { Color: 'Red', size: '1' } },
      {
        metadata: [
          ['Color', 'Red'],
          ['Color', 'Red'],
        ],
      },
      { fingerprint: 'not base58: 0OIl' },
    ]
    for (const query of refused) expect((await catchProblem(client.tokens.list(query))).status).toBe(400)
  })

  test('L-01 an id filter is rejected with a hint', async () => {
    const { client } = await openFilledVault()
    const problem = await catchProblem(client.tokens.list({ id: 'one' } as never))
    expect(problem.status).toBe(400)
    expect(problem.errors).toEqual({ id: [expect.stringContaining('GET /tokens/{id}')] })
  })

  test('L-01 a container that the caller may not read is rejected', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [{ priority: 1, container: '/a/b/', transform: 'mask', permissions: ['token:read'] }],
    })
    expect((await client.tokens.list({ container: '/a/b/c/' })).data).toEqual([])
    for (const container of ['/a/', '/', '/a/bc/', '/b/']) {
      expect((await catchProblem(client.tokens.list({ container }))).status).toBe(403)
    }
  })

  test('L-02 metadata matches key and value exactly, with case', async () => {
    const { client } = await openFilledVault()
    const findIds = async (key: string, value: string) =>
      listIds((await client.tokens.list({ metadata: [[key, value]] })).data)
    expect(await findIds('Color', 'red')).toEqual(['two'])
    expect(await findIds('color', 'red')).toEqual([])
    expect(await findIds('Color', 'Red ')).toEqual([])
    expect(await findIds('size', '1')).toEqual(['three'])
  })
})

describe('the order', () => {
  test('L-03 tokens are listed by primary container, created_at and id, all descending', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: everything })
    const createToken = (id: string, containers: string[]) =>
      client.tokens.create({ id, type: 'token', data: 1, containers })
    await createToken('b-1', ['/b/', '/z/'])
    await createToken('B-2', ['/b/'])
    await createToken('a-1', ['/a/'])
    vault.clock.advance(1)
    await createToken('b-0', ['/b/'])
    await createToken('ab-1', ['/ab/'])
    const sorted = ['b-0', 'b-1', 'B-2', 'ab-1', 'a-1']
    expect(listIds(await listAllPages(client, { size: 100 }))).toEqual(sorted)
    expect(listIds(await listAllPages(client, { size: 1 }))).toEqual(sorted)
    expect(listIds(await listAllPages(client, { size: 2 }))).toEqual(sorted)
  })

  test('L-03 a token that moves during a walk is listed once, at its old position', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: everything })
    for (const letter of ['a', 'b', 'c', 'd']) {
      await client.tokens.create({ id: `in-${letter}`, type: 'token', data: 1, containers: [`/${letter}/`] })
    }
    const moves: [string, string][] = [
      ['in-a', '/z/'],
      ['in-d', '/a/'],
      ['in-b', '/y/'],
    ]
    const listed = await listAllPages(client, { size: 1 }, async () => {
      const [id = '', container = ''] = moves.shift() ?? []
      await vault.owner.tokens.update({ id, containers: [container] })
    })
    expect(listIds(listed)).toEqual(['in-d', 'in-c', 'in-b', 'in-a'])
    expect(listed.at(-1)?.containers).toEqual(['/z/'])
    expect(listIds(await listAllPages(client, { size: 1 }))).toEqual(['in-a', 'in-b', 'in-c', 'in-d'])
    vault.clock.advance(24 * 3_600_000)
    await vault.engine.sweeper.sweep()
    expect(listIds(await listAllPages(client, { size: 1 }))).toEqual(['in-a', 'in-b', 'in-c', 'in-d'])
  })

  test('T-14 an expired token in the middle of a page is skipped', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: everything })
    for (const id of ['t-1', 't-2', 't-3', 't-4']) {
      const expires = id === 't-2' || id === 't-3' ? { expires_at: '2030-01-01T00:00:01Z' } : {}
      await client.tokens.create({ id, type: 'token', data: 1, ...expires })
    }
    vault.clock.advance(1000)
    expect(listIds(await listAllPages(client, { size: 1 }))).toEqual(['t-4', 't-1'])
  })
})

describe('cursors', () => {
  test('L-04 next is absent on the last page, also when the page is full', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: everything })
    expect(await client.tokens.list({})).toEqual({ pagination: { page_size: 20 }, data: [] })
    for (const id of ['t-1', 't-2']) await client.tokens.create({ id, type: 'token', data: 1 })
    expect((await client.tokens.list({ size: 2 })).pagination).toEqual({ page_size: 2 })
    const { pagination } = await client.tokens.list({ size: 1 })
    expect(pagination).toEqual({ page_size: 1, next: expect.stringMatching(/^[\w-]+$/) })
  })

  test('L-04 a cursor is bound to filters and caller, and survives a restart', async () => {
    const vault = openVault()
    const one = await vault.application({ rules: everything })
    const other = await vault.application({ rules: everything })
    for (const id of ['t-1', 't-2', 't-3']) {
      await one.client.tokens.create({ id, type: 'token', data: 1, containers: ['/a/'] })
    }
    const { next: start = '' } = (await one.client.tokens.list({ size: 1 })).pagination
    vault.reopen()
    expect(listIds((await one.client.tokens.list({ start, size: 50 })).data)).toEqual(['t-2', 't-1'])
    const foreign: [TestClient, ListQuery][] = [
      [other.client, { start }],
      [vault.owner, { start }],
      [one.client, { start, type: 'token' }],
      [one.client, { start, container: '/a/' }],
      [one.client, { start, container: '/' }],
      [one.client, { start: `${start}A` }],
      [one.client, { start: `${start}.` }],
      [one.client, { start: `${start}=` }],
      [one.client, { start: start.slice(0, -1) }],
      [one.client, { start: (start[0] === 'A' ? 'B' : 'A') + start.slice(1) }],
      [one.client, { start: 'AAAA' }],
      [one.client, { start: '' }],
      [one.client, { start: 'x'.repeat(501) }],
    ]
    for (const [client, query] of foreign) {
      const problem = await catchProblem(client.tokens.list(query))
      expect([problem.status, Object.keys(problem.errors ?? {})]).toEqual([400, ['start']])
    }
  })

  test('L-04 a cursor is encrypted', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: everything })
    for (const id of ['alice-1', 'alice-2']) {
      await client.tokens.create({ id, type: 'token', data: 1, containers: ['/secret/'] })
    }
    const { next = '' } = (await client.tokens.list({ size: 1 })).pagination
    expect(Buffer.from(next, 'base64url').toString('latin1')).not.toMatch(/alice|secret|1893456/)
  })

  test('L-04 the longest ids and containers give cursors of at most 500 characters', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: everything })
    const createContainer = (last: string) => `/${'c'.repeat(197)}${last}/`
    const createSimilarId = (last: string) => '😀'.repeat(199) + last
    const created = [
      { id: createSimilarId('aa'), containers: [createContainer('a')] },
      { id: createSimilarId('ab'), containers: [createContainer('a')] },
      { id: createSimilarId('ac'), containers: [createContainer('a')] },
      { id: createSimilarId('ad'), containers: [createContainer('b')] },
      { id: 'a'.repeat(400), containers: [createContainer('b')] },
    ]
    for (const each of created) await client.tokens.create({ type: 'token', data: 1, ...each })
    const all = listIds(await listAllPages(client, { size: 100 }))
    expect(all).toHaveLength(5)
    expect(listIds(await listAllPages(client, { size: 1 }))).toEqual(all)
  })

  test('L-03 findPositionBetween returns a position after the lesser and not after the greater', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\uffff', '😀'), maxLength: 4 })
    const position = fc.tuple(text, fc.integer({ min: 0, max: 2 }), text)
    fc.assert(
      fc.property(position, position, (one, other) => {
        const [greater, lesser] = comparePositions(one, other) > 0 ? [one, other] : [other, one]
        if (comparePositions(greater, lesser) === 0) return
        const place = findPositionBetween(greater, lesser)
        expect(comparePositions(place, lesser)).toBeGreaterThan(0)
        expect(comparePositions(place, greater)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

/** Compares strings by their bytes, as SQLite does. */
function comparePositions(one: Position, other: Position): number {
  return (
    Buffer.compare(Buffer.from(one[0]), Buffer.from(other[0])) ||
    one[1] - other[1] ||
    Buffer.compare(Buffer.from(one[2]), Buffer.from(other[2]))
  )
}

describe('query plans of walks', () => {
  const filters: WalkFilter[] = [
    { by: 'all' },
    { by: 'type', type: 'card' },
    { by: 'fingerprint', fingerprint: Buffer.alloc(32) },
    {
      by: 'metadata',
      key: 'a',
      value: 'b',
      pair: { table: 'token_pair', folded: Buffer.alloc(16), exact: Buffer.alloc(16) },
    },
    { by: 'index', digest: Buffer.alloc(16) },
  ]
  const positions: (Position | null)[] = [null, ['/b/c/', 5, 'x'], ['/b', 0, '']]
  const scopes = [['/'], ['/b/'], ['/a/', '/b/', '/c/d/']]
  const cases = filters.flatMap((filter) =>
    positions.flatMap((after) => scopes.map((each) => ({ filter, after, scopes: each }))),
  )

  test('L-03 walks use ordered index lookups, without scans or sorts', () => {
    const db = openDatabase(path.join(createTempFolder(), 'vault.db'), randomBytes(32), { create: true })
    migrateDatabase(db, migrations)
    for (const { filter, after, scopes } of cases) {
      const queries = scopes.flatMap((scope) => Object.values(buildScopeQueries(filter, scope, after)))
      if (!after) queries.push(...scopes.map((scope) => buildKeysQuery(filter, scope)))
      const plan = queries
        .filter((query) => query !== null)
        .flatMap(({ source, values }) => db.prepare(`EXPLAIN QUERY PLAN ${source}`).all(...values, 10))
        .map((row) => (row as { detail: string }).detail)
      const steps = plan.filter((detail) => !/^(MERGE \(UNION\)|LEFT|RIGHT)$/.test(detail))
      expect(steps).not.toEqual([])
      for (const step of steps)
        expect(step).toMatch(/^SEARCH (token|m|token_\w+)( EXISTS)? USING .*(INDEX|PRIMARY KEY)/)
      // SECURITY: resuming must take one index seek at any depth, or a few pages could block the vault.
      if (after && scopes[0] === '/') expect(steps[0]).toContain('(container,created_at,id)<(?,?,?)')
    }
    db.close()
  })

  test('L-03 a caller with a hundred rules can list tokens', async () => {
    const vault = openBriefVault()
    const rules = Array.from({ length: 100 }, (_, at) => ({
      priority: at + 1,
      container: `/c${at}/`,
      transform: 'mask' as const,
      permissions: ['token:read' as const],
    }))
    const { client } = await vault.application({ rules })
    const createToken = (at: number) =>
      vault.owner.tokens.create({ id: `t-${at}`, type: 'token', data: 1, containers: [`/c${at}/`, '/x/'] })
    await Promise.all([99, 50, 100, 7].map(createToken))
    expect(listIds(await listAllPages(client, { size: 1 }))).toEqual(['t-99', 't-7', 't-50'])
  })
})
