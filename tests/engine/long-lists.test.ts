import Driver from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Token } from '../../shared/schemas/token.ts'
import { expectShortTurns } from '../longest-block.ts'
import { catchProblem, openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const MiB = 2 ** 20

type TokenPage = { data: Token[]; pagination: { next?: string | undefined } }

/** Reads a list to its end. Fails if one of its pages blocks the thread for too long. */
async function listPages(page: (start: string | undefined) => Promise<TokenPage>): Promise<Token[][]> {
  const pages: Token[][] = []
  let start: string | undefined
  do {
    const { data, pagination } = await expectShortTurns(() => page(start))
    pages.push(data)
    start = pagination.next
  } while (start !== undefined)
  return pages
}

const reading = ['token:read', 'token:search'] as const
const everything = [{ priority: 1, container: '/', transform: 'reveal', permissions: [...reading] }] as never

/** Creates small tokens quickly, all in the same millisecond. */
async function createTokens(vault: TestVault, count: number, token: (at: number) => object): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const length = Math.min(1000, count - from)
    const tokens = Array.from({ length }, (_, at) => token(from + at))
    const { refused } = await vault.owner.tokens.createMany({ tokens } as never)
    expect(refused).toEqual([])
  }
}

async function createSession(vault: TestVault, rules: object[]) {
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  const server = await vault.application({ rules: everything })
  const started = await page.client.sessions.create({})
  await server.client.sessions.authorize({ nonce: started.nonce, rules } as never)
  return vault.engine.as({ kind: 'key', key: started.session_key as string })
}

describe('large tokens', () => {
  test('X-48 R-03 a page ends before a token that exceeds its budget, and next continues', async () => {
    const vault = openVault({ ephemeral: true })
    const ids: string[] = []
    for (let at = 0; at < 12; at++) {
      vault.clock.advance(1)
      const data = 'x'.repeat(at === 5 ? 10 : 0.9 * MiB)
      ids.unshift((await vault.owner.tokens.create({ id: `large-${at}`, type: 'token', data } as never)).id)
    }
    const { client } = await vault.application({ rules: everything })
    for (const page of [
      (start?: string) => client.tokens.list({ size: 100, start }),
      (start?: string) => client.tokens.search({ size: 100, start }),
    ]) {
      const pages = await listPages(page)
      expect(pages.map((each) => each.length)).toEqual([2, 2, 3, 2, 2, 1])
      expect(pages.flat().map(({ id }) => id)).toEqual(ids)
      expect(pages.flat().every(({ data }) => String(data).startsWith('xxx'))).toBe(true)
    }
  })

  test('X-48 R-03 L-05 a numbered page that is too large is rejected', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    for (let at = 0; at < 6; at++) {
      vault.clock.advance(1)
      await vault.owner.tokens.create({ id: `large-${at}`, type: 'token', data: 'x'.repeat(1_990_000) })
    }
    const { client } = await vault.application({ rules: everything })
    for (const list of [client.tokens.listV1, client.tokens.searchV1]) {
      const refusal = await expectShortTurns(() => catchProblem(list({ size: 100 })))
      expect(refusal).toMatchObject({
        status: 400,
        errors: { size: [expect.stringMatching(/use a smaller size/)] },
      })
      const { data, pagination } = await expectShortTurns(() => list({ size: 1, page: 6 }))
      expect(data.map(({ id }) => id)).toEqual(['large-0'])
      expect(pagination).toMatchObject({ total_items: 6, total_pages: 6 })
    }
  })

  test('X-48 R-03 O-02 detokenize rejects large tokens beyond its budget', async () => {
    const vault = openVault({ ephemeral: true })
    await vault.owner.tenants.update({ name: 'Test', settings: { expressions_per_detokenize: '1000' } })
    for (let at = 0; at < 6; at++) {
      await vault.owner.tokens.create({ id: `large-${at}`, type: 'token', data: 'x'.repeat(1_990_000) })
    }
    const { client } = await vault.application({ rules: everything })
    const all = Array.from({ length: 6 }, (_, at) => `{{ large-${at} | size }}`)
    expect(
      await expectShortTurns(() => catchProblem(client.tokens.detokenize({ payload: all }))),
    ).toMatchObject({
      status: 400,
      errors: { body: [expect.stringMatching(/use fewer tokens/)] },
    })
    expect(await expectShortTurns(() => client.tokens.detokenize({ payload: all.slice(0, 1) }))).toEqual([
      1_990_000,
    ])
  })

  test('X-48 R-03 each page of an export, and a rule preview, stays within the size budget of a list page', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const ids: string[] = []
    for (let at = 0; at < 6; at++) {
      const token = {
        id: `large-${at}`,
        type: 'token',
        data: 'x'.repeat(0.9 * MiB),
        containers: [`/c${at}/`],
      }
      ids.push((await vault.owner.tokens.create(token)).id)
    }
    const exported: string[] = []
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after
      const { tokens, next } = await expectShortTurns(() =>
        vault.owner.tokens.exportMany({ after: from, clear: true }),
      )
      expect(tokens.length).toBeLessThan(4)
      exported.push(...tokens.map(({ id }) => id))
      after = next
    }
    expect(exported).toEqual(ids)
    const input = { type: 'private', permissions: ['token:read'], rules: [] } as const
    expect(await expectShortTurns(() => vault.owner.access.preview(input as never))).toHaveLength(2)
  })
})

describe('heavy masks', () => {
  // A token whose mask uses about a third of the work budget of one response.
  const heavy = {
    type: 'token',
    data: 'a1 b2,'.repeat(10_000),
    mask: Array(5).fill('{{ data | upcase | size }}'),
  }

  test('X-48 R-03 a page ends when its masks use up the work budget, and skips no token', async () => {
    const vault = openVault({ ephemeral: true })
    for (let at = 0; at < 8; at++) await vault.owner.tokens.create({ id: `heavy-${at}`, ...heavy })
    const { client } = await vault.application({ permissions: [...reading] })
    const pages = await listPages((start) => client.tokens.list({ size: 100, start }))
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flat().map(({ id }) => id)).toEqual(Array.from({ length: 8 }, (_, at) => `heavy-${7 - at}`))
    for (const { data } of pages.flat()) expect(data).toEqual(Array(5).fill(60_000))
    const refusal = await expectShortTurns(() => catchProblem(client.tokens.listV1({ size: 100 })))
    expect(refusal).toMatchObject({ status: 400, errors: { size: [expect.any(String)] } })
  })

  test('X-48 R-03 each repetition of text by a mask counts against the page’s budget', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const token = { type: 'token', data: 'x'.repeat(60_000), mask: Array(60).fill('{{ data }}') }
    for (let at = 0; at < 6; at++) await vault.owner.tokens.create(token)
    const { client } = await vault.application({ permissions: [...reading] })
    const pages = await listPages((start) => client.tokens.list({ size: 100, start }))
    expect(pages.map((each) => each.length)).toEqual([2, 2, 2])
  })
})

describe('rows that a caller may not read', () => {
  // The condition names no ids and no complete container, so a walk cannot be limited to those.
  const ownCondition = { attribute: 'container', operator: 'starts_with', value: '/min' }
  const placeToken = (at: number) =>
    at === 17 ? { id: 'a-mine', containers: ['/mine/'] } : { id: `b-${at}`, containers: ['/other/'] }

  test('X-48 R-03 L-04 a page ends with a cursor after 2,000 rows without a match', async () => {
    const vault = openVault({ ephemeral: true })
    await createTokens(vault, 2500, (at) => ({ ...placeToken(at), type: 'token', data: 'x' }))
    const session = await createSession(vault, [
      { priority: 1, conditions: [ownCondition], transform: 'mask', permissions: reading },
    ])
    const pages = await listPages((start) => session.tokens.list({ size: 1, start }))
    expect(pages.map((each) => each.map(({ id }) => id))).toEqual([[], ['a-mine']])
    const searched = await listPages((start) =>
      session.tokens.search({ query: 'type:token', size: 1, start }),
    )
    expect(searched.flat().map(({ id }) => id)).toEqual(['a-mine'])
    const other = vault.engine.as({ kind: 'owner' })
    expect((await other.tokens.list({ size: 100 })).data).toHaveLength(100)
  })

  test('X-48 R-03 a page ends after fewer rows if the caller has many conditions', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    await createTokens(vault, 1500, (at) => ({ id: `b-${at}`, type: 'token', data: 'x' }))
    const always = Array.from({ length: 19 }, () => ({
      attribute: 'container',
      operator: 'starts_with',
      value: '/',
    }))
    const rules = Array.from({ length: 100 }, (_, at) => ({
      priority: at + 1,
      conditions: [...always, ownCondition],
      transform: 'mask',
      permissions: reading,
    }))
    const session = await createSession(vault, rules)
    const pages = await listPages((start) => session.tokens.list({ size: 1, start }))
    expect(pages.flat()).toEqual([])
    expect(pages.length).toBeGreaterThan(5)
  })

  test('X-48 R-03 L-05 a numbered list that would have to check too many tokens is rejected', async () => {
    const vault = openVault({ ephemeral: true })
    await createTokens(vault, 2500, (at) => ({
      ...placeToken(at),
      type: 'token',
      data: 'x',
      metadata: { part: at < 40 ? 'small' : 'large' },
    }))
    const session = await createSession(vault, [
      { priority: 1, conditions: [ownCondition], transform: 'mask', permissions: reading },
    ])
    for (const list of [session.tokens.listV1, session.tokens.searchV1]) {
      const refusal = await expectShortTurns(() => catchProblem(list({ size: 1 })))
      expect(refusal).toMatchObject({ status: 400, errors: { page: [expect.stringMatching(/one by one/)] } })
    }
    const few = await expectShortTurns(() => session.tokens.searchV1({ query: 'metadata.part:small' }))
    expect(few.data.map(({ id }) => id)).toEqual(['a-mine'])
    expect(few.pagination.total_items).toBe(1)
    const whole = await createSession(vault, [
      { priority: 1, container: '/', transform: 'mask', permissions: reading },
    ])
    const { data, pagination } = await expectShortTurns(() => whole.tokens.listV1({ size: 10 }))
    expect([data.length, pagination.total_items]).toEqual([10, 2500])
  })

  test('R-03 L-06 a metadata key with too many spellings is rejected, not miscounted', async () => {
    const vault = openVault({ ephemeral: true })
    const keys = Array.from({ length: 32 }, (_, bits) =>
      Array.from('abcde', (letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join(''),
    )
    const metadata = Object.fromEntries(keys.map((key) => [key, 'v']))
    await createTokens(vault, 320, () => ({ type: 'token', data: 'x', metadata }))
    const refusal = await catchProblem(vault.owner.tokens.listV1({ metadata: [['abcde', 'v']] }))
    expect(refusal).toMatchObject({ status: 400, errors: { page: [expect.stringMatching(/too long/)] } })
  })

  test('P-07 L-05 L-07 conditions on containers with many members allow numbered lists', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const containers = Array.from({ length: 9 }, (_, at) => `/a${at}/`)
    // The containers have ten thousand membership rows.
    await createTokens(vault, 1200, (at) => ({
      id: `b-${at}`,
      type: 'token',
      data: 'x',
      containers: ['/other/', ...containers],
      metadata: { part: at < 40 ? 'small' : 'large' },
    }))
    const session = await createSession(
      vault,
      containers.map((value, at) => ({
        priority: at + 1,
        conditions: [{ attribute: 'container', operator: 'equals', value }],
        transform: 'mask',
        permissions: reading,
      })),
    )
    const few = await expectShortTurns(() => session.tokens.searchV1({ query: 'metadata.part:small' }))
    expect(few.pagination.total_items).toBe(40)
  })

  test('P-07 L-05 L-07 a session with many ids can search metadata with many terms', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, 'v']))
    await createTokens(vault, 400, (at) => ({
      id: `a-${at}`,
      type: 'token',
      data: 'x',
      metadata: at < 30 ? metadata : { k0: 'v' },
    }))
    const named = [{ attribute: 'id', operator: 'starts_with', value: 'a-' }]
    const session = await createSession(vault, [
      { priority: 1, conditions: named, transform: 'mask', permissions: reading },
    ])
    const query = Object.keys(metadata)
      .map((key) => `metadata.${key}:v`)
      .join(' AND ')
    const { pagination } = await expectShortTurns(() => session.tokens.searchV1({ query }))
    expect(pagination.total_items).toBe(30)
  })

  test('P-07 L-04 L-05 tokens named in session conditions are found without a scan', async () => {
    const vault = openVault({ ephemeral: true })
    const last = '\u{10ffff}'
    const made = [
      { id: 'a-1', containers: ['/one/'] },
      { id: 'a-2', containers: ['/two/', '/one/'], metadata: { wanted: 'yes' } },
      { id: `a-${last}`, containers: ['/two/'] },
      { id: 'a-\u{1f511}', containers: ['/one/'] },
      { id: 'c-1', containers: ['/few/under/'] },
    ]
    for (const each of made) {
      await vault.owner.tokens.create({ type: 'token', data: 'x', ...each })
      vault.clock.advance(1)
    }
    await createTokens(vault, 2500, (at) => ({ id: `b-${at}`, type: 'token', data: 'x' }))
    const createRule = (...conditions: [attribute: string, operator: string, value: string][]) => ({
      priority: 1,
      conditions: conditions.map(([attribute, operator, value]) => ({ attribute, operator, value })),
      transform: 'mask',
      permissions: reading,
    })
    const cases: [rules: object[], ids: string[]][] = [
      [
        [createRule(['id', 'equals', 'a-1']), { ...createRule(['id', 'equals', 'a-2']), priority: 2 }],
        ['a-2', 'a-1'],
      ],
      [[createRule(['id', 'starts_with', 'a-'])], [`a-${last}`, 'a-2', 'a-\u{1f511}', 'a-1']],
      [[createRule(['id', 'starts_with', 'a-'], ['container', 'equals', '/two/'])], [`a-${last}`, 'a-2']],
      [[createRule(['id', 'equals', 'none'])], []],
      [[createRule(['container', 'starts_with', '/few/un'])], ['c-1']],
      [[createRule(['container', 'equals', '/few/under/'])], ['c-1']],
      [[createRule(['container', 'equals', '/none/'])], []],
      [[createRule(['container', 'starts_with', '/few/'], ['container', 'starts_with', '/one/'])], []],
    ]
    for (const [rules, ids] of cases) {
      const session = await createSession(vault, rules)
      const getIds = async (page: Promise<TokenPage>) => (await page).data.map(({ id }) => id)
      expect(await getIds(session.tokens.list({ size: 10 }))).toEqual(ids)
      expect(
        (await listPages((start) => session.tokens.list({ size: 1, start }))).flat().map(({ id }) => id),
      ).toEqual(ids)
      const numbered = await session.tokens.listV1({ size: 10 })
      expect(numbered.data.map(({ id }) => id).sort()).toEqual([...ids].sort())
      expect(numbered.pagination.total_items).toBe(ids.length)
    }
    const session = await createSession(vault, [createRule(['id', 'starts_with', 'a-'])])
    const listIds = async (query: object) =>
      (await session.tokens.list({ size: 10, ...query })).data.map(({ id }) => id)
    const two = 'a-2'
    const key = 'a-\u{1f511}'
    expect(await listIds({ metadata: { wanted: 'yes' } })).toEqual([two])
    expect(await catchProblem(session.tokens.list({ container: '/one/' }))).toMatchObject({ status: 403 })
    // A token that moves after the first page is still listed once.
    const first = await session.tokens.list({ size: 1 })
    await vault.owner.tokens.update({ id: key, containers: ['/zzz/'] })
    await vault.owner.tokens.update({ id: `a-${last}`, containers: ['/aaa/'] })
    const rest = await listPages((start) =>
      session.tokens.list({ size: 1, start: start ?? first.pagination.next }),
    )
    expect(rest.flat().map(({ id }) => id)).toEqual([two, key, 'a-1'])
  })

  test('X-48 R-03 T-14 expired tokens count as scanned rows', { tags: 'thorough' }, async () => {
    const vault = openVault({ ephemeral: true })
    await vault.owner.tokens.create({ id: 'a-lasting', type: 'token', data: 'x' })
    const expires_at = new Date(vault.clock.ms + 60_000).toISOString()
    await createTokens(vault, 2500, (at) => ({ id: `b-${at}`, type: 'token', data: 'x', expires_at }))
    vault.clock.advance(120_000)
    const pages = await listPages((start) => vault.owner.tokens.list({ size: 5, start }))
    expect(pages.map((each) => each.map(({ id }) => id))).toEqual([[], ['a-lasting']])
  })

  test('X-48 R-03 L-01 tokens that do not match the filter count as scanned rows', async () => {
    const vault = openVault({ ephemeral: true })
    await createTokens(vault, 2500, (at) => ({
      id: `b-${at}`,
      type: 'token',
      data: 'x',
      containers: ['/one/', '/two/'],
      ...(at === 17 && { metadata: { wanted: 'yes' } }),
    }))
    const input = { container: '/two/', metadata: { wanted: 'yes' }, size: 5 }
    const pages = await listPages((start) => vault.owner.tokens.list({ ...input, start }))
    expect(pages.flat().map(({ id }) => id)).toEqual(['b-17'])
    expect(pages).toHaveLength(2)
    const query = 'metadata.wanted:yes AND container:"/two/"'
    expect(await expectShortTurns(() => vault.owner.tokens.count({ query }))).toEqual({ total: 1 })
  })
})

/** Opens an in-memory vault, with a client that has a rule for each of a hundred containers. */
async function openVaultWithHundredScopes() {
  const vault = openVault({ ephemeral: true })
  const rules = Array.from({ length: 100 }, (_, at) => ({
    priority: at + 1,
    container: `/c/${at}/`,
    transform: 'mask' as const,
    permissions: [...reading],
  }))
  const { client } = await vault.application({ rules })
  return { vault, client }
}

test('R-03 P-09 listing tokens of a hundred scopes prepares fewer than 20 statements', async () => {
  const { vault, client } = await openVaultWithHundredScopes()
  await createTokens(vault, 150, (at) => ({
    type: 'token',
    data: 'x',
    containers: [`/c/${at % 100}/`, ...(at % 3 ? [] : [`/c/${at % 7}/`, '/elsewhere/'])],
  }))
  const prepare = vi.spyOn(Driver.prototype, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  const pages = await listPages((start) => client.tokens.list({ size: 5, start }))
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(150)
  expect(pages.flat()).toHaveLength(150)
  expect(prepare.mock.calls.length).toBeLessThan(20)
})

test('R-03 P-09 a page of ten tokens in a hundred scopes reads fewer than 400 rows', {
  tags: 'thorough',
}, async () => {
  const { vault, client } = await openVaultWithHundredScopes()
  const getContainers = (at: number) => ['/elsewhere/', `/c/${at % 100}/`, `/c/${(at + 1) % 100}/`]
  await createTokens(vault, 500, (at) => ({
    id: `t-${at}`,
    type: 'token',
    data: 'x',
    containers: getContainers(at),
  }))
  let rows = 0
  const { prepare } = Driver.prototype
  const counting = vi.spyOn(Driver.prototype, 'prepare').mockImplementation(function (this: never, source) {
    const statement = prepare.call(this, source)
    const all = statement.all.bind(statement) as (...values: unknown[]) => unknown[]
    statement.all = (...values: unknown[]) => {
      const found = all(...values)
      if (source.includes('token_membership')) rows += found.length
      return found
    }
    return statement
  })
  onTestFinished(() => counting.mockRestore())
  const { data, pagination } = await client.tokens.list({ size: 10 })
  expect(data).toHaveLength(10)
  expect(rows).toBeLessThan(400)
  const rest = await listPages((start) => client.tokens.list({ size: 100, start: start ?? pagination.next }))
  const ids = [data, ...rest].flat().map(({ id }) => id)
  const all = Array.from({ length: 500 }, (_, at) => `t-${at}`)
  expect(ids).toEqual(all.sort().reverse())
  expect(rows).toBeLessThan(20_000)
})

describe('lists with numbered pages', () => {
  test('X-48 R-03 L-07 a search for fifty metadata terms starts from the rarest one', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const names = Array.from({ length: 50 }, (_, at) => `k${at}`)
    const common = Object.fromEntries(names.map((name) => [name, 'V']))
    await createTokens(vault, 1200, (at) => ({
      id: `t-${at}`,
      type: 'token',
      data: 'x',
      metadata: at < 100 ? { ...common, k49: at < 30 ? 'Rare' : 'RARE', k48: at % 2 ? 'v' : 'V' } : common,
    }))
    const { client } = await vault.application({ permissions: [...reading] })
    const rare = [...names.slice(0, 49).map((name) => `metadata.${name}:v`), 'metadata.k49:rare'].join(
      ' AND ',
    )
    const { data, pagination } = await expectShortTurns(() =>
      client.tokens.searchV1({ query: rare, size: 100 }),
    )
    expect(pagination.total_items).toBe(100)
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['t-0', 't-29', 't-30', 't-99']))
    const query = names.map((name) => `metadata.${name}:v`).join(' AND ')
    expect(await expectShortTurns(() => catchProblem(client.tokens.searchV1({ query })))).toMatchObject({
      status: 400,
      errors: { page: [expect.stringMatching(/too long to number/)] },
    })
    const both = await expectShortTurns(() =>
      client.tokens.listV1({ id: ['t-5', 't-500', 'none'], metadata: { k0: 'v', k1: 'v' } }),
    )
    expect(both.data.map(({ id }) => id).sort()).toEqual(['t-5', 't-500'])
  })

  test('X-48 R-03 L-05 a page too far down the list is rejected instead of empty', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const rules = Array.from({ length: 100 }, (_, at) => ({
      priority: at + 1,
      container: `/c/${at}/`,
      transform: 'mask' as const,
      permissions: [...reading],
    }))
    const { client } = await vault.application({ rules })
    await vault.owner.tokens.create({ id: 'old', type: 'token', data: 'x', containers: ['/c/7/'] })
    vault.clock.advance(1)
    await createTokens(vault, 1000, (at) => ({
      id: `t-${at}`,
      type: 'token',
      data: 'x',
      containers: ['/d/'],
    }))
    // The 1,000 tokens in a container without access are not read, so they do not count.
    const { data } = await expectShortTurns(() => client.tokens.listV1({}))
    expect(data.map(({ id }) => id)).toEqual(['old'])
    vault.clock.advance(-1)
    await createTokens(vault, 100, (at) => ({ type: 'token', data: 'x', containers: [`/c/8/${at}/`] }))
    expect(await expectShortTurns(() => catchProblem(client.tokens.listV1({})))).toMatchObject({
      status: 400,
      errors: { page: [expect.stringMatching(/too far down/)] },
    })
    expect((await client.tokens.list({ container: '/c/7/' })).data.map(({ id }) => id)).toEqual(['old'])
    for (let at = 0; at < 20; at++) await vault.owner.tokens.remove({ id: `t-${at}` })
    const found = (await client.tokens.listV1({})).data.map(({ id }) => id)
    expect([found[0], found.length]).toEqual(['old', 20])
  })

  test('X-48 R-03 K-02 a page of applications with too many rules is rejected', {
    tags: 'thorough',
  }, async () => {
    const vault = openVault({ ephemeral: true })
    const rules = Array.from({ length: 100 }, (_, at) => ({
      description: 'd'.repeat(1000),
      priority: at + 1,
      container: `/a/${'b'.repeat(180)}/${at}/`,
      transform: 'mask' as const,
      permissions: [...reading],
    }))
    for (let at = 0; at < 70; at++) await vault.application({ rules })
    expect(
      await expectShortTurns(() => catchProblem(vault.owner.applications.list({ size: 100 }))),
    ).toMatchObject({
      status: 400,
      errors: { size: [expect.stringMatching(/rules of these applications/)] },
    })
    const { data, pagination } = await expectShortTurns(() => vault.owner.applications.list({ size: 20 }))
    expect([data.length, pagination.total_items]).toEqual([20, 70])
  })
})
