import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { createTokens } from '../../electron/host/initial-data/create-tokens.ts'
import { importBanks } from '../../electron/host/transfer/import-directories.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

const card = { type: 'card', data: { number: '4242424242424242' } }

describe('creating many tokens', () => {
  test('A-05 creates valid tokens and lists invalid ones by index', async () => {
    const { owner } = openBriefVault()
    await owner.tokens.create({ ...card, id: 'taken' })
    const { ids, refused } = await owner.tokens.createMany({
      tokens: [
        { ...card, id: 'first' },
        { type: 'card', data: { number: '1' } },
        { ...card, id: 'taken' },
        { ...card, colour: 'red' } as never,
        { type: 'social_security_number', data: '987-65-4320', metadata: { customer: 'ada' } },
      ],
    })
    expect(ids.map((id) => id !== null)).toEqual([true, false, false, false, true])
    expect(refused).toEqual([
      { index: 1, detail: expect.any(String), errors: { 'data.number': [expect.any(String)] } },
      { index: 2, detail: 'A token with this id already exists.', conflict: true },
      { index: 3, detail: expect.any(String), errors: { colour: [expect.any(String)] } },
    ])
    expect(await owner.tokens.get({ id: 'first' })).toMatchObject({ type: 'card', card: { last4: '4242' } })
    const found = await owner.tokens.search({ query: 'data:987-65-4320' })
    expect(found.data.map((token) => token.id)).toEqual([ids[4]])
    const listed = await owner.tokens.list({ metadata: { customer: 'ada' } })
    expect(listed.data.map((token) => token.id)).toEqual([ids[4]])
  })

  test('R-03 createTokens sends smaller chunks while other callers send requests', async () => {
    const measureLargestChunk = async (others: number) => {
      let [ms, calls] = [0, 0]
      const sizes: number[] = []
      const clock = vi
        .spyOn(process, 'threadCpuUsage')
        .mockImplementation(() => ({ user: ms * 1000, system: 0 }))
      const createMany = async ({ tokens }: { tokens: unknown[] }) => {
        sizes.push(tokens.length)
        calls += 1 + others
        ms += tokens.length / 10
        return { ids: [], stored: [], refused: [], now: 0 }
      }
      const engine = {
        get calls() {
          return calls
        },
        as: () => ({ tokens: { createMany } }),
      }
      await createTokens(engine as never, Array<typeof card>(5000).fill(card))
      clock.mockRestore()
      return Math.max(...sizes)
    }
    expect([await measureLargestChunk(0), await measureLargestChunk(1)]).toEqual([400, 150])
  })

  test('T-04 ids are unique version 4 UUIDs, and only those created together share a prefix', async () => {
    const { owner } = openBriefVault()
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const together = await owner.tokens.createMany({ tokens: Array.from({ length: 500 }, () => card) })
    const starts = new Set(together.ids.map((id) => String(id).slice(0, 4)))
    expect(starts.size).toBe(1)
    expect(new Set(together.ids.map((id) => String(id).slice(4))).size).toBe(500)
    const v4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
    expect(together.ids.filter((id) => !v4.test(String(id)))).toEqual([])
    for (let ms = 1002; ms < 1022; ms += 2) {
      now.mockReturnValue(ms)
      starts.add((await owner.tokens.create(card)).id.slice(0, 4))
    }
    expect(starts.size).toBeGreaterThan(9)
  })

  test('T-04 T-14 a token that is created expired frees its id and is not counted', async () => {
    const { owner, clock } = openBriefVault()
    const expires_at = new Date(clock.ms).toISOString()
    const token = { id: 'same', type: 'token', data: 'x', containers: ['/a/'], expires_at }
    const { ids } = await owner.tokens.createMany({ tokens: [token, token, { ...token, expires_at: null }] })
    expect(ids).toEqual(['same', 'same', 'same'])
    for (const query of ['', 'type:token', 'container:"/a/"']) {
      expect([query, await owner.tokens.count({ query })]).toEqual([query, { total: 1 }])
    }
    expect((await owner.tokens.listV1({})).pagination.total_items).toBe(1)
  })

  test('A-05 A-08 A-14 createMany accepts and rejects the same bodies as create, with the same messages', async () => {
    const { owner } = openBriefVault()
    const bodies: unknown[] = [
      5,
      null,
      {},
      [],
      { type: null, data: 1 },
      { type: 'token', data: null },
      { type: 'token', data: [1, { a: null }], id: null, mask: null, containers: null, metadata: null },
      { type: 'token', data: 'x', colour: 1, shape: 2 },
      { type: 'token', data: 'x', metadata: { a: 1, b: '' }, containers: [], search_indexes: [''] },
      { type: 'token', data: 'x', metadata: JSON.parse('{"__proto__":"y","constructor":"z"}') },
      {
        type: 'token',
        data: 'x',
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, ''])),
      },
      { type: 'token', data: 'x', deduplicate_token: 'true', expires_at: 5, privacy: { any: 1 } },
      { type: 'token', data: 'x', id: 'y'.repeat(401), fingerprint_expression: '' },
      { type: 'a'.repeat(101), data: 'x' },
      { type: 'token', data: 'x', encrypted: '' },
    ]
    for (const body of bodies) {
      const single = await catchProblem(owner.tokens.create(body as never)).catch(() => null)
      const { refused } = await owner.tokens.createMany({ tokens: [body] })
      expect([body, refused[0]?.detail, refused[0]?.errors]).toEqual([body, single?.detail, single?.errors])
    }
    const inherited = JSON.parse('{"type":"token","data":"x","__proto__":{"id":"abc"}}')
    const { detail } = await catchProblem(owner.tokens.create(inherited))
    expect((await owner.tokens.createMany({ tokens: [inherited] })).refused).toMatchObject([{ detail }])
  })

  test('T-04 T-05 a generated id is accepted even if it contains a short number from the data', async () => {
    const { owner } = openBriefVault()
    const made = '12345678-0000-4000-8000-000000000000'
    const account = { type: 'us_bank_account_number', data: '1234' }
    const { ids } = await owner.tokens.createMany({
      tokens: [account, { ...account, id: 'own' }],
      made_ids: [made, randomUUID()],
    })
    expect(ids).toEqual([made, 'own'])
    const { refused } = await owner.tokens.createMany({ tokens: [account], made_ids: [made] })
    expect(refused).toMatchObject([{ index: 0, conflict: true }])
    expect((await owner.tokens.createMany({ tokens: [{ ...account, id: made }] })).refused).toHaveLength(1)
    const wrong = owner.tokens.createMany({ tokens: [account], made_ids: ['not random'] })
    expect(await catchProblem(wrong)).toMatchObject({ status: 400 })
  })

  test('T-10 returns the existing token for a duplicate', async () => {
    const { owner } = openBriefVault()
    const { ids } = await owner.tokens.createMany({
      tokens: [card, { ...card, deduplicate_token: true }, card],
    })
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })

  test('T-10 a token moved by a later duplicate is counted once, in its new container', async () => {
    const { owner } = openBriefVault()
    const settings = { deduplicate_tokens: 'true', token_deduplication_behavior: 'update_existing' }
    await owner.tenants.update({ name: 'Test', settings })
    const bank = { type: 'us_bank_account_number', data: '12345678' }
    await owner.tokens.createMany({
      tokens: [
        card,
        bank,
        { ...card, containers: ['/moved/'] },
        { ...bank, data: '87654321' },
        { type: 'card', data: {} },
      ],
    })
    const countTokens = async (query: string) => (await owner.tokens.count({ query })).total
    expect(await countTokens('container:"/moved/"')).toBe(1)
    expect(await countTokens('container:"/pci/high/"')).toBe(0)
    expect(await countTokens('container:"/bank/high/"')).toBe(2)
    expect(await owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 3 })
    await owner.tokens.createMany({
      tokens: [bank, { ...card, data: { number: '4111111111111111' } }],
      dry_run: true,
    })
    expect(await owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 3 })
  })

  test('O-05 the history of a token lists its own creation record and no other token’s', async () => {
    const { owner, clock } = openBriefVault()
    await owner.tokens.create({ ...card, id: 'alone' })
    const { ids } = await owner.tokens.createMany({ tokens: [card, { type: 'card', data: {} }, card] })
    // These tokens have the same creation time as the first ones, because the test clock is stopped.
    const second = await owner.tokens.createMany({
      tokens: [
        { ...card, id: 'later' },
        { ...card, id: 'alone' },
      ],
    })
    clock.advance(1000)
    await owner.tokens.update({ id: 'later', metadata: { a: 'b' } })
    const listHistory = async (id: string | null | undefined) =>
      (await owner.logs.list({ entity_id: id ?? '' })).data.map((each) => [
        each.action,
        each.note,
        each.entity_id,
      ])
    for (const id of [ids[0], ids[2]]) {
      expect(await listHistory(id)).toEqual([['tokens.createMany', '2 tokens', id]])
    }
    expect(await listHistory(second.ids[0])).toEqual([
      ['tokens.update', expect.any(String), 'later'],
      ['tokens.createMany', '1 token', 'later'],
    ])
    expect(await listHistory('alone')).toEqual([['tokens.create', expect.anything(), 'alone']])
    const [made] = (await owner.logs.list({ entity_id: ids[0] ?? '' })).data
    const record = await owner.logs.get({ id: made?.id ?? '' })
    expect(record.created).toEqual({ first: 2, last: 3, at: clock.now() - 1000 })
    expect((await owner.logs.find({ entity_id: 'later', status: '2xx' })).pagination.total_items).toBe(2)
    expect((await owner.logs.timeline({ entity_id: 'later' })).spans.map(({ done }) => done)).toEqual([1, 1])
    expect((await owner.logs.list({ entity_id: 'later', action: 'tokens.update' })).data).toHaveLength(1)
  })

  test('a token that reuses the seq of a deleted one does not inherit its creation record', async () => {
    const { owner, clock } = openBriefVault()
    await owner.tokens.createMany({ tokens: [{ ...card, id: 'gone' }] })
    await owner.tokens.remove({ id: 'gone' })
    clock.advance(1)
    await owner.tokens.create({ ...card, id: 'new' })
    const { data } = await owner.logs.list({ entity_id: 'new' })
    expect(data.map(({ action }) => action)).toEqual(['tokens.create'])
  })

  test('the log marks dry runs of token and bank imports', async () => {
    const { engine, owner } = openBriefVault()
    await owner.tokens.createMany({ tokens: [card], dry_run: true })
    await importBanks(engine, {
      csv: 'routing_number,account_number,status\n021000021,00007,enabled\n',
      dry_run: true,
    })
    const { data } = await owner.logs.list({})
    expect(data.map(({ action, note }) => [action, note]).sort()).toEqual([
      ['banks.putMany (dry run)', undefined],
      ['tokens.createMany (dry run)', '1 token'],
    ])
    expect((await owner.logs.list({ action: 'tokens.createMany' })).data).toEqual([])
  })

  test('createMany returns seq and times of new tokens, duplicates and taken ids', async () => {
    const { owner, clock } = openBriefVault()
    await owner.tokens.create({ ...card, id: 'taken', expires_at: '2031-01-01' })
    clock.advance(1000)
    const at = clock.now()
    const { stored, now } = await owner.tokens.createMany({
      tokens: [
        card,
        { ...card, id: 'taken' },
        { type: 'card', data: {} },
        { ...card, deduplicate_token: true },
      ],
    })
    const expires_at = Date.parse('2031-01-01T00:00:00Z')
    expect(now).toBe(at)
    const taken = { seq: 1, created_at: at - 1000, expires_at }
    expect(stored).toEqual([{ seq: 2, created_at: at, expires_at: null }, taken, null, taken])
  })

  test('P-12 only the owner can create many tokens', async () => {
    const { application } = openBriefVault()
    const { client } = await application({ permissions: ['token:create'] })
    expect(await catchProblem(client.tokens.createMany({ tokens: [card] }))).toMatchObject({ status: 403 })
  })

  test('T-01 rejects a token intent and does not consume it', async () => {
    const { owner } = openBriefVault()
    const intent = await owner.tokenIntents.create(card)
    const { ids, refused } = await owner.tokens.createMany({ tokens: [{ token_intent_id: intent.id }] })
    expect(ids).toEqual([null])
    expect(refused).toMatchObject([{ index: 0, errors: { token_intent_id: [expect.any(String)] } }])
    expect(await owner.tokenIntents.get({ id: intent.id })).toMatchObject({ id: intent.id })
    // Nor if other members are wrong too.
    const faulty = { token_intent_id: intent.id, mask: 1, containers: 1 }
    expect((await owner.tokens.createMany({ tokens: [faulty] })).ids).toEqual([null])
    expect(await owner.tokenIntents.get({ id: intent.id })).toMatchObject({ id: intent.id })
  })

  test.each([
    ['independent tokens', []],
    [
      'tokens with ids',
      [
        { ...card, id: 'twice' },
        { ...card, id: 'twice' },
      ],
    ],
    [
      'duplicates',
      [
        { ...card, deduplicate_token: true },
        { ...card, deduplicate_token: true },
      ],
    ],
  ])('a dry run with %s reports what the call reports', async (_, more) => {
    const { owner } = openBriefVault()
    const tokens = [
      { ...card, metadata: { order: '7' }, expires_at: '2031-01-01' },
      { type: 'card', data: {} },
      { ...card, metadata: { order: card.data.number } },
      { type: 'token', data: 'x'.repeat(200) },
      ...more,
    ]
    const made_ids = tokens.map(() => randomUUID())
    await owner.tokens.create({ ...card, id: made_ids[3] })
    const [dry, real] = [
      await owner.tokens.createMany({ tokens, made_ids, dry_run: true }),
      await owner.tokens.createMany({ tokens, made_ids }),
    ]
    const withoutSeq = ({ stored, ...report }: typeof dry) => ({
      ...report,
      stored: stored.map((each) => each && { ...each, seq: null }),
    })
    expect(withoutSeq(dry)).toEqual(withoutSeq(real))
    expect(dry.refused.map(({ index }) => index).slice(0, 3)).toEqual([1, 2, 3])
  })

  test('createTokens counts progress and rejected indexes across the chunks of 1,001 tokens', async () => {
    const vault = openVault()
    const seen: number[] = []
    const tokens = Array.from({ length: 1001 }, (_, at) => (at === 700 ? { ...card, data: 'wrong' } : card))
    const refused = await createTokens(vault.engine, tokens, (done) => seen.push(done))
    expect(refused.map((each) => each.index)).toEqual([700])
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.at(-1)).toBe(1001)
    vault.reopen()
    const page = await vault.owner.tokens.listV1({ size: 1 })
    expect(page.pagination.total_items).toBe(1000)
  })
})
