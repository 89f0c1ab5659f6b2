import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookUpKnownBin } from '../../electron/engine/resources/cards/bin-lookup.ts'
import { type BinEntry, findBinEntry } from '../../electron/engine/resources/cards/bin-table.ts'
import { cardBrands } from '../../electron/engine/resources/cards/brands.ts'
import { importBins } from '../../electron/host/transfer/import-directories.ts'
import { formatCardTerm } from '../../shared/card-term.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const unknown = { segment: null, issuer: { country: null, name: null } }
const testCards = { segment: 'Consumer', issuer: { country: 'BM', name: 'Test Cards (TEST)' } }
const createRange = (min: string, max: string) => ({
  bin_range: [{ bin_min: min, bin_max: max }],
  binRange: [{ binMin: min, binMax: max }],
})

test('M-01 the details of a test card’s BIN have its brand, funding and issuer', async () => {
  const { owner } = openBriefVault()
  expect(await owner.enrichments.getCardDetails({ bin: '424242' })).toEqual({
    brand: 'Visa',
    funding: 'Credit',
    ...testCards,
    ...createRange('424242', '424242'),
    additional: [],
  })
})

test('M-01 cards of another brand in a BIN are additional ranges', async () => {
  const { owner } = openBriefVault()
  expect(await owner.enrichments.getCardDetails({ bin: '378282' })).toMatchObject({
    brand: 'American Express',
    funding: 'Credit',
    additional: [
      { brand: 'Visa', funding: 'Debit', ...testCards, ...createRange('378282246310011', '378282246310020') },
    ],
  })
  expect(await owner.enrichments.getCardDetails({ bin: '624000' })).toMatchObject({
    brand: 'UnionPay',
    funding: null,
    additional: [{ brand: 'Discover', funding: null, ...createRange('624000', '624000') }],
  })
})

test('M-01 a BIN has an issuer only if all of its cards have the same one', async () => {
  const { engine, owner } = openBriefVault()
  const readDetails = async () => (await owner.enrichments.getCardDetails({ bin: '431111' })).issuer
  const importLines = (...lines: string[]) =>
    importBins(engine, { csv: ['bin,brand,issuer,country', ...lines].join('\n'), dry_run: false })
  await importLines('43111100,visa,Bank A,DE', '43111101,visa,Bank A,DE')
  expect(await readDetails()).toEqual({ country: 'DE', name: 'Bank A' })
  await importLines('43111100,visa,Bank A,DE', '43111101,visa,Bank B,DE')
  expect(await readDetails()).toEqual(unknown.issuer)
  await importLines('4311,visa,Bank C,', '43111100,visa,Bank A,DE')
  expect(await readDetails()).toEqual({ country: null, name: 'Bank C' })
})

test('M-01 an unknown BIN returns nulls', async () => {
  const { owner } = openBriefVault()
  expect(await owner.enrichments.getCardDetails({ bin: '999999' })).toEqual({
    brand: null,
    funding: null,
    ...unknown,
    bin_range: [],
    binRange: [],
    additional: [],
  })
})

test('M-01 imported BINs precede built-in ones, and longer ones are additional', async () => {
  const { engine, owner } = openBriefVault()
  const csv = ['bin,brand,funding', '4242,jcb,prepaid', '42424299,elo,debit', '42424298,jcb,credit']
  await importBins(engine, { csv: csv.join('\n'), dry_run: false })
  const details = await owner.enrichments.getCardDetails({ bin: '424242' })
  expect(details).toMatchObject({ brand: 'JCB', funding: 'Prepaid', ...createRange('424242', '424242') })
  expect(details.additional).toMatchObject([
    { brand: 'Elo', funding: 'Debit', ...createRange('42424299', '42424299') },
  ])
  await importBins(engine, {
    csv: 'from,to,brand\n42424150,42424250,mir\n42424290,42424399,mir',
    dry_run: false,
  })
  expect((await owner.enrichments.getCardDetails({ bin: '424242' })).additional).toMatchObject([
    {
      brand: 'Mir',
      bin_range: [
        { bin_min: '42424200', bin_max: '42424250' },
        { bin_min: '42424290', bin_max: '42424299' },
      ],
    },
  ])
})

test.each(['', '42424', '4242424', '42424a', '４２４２４２', ' 424242', '4242424242424242'])(
  'M-01 a BIN that is not six digits gets 400 without being repeated: %j',
  async (bin) => {
    const { owner } = openBriefVault()
    const problem = await catchProblem(owner.enrichments.getCardDetails({ bin }))
    expect([problem.status, Object.keys(problem.errors ?? {})]).toEqual([400, ['bin']])
    if (bin !== '') expect(JSON.stringify(problem)).not.toContain(bin)
  },
)

const generateDigits = (max: number, length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123'.slice(0, max + 1)), minLength: length, maxLength: length })
const digits = fc
  .integer({ min: 1, max: 9 })
  .chain((length) => fc.tuple(generateDigits(2, length), generateDigits(2, length)))
const entry = fc.tuple(digits, fc.constantFrom('visa', 'jcb', 'elo')).map(([[a, b], brand]): BinEntry => {
  const [from = '', to = ''] = [a, b].sort()
  return { from, to, brand, funding: null, authentication: null }
})

test('M-01 T-16 the brand of a card is a brand of its BIN', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), generateDigits(3, 16), (entries, number) => {
      const matching = entries
        .filter(({ from, to }) => from <= number.slice(0, from.length) && number.slice(0, from.length) <= to)
        .sort((a, b) => b.from.length - a.from.length)
      const known = findBinEntry(number, () => matching[0])
      const bin = lookUpKnownBin(number.slice(0, 6), entries)
      const named = [bin.brand, ...bin.additional.map(({ brand }) => brand)]
      if (matching.length > 0) expect(named).toContain(known?.brand)
    }),
  )
})

test('M-01 every brand is in title case', () => {
  expect(cardBrands.map(formatCardTerm)).toEqual([
    ...['American Express', 'Diners Club', 'Discover', 'EBT', 'Elo', 'Hipercard', 'JCB', 'Mastercard', 'Mir'],
    ...['Private Label', 'Proprietary', 'UnionPay', 'Visa'],
  ])
})
