import { expect, onTestFinished, test, vi } from 'vitest'
import { deriveDatabaseKey, Keyring } from '../../electron/engine/crypto/keyring.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { createConditions } from '../../electron/engine/resources/tokens/search/conditions.ts'
import { createWalk, walkMatches } from '../../electron/engine/resources/tokens/search/matches.ts'
import { type IndexedToken, listTerms } from '../../electron/engine/resources/tokens/terms/terms.ts'
import { tokenTypes as samples } from '../../renderer/parts/tokens/token-types.ts'
import type { CreatedTogether, Find, TokenSort } from '../../shared/find.ts'
import { isObject } from '../../shared/json.ts'
import type { Token } from '../../shared/schemas/token.ts'
import { tokenTypes, typeLabels } from '../../shared/token-types.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { openBriefVault, openVault, start } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import type { TestVault } from './vault-helpers.ts'

/** All tokens that a search finds, on all pages. */
async function listIds(
  { owner }: TestVault,
  find: Find,
  sort: TokenSort = 'newest',
  size = 100,
): Promise<string[]> {
  const ids: string[] = []
  let start: string | undefined
  do {
    const page = await owner.tokens.find({ find, sort, size, ...(start !== undefined && { start }) })
    ids.push(...page.data.map(({ id }) => id))
    start = page.pagination.next ?? undefined
  } while (start !== undefined)
  return ids
}

async function countTokens({ owner }: TestVault, find: Find): Promise<number> {
  let total = 0
  let start: string | undefined
  do {
    const counted = await owner.tokens.findCount({ find, ...(start !== undefined && { start }) })
    total += counted.total
    start = counted.next ?? undefined
  } while (start !== undefined)
  return total
}

test('find returns tokens by last four, metadata, id, container and type', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const card = await owner.tokens.create({
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2040 },
    metadata: { 'Customer ID': 'Cus_1076' },
  })
  const note = await owner.tokens.create({ type: 'token', data: 'a note', containers: ['/notes/old/'] })
  const findText = (text: string) => listIds(vault, { text })
  expect(await findText('4242')).toEqual([card.id])
  expect(await findText('cus_10')).toEqual([card.id])
  expect(await findText('customer')).toEqual([card.id])
  expect(await findText('card')).toEqual([card.id])
  expect(await findText('/notes/o')).toEqual([note.id])
  expect(await findText(note.id.slice(0, 8))).toEqual([note.id])
  expect(await findText(card.fingerprint ?? '')).toEqual([card.id])
  expect(await findText('nothing like it')).toEqual([])
  expect(
    await listIds(vault, { metadata: [{ key: 'customer id', value: 'CUS_1076' }], type: 'card' }),
  ).toEqual([card.id])
  expect(await listIds(vault, { metadata: [{ key: 'customer id', value: 'cus_10' }] })).toEqual([])
  expect(await owner.tokens.suggest({ text: 'cus' })).toEqual({
    data: [
      { kind: 'metadata', key: 'Customer ID', value: 'Cus_1076' },
      { kind: 'metadata', key: 'Customer ID' },
    ],
  })
  expect((await owner.tokens.suggest({ text: '4242' })).data).toContainEqual({ kind: 'last4', value: '4242' })
  expect(await countTokens(vault, { text: '4242' })).toBe(1)
  const stranger = await vault.application({ permissions: ['token:read', 'token:search'] })
  await expect(stranger.client.tokens.find({ find: {}, sort: 'newest', size: 10 })).rejects.toMatchObject({
    status: 403,
  })
})

test('find returns tokens of every type by name, mask and container', async () => {
  const vault = openBriefVault()
  for (const type of tokenTypes) {
    const { sample } = samples[type]
    const containers = [`/of/${type}/`]
    const { id, data } = await vault.owner.tokens.create({ type, data: sample, containers })
    const { name, short } = typeLabels[type]
    const parts = isObject(data) ? [data.number, data.account_number] : [data]
    const masked = type === 'token' ? [] : parts.filter((each) => typeof each === 'string')
    expect([type, masked.length]).toEqual([type, type === 'token' ? 0 : 1])
    for (const text of [name, short, short.toLowerCase(), type, ...masked, ...containers]) {
      expect([type, text, await listIds(vault, { text })]).toEqual([type, text, expect.arrayContaining([id])])
    }
    const { data: suggested } = await vault.owner.tokens.suggest({ text: short })
    expect(suggested).toContainEqual({ kind: 'type', value: type })
  }
})

test('find matches last four digits only if the current mask shows them', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const createToken = (input: object) => owner.tokens.create(input as never)
  const number = '4242424242424242'
  const defaultMask = await createToken({ type: 'card_number', data: number })
  await createToken({ type: 'card_number', data: number, mask: '{{ data | reveal_last: 2 }}' })
  const own = await createToken({
    type: 'token',
    data: number,
    mask: { card: '{{ data | reveal_last: 4 }}' },
  })
  await createToken({ type: 'token', data: number })
  expect(await listIds(vault, { last4: '4242' })).toEqual([own.id, defaultMask.id])
  await owner.tokens.update({ id: defaultMask.id, mask: 'hidden' } as never)
  await owner.tokens.remove({ id: own.id })
  expect(await listIds(vault, { last4: '4242' })).toEqual([])
})

// A seeded generator, so that a failure can be reproduced.
function createGenerator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type KnownToken = Token & { last4: string | null; place: number }

const foldCase = (text: string) => text.toUpperCase()

function isFound(token: KnownToken, find: Find): boolean {
  const { text, container, created, metadata = [] } = find
  const isCreatedIn = ({ first, last, at }: CreatedTogether) =>
    first <= token.place && token.place <= last && Date.parse(token.created_at) === at
  return (
    (['type', 'fingerprint', 'id', 'last4'] as const).every(
      (name) => find[name] === undefined || token[name] === find[name],
    ) &&
    (container === undefined || token.containers.some((each) => each.startsWith(container))) &&
    (created === undefined || created.some(isCreatedIn)) &&
    metadata.every(({ key, value }) => hasPair(token, key, value)) &&
    (text === undefined || hasText(token, text))
  )
}

function hasPair({ metadata }: KnownToken, key: string, value: string | undefined): boolean {
  return Object.entries(metadata ?? {}).some(
    ([name, each]) =>
      foldCase(name) === foldCase(key) && (value === undefined || foldCase(each) === foldCase(value)),
  )
}

function hasText({ id, type, containers, metadata, fingerprint, last4 }: KnownToken, text: string): boolean {
  const lower = text.toLowerCase()
  const startsWithText = (each: string) => foldCase(each).startsWith(foldCase(text))
  if ([id, fingerprint, last4].includes(text)) return true
  if (text.length >= 5 && id.startsWith(lower)) return true
  const pairs = Object.entries(metadata ?? {})
  if (pairs.some(([, value]) => startsWithText(value))) return true
  if (text.length < 2) return false
  return (
    ` ${type.replaceAll('_', ' ')}`.includes(` ${lower}`) ||
    containers.some((each) => each.startsWith(`/${lower.replace(/^\//, '')}`)) ||
    pairs.some(([key]) => startsWithText(key))
  )
}

const values = [
  'Ada',
  'ada lovelace',
  'ΑΣ',
  'ασβ',
  'gold',
  'GOLD',
  'x'.repeat(300),
  `${'x'.repeat(299)}y`,
  '',
]
const keys = ['customer', 'Customer', 'plan', 'Customer ID', 'пл']
const scopes = ['/pci/high/', '/pci/low/', '/general/high/', '/general/high/deep/', '/x/']
const numbers = { 4242: '4242424242424242', 1111: '4111111111111111', '0005': '378282246310005' } as const
const lasts = ['4242', '1111', '0005'] as const
const texts = ['4242', 'ada', 'a', 'ΑΣ', 'cust', 'card', 'pci', '/general/hi', 'x'.repeat(299), 'nope']

/** Returns functions that choose tokens and searches at random. */
function createChoices(seed: number) {
  const below = createGenerator(seed)
  const pickOne = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const generateMetadata = () => {
    const pairs = Array.from({ length: below(3) }, () => [pickOne(keys), pickOne(values)] as const)
    return Object.fromEntries(pairs)
  }
  const generateContainers = () => [...new Set(Array.from({ length: 1 + below(2) }, () => pickOne(scopes)))]
  return {
    below,
    pickOne,
    generateMetadata,
    generateContainers,
    generateInput(now: number) {
      const last4 = pickOne(lasts)
      const isCard = below(2) === 0
      return {
        type: isCard ? 'card_number' : 'token',
        data: isCard ? numbers[last4] : 'text',
        containers: generateContainers(),
        metadata: generateMetadata(),
        ...(below(10) === 0 && { mask: 'nothing' }),
        ...(below(20) === 0 && { expires_at: new Date(now + 60_000).toISOString() }),
      }
    },
    generateFind(tokens: readonly KnownToken[]): Find {
      const one = tokens.length > 0 ? pickOne(tokens) : undefined
      return {
        ...(below(2) === 0 && { text: pickOne([...texts, one?.id.slice(0, 6) ?? 'q']) }),
        ...(below(3) === 0 && { container: pickOne(['/', '/pci/', '/general/', '/x/', '/none/']) }),
        ...(below(4) === 0 && { type: pickOne(['card_number', 'token', 'bank']) }),
        ...(below(3) === 0 && {
          metadata: [{ key: pickOne(keys), ...(below(2) === 0 && { value: pickOne(values) }) }],
        }),
        ...(below(5) === 0 && { last4: pickOne(lasts) }),
        ...(below(4) === 0 && {
          created: [
            { first: 510, last: 511, at: start },
            { first: 1 + below(200), last: 200 + below(300), at: start },
            { first: 300, last: 400, at: start + 1 },
          ],
        }),
        ...(below(9) === 0 && one?.fingerprint && { fingerprint: one.fingerprint }),
      }
    },
  }
}

/** Returns functions that change a vault at random and remember its tokens. */
function createChanges(
  { owner, clock, reopen }: TestVault,
  { below, pickOne, generateInput, generateMetadata, generateContainers }: ReturnType<typeof createChoices>,
) {
  const known = new Map<string, KnownToken>()
  let place = 0
  const rememberToken = async (id: string) => {
    const token = (await owner.tokens.get({ id })) as Token
    const isShown = token.type === 'card_number' && token.mask !== 'nothing'
    const last4 = isShown ? String(token.data ?? '').slice(-4) : null
    known.set(id, { ...token, last4, place: known.get(id)?.place ?? ++place })
  }

  async function createTokens(count: number) {
    for (let n = 0; n < count; n++) {
      clock.advance(below(3))
      await rememberToken((await owner.tokens.create(generateInput(clock.ms) as never)).id)
    }
  }

  async function removeTokens(count: number) {
    for (let n = 0; n < count && known.size > 0; n++) {
      const id = pickOne([...known.keys()])
      await owner.tokens.remove({ id })
      known.delete(id)
    }
  }

  async function updateToken(id: string) {
    const change = { metadata: generateMetadata(), containers: generateContainers() }
    await owner.tokens.update({ id, ...change } as never)
    await rememberToken(id)
  }

  function expireTokens() {
    clock.advance(61_000)
    for (const [id, { expires_at }] of known)
      if (expires_at && Date.parse(expires_at) <= clock.ms) known.delete(id)
  }

  return {
    known,
    rememberToken,
    async makeChange(size: number) {
      const step = below(20)
      const ids = [...known.keys()]
      if (step < 12 || ids.length === 0) return createTokens(size)
      if (step < 15) return removeTokens(size / 2)
      if (step < 17) return updateToken(pickOne(ids))
      if (step === 17) return expireTokens()
      if (step === 18) return reopen()
      await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

async function compareWithFilter(seed: number, rounds: number, size: number): Promise<void> {
  const vault = openVault({ ephemeral: true })
  const { owner, clock } = vault
  const inside = inspectIndex(vault)
  const choices = createChoices(seed)
  const { below, generateInput, generateFind } = choices
  const { known, rememberToken, makeChange } = createChanges(vault, choices)
  const inputs = Array.from({ length: 520 }, () => generateInput(clock.ms))
  await owner.tokens.createMany({ tokens: inputs as never })
  for (const each of await listIds(vault, {}, 'oldest')) await rememberToken(each)
  await waitFor(() => expect(inside.readProgress()).toBeGreaterThan(0))
  for (let at = 0; at < rounds; at++) {
    await makeChange(size)
    const tokens = [...known.values()]
    const find = generateFind(tokens)
    const wanted = tokens.filter((token) => isFound(token, find)).sort((a, b) => a.place - b.place)
    const ids = wanted.map(({ id }) => id)
    expect([find, await listIds(vault, find, 'oldest', 1 + below(100))]).toEqual([find, ids])
    expect([find, await listIds(vault, find, 'newest', 1 + below(100))]).toEqual([find, ids.toReversed()])
    expect([find, (await listIds(vault, find, 'container')).toSorted()]).toEqual([find, ids.toSorted()])
    expect([find, await countTokens(vault, find)]).toEqual([find, wanted.length])
    // Walk the tokens explicitly, because `find` does so only if every condition matches too many tokens to collect.
    expect([find, inside.walkTokens(find, 'oldest', clock.ms)]).toEqual([find, ids])
    expect([find, inside.walkTokens(find, 'newest', clock.ms)]).toEqual([find, ids.toReversed()])
    expect([find, inside.walkTokens(find, 'container', clock.ms)]).toEqual([
      find,
      await listIds(vault, find, 'container'),
    ])
  }
  expect(inside.terms()).toEqual(inside.computeTerms())
}

/** Opens the file of a vault with another connection. */
function inspectIndex(vault: TestVault) {
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  onTestFinished(() => {
    db.close()
  })
  const keyring = new Keyring(db, vault.master, vault.engine.tenant_id)
  const readProgress = () => db.prepare('SELECT upto FROM token_term_progress').pluck().get() as number
  const formatTerms = (readTerms: { term: Buffer; seq: number }[]) =>
    readTerms.map(({ term, seq }) => `${term.toString('hex')} ${seq}`).sort()
  return {
    readProgress,
    deleteTerms: () => db.exec('DELETE FROM token_term; UPDATE token_term_progress SET upto = 0'),
    /** Walks through all tokens, and starts from the beginning after every tenth page. */
    walkTokens(find: Find, sort: TokenSort, now: number): string[] {
      const plan = { db, now, candidates: null, rest: createConditions({ db, keyring }, find) }
      const ids: string[] = []
      let place: string | undefined
      for (let isDone = false; !isDone; ) {
        isDone = true
        let looked = 0
        for (const look of walkMatches(plan, createWalk(sort, place))) {
          if (look.row) ids.push(look.row.id)
          place = JSON.stringify(look.position)
          if (++looked === 10) {
            isDone = false
            break
          }
        }
      }
      return ids
    },
    terms: () =>
      formatTerms(db.prepare('SELECT term, seq FROM token_term').all() as { term: Buffer; seq: number }[]),
    computeTerms() {
      const rows = db
        .prepare('SELECT seq, id, type, mask, metadata, data FROM token WHERE seq <= ?')
        .all(readProgress()) as IndexedToken[]
      const all = rows.flatMap((row) => listTerms(keyring, row).map((term) => ({ term, seq: row.seq })))
      return [...new Set(formatTerms(all))]
    },
  }
}

test('find returns the same as a filter over all tokens, in every order', () => compareWithFilter(1, 3, 6))

test('find returns the same as a filter over all tokens, after many changes', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  for (const seed of [2, 3, 4]) await compareWithFilter(seed, 60, 10)
})

test('find reports that the index is being built, and returns the same results', async () => {
  const vault = openVault({ ephemeral: true })
  const inside = inspectIndex(vault)
  for (let from = 0; from < 2_100; from += 700) {
    const pairs = Array.from({ length: 700 }, (_, at) => ({ customer: `cus_${from + at}` }))
    await vault.owner.tokens.createMany({
      tokens: pairs.map((metadata) => ({ type: 'token', data: 'x', metadata })),
    })
  }
  const findPage = () => vault.owner.tokens.find({ find: { text: 'CUS_209' }, sort: 'newest', size: 100 })
  await waitFor(() => expect(inside.readProgress()).toBeGreaterThan(2_100 - 512))
  // Like a vault of an older version.
  inside.deleteTerms()
  expect((await findPage()).building).toEqual({ done: 0, total: 2_100 })
  const ids = await listIds(vault, { text: 'CUS_209' })
  expect(ids).toHaveLength(11)
  vault.reopen()
  await waitFor(async () => expect((await findPage()).building).toBe(null))
  await waitFor(() => expect(inside.readProgress()).toBeGreaterThan(2_100 - 512))
  expect(await listIds(vault, { text: 'CUS_209' })).toEqual(ids)
  expect(await countTokens(vault, { text: 'cus_' })).toBe(2_100)
  expect((await vault.owner.tokens.suggest({ text: 'customer: cus_2099' })).data).toEqual([
    { kind: 'metadata', key: 'customer', value: 'cus_2099' },
  ])
})

test('indexing waits for a pause in creates, at most ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const vault = openVault({ ephemeral: true })
  const inside = inspectIndex(vault)
  const createTokens = (tokens: number) =>
    vault.owner.tokens.createMany({
      tokens: Array.from({ length: tokens }, () => ({ type: 'token', data: 'x' })),
    })
  await createTokens(600)
  for (let ms = 0; ms < 9_000; ms += 450) {
    vi.advanceTimersByTime(450)
    expect(inside.readProgress()).toBe(0)
    await createTokens(1)
  }
  vi.advanceTimersByTime(1_000)
  const first = inside.readProgress()
  expect(first).toBeGreaterThan(0)
  await createTokens(600)
  vi.advanceTimersByTime(499)
  expect(inside.readProgress()).toBe(first)
  vi.advanceTimersByTime(1)
  expect(inside.readProgress()).toBeGreaterThan(first)
})

test('a deleted token leaves no terms, even if its mask changed', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0) })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const vault = openVault()
  const inside = inspectIndex(vault)
  const mask = "{{ 'now' | date: '%Y' }}"
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'number 2030', mask })
  const tokens = Array.from({ length: 600 }, () => ({ type: 'token', data: 'x' }) as const)
  await vault.owner.tokens.createMany({ tokens })
  await waitFor(() => expect(inside.terms()).toHaveLength(1))
  vi.setSystemTime(Date.UTC(2031, 0))
  await vault.owner.tokens.remove({ id })
  expect(inside.terms()).toEqual([])
})

test('ids are listed newest first, and paging continues while tokens are deleted', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const ids: string[] = []
  for (let at = 0; at < 7; at++) ids.push((await owner.tokens.create({ type: 'token', data: 'x' })).id)
  const first = await owner.tokens.findIds({ find: { type: 'token' }, size: 3 })
  expect(first.ids).toEqual(ids.slice(4).toReversed())
  for (const id of first.ids) await owner.tokens.remove({ id })
  await owner.tokens.create({ type: 'token', data: 'new' })
  const rest = await owner.tokens.findIds({ find: { type: 'token' }, size: 5000, start: first.next ?? '' })
  expect(rest).toEqual({ ids: ids.slice(0, 4).toReversed(), next: null })
  await expect(owner.tokens.findIds({ find: {}, size: 1, start: 'x' })).rejects.toMatchObject({ status: 400 })
  await expect(owner.tokens.find({ find: {}, size: 1, start: '1', sort: 'container' })).rejects.toMatchObject(
    {
      status: 400,
    },
  )
})

/** Creates tokens a second apart, of two types, in several containers, and deletes one of them. */
async function fillForPlaces(vault: TestVault): Promise<void> {
  const containers = [['/a/', '/b/c/'], ['/a/'], ['/b/'], ['/a/'], ['/b/']]
  for (let at = 0; at < 25; at++) {
    vault.clock.advance(1000)
    await vault.owner.tokens.create({
      ...(at % 3 ? { type: 'token', data: 'x' } : { type: 'card_number', data: '4242424242424242' }),
      containers: containers[at % 5] ?? [],
      metadata: at % 4 ? { n: 'one' } : {},
    })
  }
  await vault.owner.tokens.remove({ id: (await listIds(vault, {})).at(7) ?? '' })
}

test.each<Find>([{}, { type: 'token' }, { container: '/b/' }, { metadata: [{ key: 'n' }] }, { text: 'one' }])(
  'each place in a list is found, from both ends and by age: %j',
  async (find) => {
    const vault = openBriefVault()
    const { tokens } = vault.owner
    await fillForPlaces(vault)
    const findPage = async (sort: TokenSort, place: string | null, backwards = false) => {
      const query = { find, sort, size: 3, ...(place !== null && { start: place }), backwards }
      const { data, pagination } = await tokens.find(query)
      return { ids: data.map(({ id }) => id), ...pagination }
    }
    for (const sort of ['newest', 'oldest', 'container'] as const) {
      const ids = await listIds(vault, find, sort)
      for (let skip = 0; skip < ids.length; skip++) {
        const { place, ...rest } = await tokens.findPlace({ find, sort, skip })
        expect(rest).toEqual({ skipped: skip, isComplete: true })
        const page = await findPage(sort, place)
        expect(page.ids).toEqual(ids.slice(skip, skip + 3))
        const before = await findPage(sort, page.previous, true)
        expect(before.ids.toReversed()).toEqual(ids.slice(Math.max(0, skip - 3), skip))
      }
      const { place } = await tokens.findPlace({ find, sort, skip: 2, backwards: true })
      expect((await findPage(sort, place, true)).ids).toEqual(ids.slice(-5, -2).toReversed())
    }
    const { data } = await tokens.find({ find, sort: 'newest', size: 100 })
    const until = data.at(4)?.created_at ?? ''
    const findUntil = (sort: TokenSort) => tokens.findPlace({ find, sort, until })
    expect(await findUntil('newest')).toMatchObject({ skipped: 4 })
    expect(await findUntil('oldest')).toMatchObject({ skipped: data.length - 5 })
    await expect(findUntil('container')).rejects.toMatchObject({ status: 400 })
  },
)

test('a search can be saved, renamed and removed', async () => {
  const vault = openVault()
  const { owner } = vault
  const id = '6f1c8f6e-0d5b-4c39-9a9f-7d0f4d3c2b1a'
  await owner.tokens.saveSearch({ id, name: 'Gold', query: 'q=gold' })
  await owner.tokens.saveSearch({ id, name: 'Silver', query: 'q=gold' })
  vault.reopen()
  const search = { id, name: 'Silver', screen: 'tokens', query: 'q=gold', pinned: false }
  expect(await owner.tokens.savedSearches()).toEqual({ data: [search] })
  // A search from before other lists had saved filters is one of Tokens.
  vault.engine.close()
  undoMigrations(
    vault,
    migrations.findIndex(({ name }) => name === 'saved filters'),
  )
  vault.reopen()
  expect(await owner.tokens.savedSearches()).toEqual({ data: [search] })
  const refusals = { ...search, screen: 'requests', query: 'q=status:4xx', pinned: true }
  await owner.tokens.saveSearch(refusals)
  expect(await owner.tokens.savedSearches()).toEqual({ data: [refusals] })
  await owner.tokens.removeSearch({ id })
  expect(await owner.tokens.savedSearches()).toEqual({ data: [] })
})
