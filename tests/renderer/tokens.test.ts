import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { buildContainerTree } from '../../renderer/parts/tokens/counts.ts'
import { emptyDraft, toTokenRequest } from '../../renderer/parts/tokens/token-draft.ts'
import { getTypeIcon, getTypeName, tokenTypes, typeNames } from '../../renderer/parts/tokens/token-types.ts'
import {
  applyPatchToDraft,
  createUndoPatch,
  toEditDraft,
  toMergePatch,
} from '../../renderer/screens/tokens/forms/edit-draft.ts'
import { createMetadataColumns } from '../../renderer/screens/tokens/list/token-columns.tsx'
import {
  createChips,
  formatSortParameter,
  isMatch,
  limitFilters,
  toFilters,
  toSearchQuery,
  toSort,
  withFilter,
  withSuggestion,
} from '../../renderer/screens/tokens/list/token-filters.ts'
import {
  compareTokens,
  findNewRows,
  findSeenRow,
  insertInOrder,
  placeInRows,
} from '../../renderer/screens/tokens/list/token-order.ts'
import type { TokenSort } from '../../shared/find.ts'
import type { JsonObject } from '../../shared/json.ts'
import { mergePatch } from '../../shared/merge-patch.ts'
import type { Token } from '../../shared/schemas/token.ts'
import { tokenTypes as engineTypes, isTokenType } from '../../shared/token-types.ts'
import { openVault } from '../vault.ts'

// Edits are sent by the connection to the vault, which needs a window.
vi.mock('../../renderer/screens/tokens/list/token-edits.ts', () => ({ editToken: () => undefined }))

const createToken = (id: string, container: string, created_at = '2030-01-01'): Token => ({
  id,
  tenant_id: '',
  type: 'token',
  containers: [container],
  created_at,
})

test('every token type has test data that the vault accepts', async () => {
  expect([...typeNames].sort()).toEqual([...engineTypes].sort())
  const { owner } = openVault()
  for (const type of typeNames) {
    const made = await owner.tokens.create({ type, data: tokenTypes[type].sample })
    expect(made.type).toBe(type)
  }
})

test('an inherited property name is not a token type', () => {
  expect(['card', 'toString', 'constructor', ''].map(isTokenType)).toEqual([true, false, false, false])
  expect([getTypeIcon('toString'), getTypeName('toString')]).toEqual(['token', 'toString'])
})

test('T-07 a form sends a mask that is a number or a boolean', async () => {
  const { owner } = openVault()
  const draft = { ...emptyDraft, type: 'token', data: { value: 'x' }, mask: '5' } as const
  const made = (await owner.tokens.create(toTokenRequest(draft))) as Token
  expect([made.mask, toEditDraft(made).mask]).toEqual([5, '5'])
  expect(toMergePatch(made, { ...toEditDraft(made), mask: 'false' })).toEqual({ mask: false })
})

test('A-14 a form sends numbers as typed, and an unedited mask unchanged', async () => {
  const { owner } = openVault()
  const draft = {
    ...emptyDraft,
    type: 'token',
    data: { value: '{"a":19.90,"b":1e21}' },
    mask: '{"m":1.0}',
  } as const
  const made = (await owner.tokens.create(toTokenRequest(draft))) as Token
  const { id } = made
  const readData = async () => JSON.stringify((await owner.tokens.reveal({ id })).data)
  expect([await readData(), JSON.stringify(made.mask)]).toEqual(['{"a":19.90,"b":1e21}', '{"m":1.0}'])
  expect(toMergePatch(made, toEditDraft(made))).toEqual({})
  const edited = toMergePatch(made, {
    ...toEditDraft(made),
    data: { value: '{"b":2.0}' },
    mask: '{"m":1.00}',
  })
  expect(JSON.stringify(edited)).toBe('{"data":{"b":2.0},"mask":{"m":1.00}}')
  await owner.tokens.update({ ...edited, id })
  expect(await readData()).toBe('{"a":19.90,"b":2.0}')
})

test('rows of the next page, which a refresh reads too, are not new', () => {
  const data = ['4', '3', '2', '1'].map((id) => createToken(id, '/'))
  const findNewIds = (next: string | null) =>
    findNewRows({ rows: data.slice(1, 3), next }, data).map(({ id }) => id)
  expect(findNewIds('next')).toEqual(['4'])
  expect(findNewIds(null)).toEqual(['4', '1'])
})

test('L-03 the window sorts tokens like the vault', async () => {
  const vault = openVault()
  for (const [index, container] of ['/b/', '/a/', '/a/b/', '/b/', '/ab/', '/a/'].entries()) {
    vault.clock.advance(index % 2)
    await vault.owner.tokens.create({ type: 'token', data: index, containers: [container] })
  }
  // Ids created at the same time, whose order by UTF-16 differs from the order by code points.
  for (const id of ['a-1', '\u{1f511}-1', '\ue000-1', 'a-\u{1f511}', 'a-\ufffd']) {
    await vault.owner.tokens.create({ id, type: 'token', data: id, containers: ['/b/'] })
  }
  const { data } = await vault.owner.tokens.list({ size: 100 })
  expect(
    data
      .toReversed()
      .sort(compareTokens)
      .map(({ id }) => id),
  ).toEqual(data.map(({ id }) => id))
})

test('a new token is inserted in order, unless it is on a later page', () => {
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom('/a/', '/b/', '/c/')), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(rows, fc.integer({ min: 0, max: 30 }), fc.boolean(), (pairs, id, hasMore) => {
      const unique = new Map(pairs.map(([each, container]) => [each, createToken(String(each), container)]))
      const sorted = [...unique.values()].sort(compareTokens)
      const added = createToken(String(id), '/b/')
      const result = insertInOrder(sorted, added, hasMore)
      expect([...result].sort(compareTokens)).toEqual(result)
      const found = result.filter((row) => row.id === String(id)).length
      const last = result.at(-1)
      expect(found).toBeLessThanOrEqual(1)
      if (!hasMore) expect(found).toBe(1)
      else if (found === 0 && last) expect(compareTokens(last, added)).toBeLessThan(0)
    }),
  )
})

test('L-01 the list of a key combines a container with at most one other filter', () => {
  const before = toFilters({ container: '/pci/', type: 'card' })
  const owners = withFilter(before, 'metadata', 'a=b')
  expect(owners).toEqual({ container: '/pci/', type: 'card', metadata: 'a=b' })
  expect(withFilter(owners, 'q', 'type:card')).toEqual({ container: '/pci/', q: 'type:card' })
  expect(limitFilters({ ...owners, type: undefined, q: 'ada' })).toEqual({ container: '/pci/', q: 'ada' })
  const filters = withFilter(before, 'metadata', 'a=b', true)
  expect(filters).toEqual({ container: '/pci/', metadata: 'a=b' })
  const landed = { ...createToken('x', '/pci/high/'), metadata: { a: 'b' } }
  expect(isMatch(landed, filters)).toBe(true)
  expect(isMatch({ ...landed, containers: ['/pcx/'] }, filters)).toBe(false)
  expect(isMatch({ ...landed, metadata: { a: 'c' } }, filters)).toBe(false)
})

test('L-08 the search field accepts text or a query', async () => {
  const { owner } = openVault()
  const search_indexes = ['{{ data }}']
  await owner.tokens.create({ id: 'red', type: 'token', data: 'a "b"', search_indexes, containers: ['/x/'] })
  await owner.tokens.create({ id: 'blue', type: 'token', data: 'c', metadata: { 'a b': 'c' } })
  const searchIds = async (q: string, container?: string) =>
    (await owner.tokens.search({ query: toSearchQuery(q, container) })).data.map(({ id }) => id)
  expect(await searchIds('a "b"')).toEqual(['red'])
  expect(await searchIds('a "b"', '/y/')).toEqual([])
  expect(await searchIds('type:token', '/x/')).toEqual(['red'])
  expect(await searchIds('metadata."a b":c')).toEqual(['blue'])
  expect(await searchIds('other:c')).toEqual([])
  await expect(searchIds('type:token OR id:red')).rejects.toThrow('OR is not supported')
})

test('a chosen suggestion becomes a filter chip that can be removed', () => {
  let filters = withSuggestion({ q: 'cus', type: 'card' }, { kind: 'metadata', key: 'a=b', value: 'c%1F' })
  filters = withSuggestion(filters, { kind: 'metadata', key: 'plan' })
  filters = withSuggestion(filters, { kind: 'metadata', key: 'plan' })
  const chips = createChips(filters)
  expect(chips.map(({ kind, text }) => [kind, text])).toEqual([
    ['type', 'card'],
    ['metadata', 'a=b: c%1F'],
    ['metadata', 'plan'],
  ])
  const fewer = createChips(chips[1]?.without ?? {})
  expect(fewer.map(({ text }) => text)).toEqual(['card', 'plan'])
  expect(createChips(withSuggestion({}, { kind: 'id', value: 'x' }))).toMatchObject([
    { kind: 'token', text: 'x' },
  ])
})

test('a new token is inserted first or last in a list sorted by creation', () => {
  const rows = ['2030-01-03', '2030-01-02', '2030-01-01'].map((at) => createToken(at, '/a/', at))
  const added = createToken('new', '/z/', '2030-01-03')
  const listIds = (each: readonly Token[]) => each.map(({ id }) => id)
  expect(listIds(insertInOrder(rows, added, true, 'newest'))).toEqual(['new', ...listIds(rows)])
  expect(listIds(insertInOrder(rows.toReversed(), added, false, 'oldest'))).toEqual([
    ...listIds(rows).toReversed(),
    'new',
  ])
  expect(listIds(insertInOrder(rows.toReversed(), added, true, 'oldest'))).toEqual(listIds(rows).toReversed())
  const moved = { ...createToken('2030-01-02', '/z/', '2030-01-02') }
  expect(listIds(insertInOrder(rows, moved, true, 'newest'))).toEqual(listIds(rows))
})

test('a token outside of the loaded rows moves them, and only a new one adds a row', () => {
  const rows = ['2030-01-03', '2030-01-02'].map((at) => createToken(at, '/b/', at))
  const placeInMiddle = (token: Token, sort: TokenSort, isNew: boolean) => {
    const placed = placeInRows({ rows, above: 5 }, token, { sort, hasMore: true, isNew })
    return [placed.rows.map(({ id }) => id.slice(-2)).join(' '), placed.above]
  }
  const newer = createToken('x', '/a/', '2030-01-04')
  expect(placeInMiddle(newer, 'newest', true)).toEqual(['03 02', 6])
  expect(placeInMiddle(newer, 'newest', false)).toEqual(['03 02', 5])
  expect(placeInMiddle(createToken('x', '/a/', '2030-01-01'), 'newest', true)).toEqual(['03 02', 5])
  expect(placeInMiddle(createToken('xx', '/a/', '2030-01-02'), 'newest', true)).toEqual(['03 xx 02', 5])
  // A token that moves to another container leaves the loaded rows.
  expect(placeInMiddle(createToken('2030-01-02', '/c/', '2030-01-02'), 'container', false)).toEqual(['03', 6])
})

test('the line of the last look is above the first row that was there', () => {
  const rows = ['2030-01-03', '2030-01-02'].map((at) => createToken(at, '/b/', at))
  const findLine = (at: string, above = 0) => findSeenRow({ rows, above }, Date.parse(at))
  expect(findLine('2030-01-02')).toBe(1)
  expect(findLine('2030-01-03')).toBeNull()
  expect(findLine('2030-01-01')).toBeNull()
  expect(findLine('2030-01-02', 100)).toBeNull()
})

test('a search result stays in the list when its token changes', () => {
  const found = createToken('x', '/pci/')
  expect(isMatch(found, { q: 'typed' })).toBe(false)
  expect(isMatch(found, { q: 'typed' }, true)).toBe(true)
  expect(isMatch(found, { q: 'typed', container: '/other/' }, true)).toBe(false)
})

test('the container tree counts tokens in and below each container', () => {
  const counts = [
    { type: 'card', container: '/pci/high/', tokens: 2 },
    { type: 'token', container: '/pci/high/eu/', tokens: 1 },
    { type: 'token', container: '/', tokens: 4 },
  ]
  expect(buildContainerTree(counts).map(({ scope, depth, tokens }) => [scope, depth, tokens])).toEqual([
    ['/', 0, 4],
    ['/pci/', 0, 3],
    ['/pci/high/', 1, 3],
    ['/pci/high/eu/', 2, 1],
  ])
})

test("a form omits empty fields, so that the type's defaults apply", async () => {
  const { owner } = openVault()
  const draft = {
    ...emptyDraft,
    data: { number: '4242424242424242', expiration_month: '12', expiration_year: '2030', cvc: '' },
    metadata: [{ at: 0, key: 'a', value: 'b' }],
  }
  expect(toTokenRequest(draft)).toEqual({
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 },
    metadata: { a: 'b' },
  })
  expect((await owner.tokens.create(toTokenRequest(draft))).card?.last4).toBe('4242')
})

test('T-12 a form sends only edited fields', async () => {
  const { owner } = openVault()
  const { id } = await owner.tokens.create({
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 },
    metadata: { a: 'b', c: 'd' },
  })
  const made = await owner.tokens.get({ id })
  const draft = toEditDraft(made)
  expect(toMergePatch(made, draft)).toEqual({})
  const patch = toMergePatch(made, {
    ...draft,
    data: { expiration_year: '2031' },
    metadata: [{ at: 0, key: 'a', value: 'x' }],
    expires_at: '2031-01-01',
  })
  expect(patch).toEqual({
    data: { expiration_year: 2031 },
    metadata: { a: 'x', c: null },
    expires_at: '2031-01-01',
  })
  const changed = await owner.tokens.update({ ...patch, id: made.id } as never)
  expect(changed.data).toMatchObject({ number: 'XXXXXXXXXXXX4242', expiration_year: 2031 })
  expect(changed.metadata).toEqual({ a: 'x' })
})

test('loading a page does not change the columns object, so visible rows do not render again', () => {
  expect(createMetadataColumns([]).findColumn).toBe(createMetadataColumns([]).findColumn)
  expect(createMetadataColumns([]).findColumn('metadata.order')).toMatchObject({
    id: 'metadata.order',
    label: 'order',
  })
  expect(createMetadataColumns([]).findColumn('type')).toBeUndefined()
})

test('T-12 Undo reverts only the patch that it belongs to', async () => {
  const { owner } = openVault()
  const { id } = await owner.tokens.create({
    type: 'token',
    data: 'x',
    metadata: { env: 'prod', customer: 'a' },
    mask: { a: '1', b: { c: '2', d: '3' } },
  })
  const before = await owner.tokens.get({ id })
  const patch = { metadata: { env: 'test', added: 'y' }, mask: { b: { c: '9' } }, expires_at: '2099-01-01' }
  await owner.tokens.update({ id, ...patch })
  await owner.tokens.update({ id, metadata: { customer: 'b' }, mask: { a: '5', b: { d: '6' } } })
  await owner.tokens.update({ id, ...createUndoPatch(before, patch) })
  const { metadata, mask, expires_at } = await owner.tokens.get({ id })
  expect([metadata, mask, expires_at]).toEqual([
    { env: 'prod', customer: 'b' },
    { a: '5', b: { c: '2', d: '6' } },
    undefined,
  ])
  const plain = createToken('t', '/a/')
  expect(createUndoPatch(plain, { metadata: { a: 'b' }, mask: { a: 'b' } })).toEqual({
    metadata: { a: null },
    mask: null,
  })
  expect(createUndoPatch(plain, { data: 'y' })).toBeNull()
})

test('T-12 a typed patch fills the fields of the form, and members without a field are listed', () => {
  const card = {
    ...createToken('t', '/a/'),
    type: 'card',
    metadata: { a: '1', b: '2' },
    mask: { m: 'x' },
  } as const
  const kept: JsonObject[] = [
    {},
    { data: { cvc: '123', expiration_month: 12 } },
    { expires_at: '2099-01-01', containers: ['/b/', '/c/'], search_indexes: null },
    {
      metadata: { b: null, c: '3' },
      mask: { m: null, n: '{{ data }}' },
      fingerprint_expression: '{{ data }}',
    },
    { metadata: null, mask: null },
  ]
  const members = card as unknown as JsonObject
  for (const patch of kept) {
    const { draft, lost } = applyPatchToDraft(card, patch)
    expect([patch, lost]).toEqual([patch, []])
    const made = mergePatch(members, toMergePatch(card, draft)) as JsonObject
    expect({ metadata: {}, ...made }).toEqual({ metadata: {}, ...(mergePatch(members, patch) as JsonObject) })
  }
  const lost: [JsonObject, string[]][] = [
    [{ data: { other: 'x' } }, ['data']],
    [{ data: { cvc: null }, metadata: { a: 1 } }, ['data', 'metadata']],
    [{ type: 'token', containers: '/b/', expires_at: 5 }, ['type', 'containers', 'expires_at']],
    [{ mask: '1', data: null }, ['mask', 'data']],
  ]
  for (const [patch, names] of lost) expect(applyPatchToDraft(card, patch).lost).toEqual(names)
  const text = { ...createToken('t', '/a/') }
  expect(applyPatchToDraft(text, { data: [1] })).toMatchObject({
    draft: { data: { value: '[\n  1\n]' } },
    lost: [],
  })
  expect(applyPatchToDraft(text, { data: '1' }).lost).toEqual(['data'])
  expect(applyPatchToDraft({ ...text, type: 'unknown' }, { data: 'x' }).lost).toEqual(['data'])
})

test('only the list of the owner is sorted by newest first', () => {
  expect(toSort({}, null)).toBe('newest')
  expect(toSort({ sort: 'oldest' }, null)).toBe('oldest')
  expect(toSort({ sort: 'container' }, null)).toBe('container')
  expect(toSort({ sort: 'newest', q: 'type:card' }, null)).toBe('container')
  expect(toSort({ sort: 'newest' }, { id: 'a', name: 'Backend' })).toBe('container')
  for (const sort of ['newest', 'oldest', 'container'] as const) {
    const parameter = formatSortParameter(sort)
    expect(toSort(parameter === undefined ? {} : { sort: parameter }, null)).toBe(sort)
  }
})
