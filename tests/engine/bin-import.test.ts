import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { type BinEntry, matchBin } from '../../electron/engine/resources/cards/bin-table.ts'
import { removeOverlaps } from '../../electron/engine/resources/cards/remove-overlaps.ts'
import { importBins } from '../../electron/host/transfer/import-directories.ts'
import { getRunCount } from '../thorough.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const number = '4242424242424242'

const entry = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.nat(999), fc.nat(999), fc.constantFrom('visa', 'jcb', 'elo'))
  .map(([digits, a, b, brand]): BinEntry => {
    const padNumber = (value: number) => String(value % 10 ** digits).padStart(digits, '0')
    const [from = '', to = ''] = [padNumber(a), padNumber(b)].sort()
    return { from, to, brand, funding: null, authentication: null }
  })

describe('a table of ranges', () => {
  it('T-16 splitting overlapping ranges changes no number’s entry', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), fc.array(fc.nat(9999)), (entries, numbers) => {
        const cut = [...removeOverlaps(entries)].flat()
        for (const digits of [1, 2, 3]) {
          const ranges = cut.filter((each) => each.from.length === digits)
          for (const [at, { from, to }] of ranges.entries()) {
            expect(from <= to && (ranges[at + 1]?.from ?? '~') > to).toBe(true)
          }
        }
        for (const each of numbers) {
          const text = String(each).padStart(4, '0')
          expect(matchBin(cut, text)?.brand).toBe(matchBin(entries, text)?.brand)
        }
      }),
    )
  })
})

describe('the imported BIN file', () => {
  const getCard = async (vault: TestVault, data = number) =>
    (await vault.owner.tokens.create({ type: 'card_number', data })).card

  it('T-16 the longest imported prefix takes precedence over the built-in table', async () => {
    const vault = openBriefVault()
    await importBins(vault.engine, {
      csv: 'from,to,brand,funding,authentication\n42,42,elo,,\n424242,424242,visa,prepaid,sca_required\n42424200,42424241,jcb,debit,\n',
      dry_run: false,
    })
    expect(await getCard(vault)).toMatchObject({
      brand: 'visa',
      funding: 'prepaid',
      authentication: 'sca_required',
    })
    expect(await getCard(vault, '4242420000000000')).toMatchObject({ brand: 'jcb', funding: 'debit' })
    expect(await getCard(vault, '4200000000000000')).toMatchObject({ brand: 'elo', funding: null })
    expect(await getCard(vault, '4111111111111111')).toMatchObject({ brand: 'visa', funding: 'credit' })
    await vault.owner.bins.clear()
    expect(await getCard(vault)).toMatchObject({ brand: 'visa', funding: 'credit' })
    expect(await vault.owner.bins.list({})).toMatchObject({ pagination: { total_items: 0 }, data: [] })
  })

  it('T-16 card lookups use the newest import, even after a rejected clear', async () => {
    const vault = openBriefVault()
    await importBins(vault.engine, { csv: 'bin,brand\n42,elo\n', dry_run: false })
    expect(await getCard(vault)).toMatchObject({ brand: 'elo' })
    await importBins(vault.engine, { csv: 'bin,brand\n424242,jcb\n', dry_run: false })
    expect(await getCard(vault)).toMatchObject({ brand: 'jcb' })
    const [refused, other] = await Promise.allSettled([
      vault.owner.bins.clear({ all: true } as never),
      getCard(vault),
    ])
    expect([refused.status, other.status]).toEqual(['rejected', 'fulfilled'])
    expect(await getCard(vault)).toMatchObject({ brand: 'jcb' })
  })

  it('T-16 a card’s lookup gives the same entry as a search of the full table', async () => {
    const vault = openBriefVault()
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 20 }), async (entries) => {
        const lines = entries.map(({ from, to, brand }) => `${from},${to},${brand}`)
        await importBins(vault.engine, { csv: ['from,to,brand', ...lines].join('\n'), dry_run: false })
        const expected = matchBin(entries, number)?.brand ?? 'visa'
        expect((await getCard(vault))?.brand).toBe(expected)
      }),
      getRunCount(40),
    )
  })

  it('T-16 an import replaces the previous one and lists skipped lines', async () => {
    const vault = openBriefVault()
    const csv = 'bin,brand\n424242,visa\n4242,martian\n4242424242424242,visa\n400000,visa\n424242,discover\n'
    const report = {
      entries: 2,
      replaced: 0,
      refused_lines: 2,
      refused: [
        { line: 3, message: expect.stringMatching(/^brand must be one of/) },
        { line: 4, message: 'A BIN must be 1 to 11 digits.' },
      ],
    }
    expect(await importBins(vault.engine, { csv, dry_run: true })).toEqual({ dry_run: true, ...report })
    expect((await vault.owner.bins.list({})).data).toEqual([])
    expect(await importBins(vault.engine, { csv, dry_run: false })).toEqual({ dry_run: false, ...report })
    const nothing = { funding: null, authentication: null }
    expect((await vault.owner.bins.list({})).data).toEqual([
      { from: '400000', to: '400000', brand: 'visa', ...nothing },
      {
        from: '424242',
        to: '424242',
        brand: 'visa',
        ...nothing,
        additional: [{ brand: 'discover', ...nothing }],
      },
    ])
    expect(await importBins(vault.engine, { csv: 'bin,brand\n5,jcb\n', dry_run: false })).toMatchObject({
      replaced: 2,
    })
    expect(await importBins(vault.engine, { csv: 'no header', dry_run: false })).toMatchObject({
      entries: 0,
      replaced: 0,
      refused_lines: 1,
    })
    expect((await vault.owner.bins.list({})).pagination.total_items).toBe(1)
  })

  it('T-16 O-03 tokens and intents show the issuer from the file, also in additional', async () => {
    const vault = openBriefVault()
    const csv =
      'bin,brand,issuer,country,segment,product\n4242,visa,Bank A,US,business,F\n4242,star,Bank B,CA,,'
    await importBins(vault.engine, { csv, dry_run: false })
    const details = {
      brand: 'visa',
      issuer: { country: 'US', name: 'Bank A' },
      issuer_country: { alpha2: 'US', name: 'United States', numeric: '840' },
      segment: 'Business',
      product: { code: 'F' },
      additional: [
        {
          ...{ brand: 'star', funding: null, authentication: null },
          issuer: { country: 'CA', name: 'Bank B' },
        },
      ],
    }
    expect(await getCard(vault)).toMatchObject(details)
    const intent = await vault.owner.tokenIntents.create({ type: 'card_number', data: number })
    expect(intent.card).toMatchObject(details)
    vault.reopen()
    expect(await getCard(vault)).toMatchObject(details)
  })

  it('T-16 a vault of an earlier version keeps its BINs', async () => {
    const vault = openVault()
    await importBins(vault.engine, { csv: 'bin,brand\n4242,jcb', dry_run: false })
    vault.engine.close()
    undoMigrations(
      vault,
      migrations.findIndex(({ name }) => name === 'BIN facts'),
    )
    vault.reopen()
    const { data } = await vault.owner.bins.list({})
    expect(data).toEqual([{ from: '4242', to: '4242', brand: 'jcb', funding: null, authentication: null }])
  })

  it('T-16 only the owner may import BINs', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ type: 'management', permissions: ['tenant:update'] })
    const calls = [
      client.bins.list({}),
      client.bins.replaceSome({ after: '', until: '4', entries: [] }),
      client.bins.clear(),
    ]
    const problems = await Promise.all(calls.map(catchProblem))
    expect(problems.map((problem) => problem.status)).toEqual([403, 403, 403])
    expect((await vault.owner.bins.list({})).data).toEqual([])
  })
})
