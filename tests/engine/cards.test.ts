import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectSeparator, readCsv, readCsvTable } from '../../electron/engine/csv.ts'
import { parseBinCsv } from '../../electron/engine/resources/cards/bin-csv.ts'
import {
  findBinEntry,
  matchBin,
  networkBins,
  testCardBins,
} from '../../electron/engine/resources/cards/bin-table.ts'
import { cardBrands } from '../../electron/engine/resources/cards/brands.ts'
import { toCardDetails } from '../../electron/engine/resources/cards/card-details.ts'
import { isLuhnValid } from '../../shared/luhn.ts'
import { getRunCount } from '../thorough.ts'

const digit = fc.integer({ min: 0, max: 9 })
const payload = fc.stringMatching(/^\d{12,18}$/)
const checkDigits = [...'0123456789']

describe('Luhn', () => {
  test('T-03 exactly one check digit is valid, and a wrong digit is detected', () => {
    fc.assert(
      fc.property(payload, fc.nat(), digit, (body, at, other) => {
        const fitting = checkDigits.filter((last) => isLuhnValid(body + last))
        expect(fitting).toHaveLength(1)
        const number = `${body}${fitting[0]}`
        const place = at % number.length
        fc.pre(number[place] !== String(other))
        expect(isLuhnValid(number.slice(0, place) + other + number.slice(place + 1))).toBe(false)
      }),
    )
  })

  test('T-03 only digits are valid', () => {
    for (const text of ['', '4242 4242 4242 4242', '４２４２４２４２４２４２４２４２', '-0', '0x0']) {
      expect(isLuhnValid(text), text).toBe(false)
    }
  })
})

describe('card details', () => {
  test('T-16 a known test card has full details', () => {
    expect(
      toCardDetails({ number: '4000056655665556', expiration_month: '04', expiration_year: 2030 }, null),
    ).toEqual({
      bin: '40000566',
      last4: '5556',
      expiration_month: 4,
      expiration_year: 2030,
      brand: 'visa',
      funding: 'credit',
      authentication: null,
      issuer: { country: 'CL', name: 'Test Cards (TEST)' },
      issuer_country: { alpha2: 'CL', name: 'Chile', numeric: '152' },
      segment: 'Consumer',
      product: { code: 'TEST' },
    })
  })

  test('T-16 an unknown card has nulls and a BIN of 6 or 8 digits', () => {
    const unknown = { brand: null, funding: null, authentication: null }
    expect(toCardDetails('9999999999999995', null)).toEqual({ bin: '99999999', last4: '9995', ...unknown })
    expect(toCardDetails({ number: '999999999999999', expiration_month: null }, null)).toEqual({
      bin: '999999',
      last4: '9999',
      ...unknown,
    })
    expect(toCardDetails('9999999999999999999', null).bin).toBe('99999999')
  })

  test.each([
    ['4242424242424242', 'Bermuda', '060'],
    ['5555555555554444', 'Türkiye', '792'],
    ['2720394612465072', 'United States', '840'],
    ['378282246310005', 'Faroe Islands', '234'],
    ['6200000000000005', 'Svalbard & Jan Mayen', '744'],
    ['6011981111111113', 'United States', '840'],
    ['6011000995500000', 'United States', '840'],
    ['4000020000000000', 'Poland', '616'],
  ])('T-16 test card %s is from %s', (number, name, numeric) => {
    expect(toCardDetails(number, null).issuer_country).toMatchObject({ name, numeric })
  })

  test('T-16 what is unknown about an issuer is left out', async () => {
    for (const number of ['4012888888881881', '9999999999999995']) {
      expect(Object.keys(toCardDetails(number, null))).toEqual([
        ...['bin', 'last4', 'brand', 'funding', 'authentication'],
      ])
    }
    const { entries } = await parseBinCsv('bin,brand,country\n400000,visa,XZ\n400001,visa,GB')
    const readCountry = (number: string) =>
      toCardDetails(number, (digits) => matchBin(entries, digits)).issuer_country
    expect(readCountry('4000000000000000')).toEqual({ alpha2: 'XZ' })
    expect(readCountry('4000010000000000')).toEqual({ alpha2: 'GB', name: 'United Kingdom', numeric: '826' })
  })

  test.each([
    ['4242424242424242', 'visa', 'credit', 'sca_required'],
    ['5555555555554444', 'mastercard', 'credit', null],
    ['2720394612465072', 'mastercard', 'credit', null],
    ['378282246310005', 'american-express', 'credit', null],
    ['4000056655665556', 'visa', 'credit', null],
    ['6200000000000005', 'unionpay', 'credit', null],
    ['6011010000000003', 'discover', 'debit', null],
    ['6011981111111113', 'discover', 'debit', null],
    ['3566002020360505', 'jcb', 'debit', null],
    ['3530111333300000', 'jcb', 'debit', null],
    ['378282246310013', 'visa', 'debit', null],
    ['4005550000081019', 'visa', 'debit', null],
    ['5112000400000000', 'mastercard', 'debit', null],
    ['5112010000000003', 'mastercard', 'debit', null],
    ['5200828282828210', 'mastercard', 'debit', null],
    ['6011000990139424', 'discover', 'credit', null],
    ['6011000995500000', 'discover', 'credit', null],
    ['6011111111111117', 'discover', 'credit', null],
    ['5589092000000000006', 'mastercard', 'debit', null],
    ['5589620000000000007', 'mastercard', 'debit', null],
    // The scenarios of 3D Secure.
    ['4000020000000000', 'visa', 'credit', null],
    ['5204247750001471', 'mastercard', 'credit', null],
    ['340000000004001', 'american-express', 'credit', null],
    ['6011361011110004', 'discover', 'credit', null],
    ['3566006663297692', 'jcb', 'credit', null],
    ['4111111111111111', 'visa', 'credit', null],
    // A longer number that begins with a test card's number, and common test cards of other services.
    ['4242424242424242424', 'visa', null, null],
    ['5105105105105100', 'mastercard', null, null],
    ['3056930009020004', 'diners-club', null, null],
  ])('T-16 test card %s is %s, %s, %s', (number, brand, funding, authentication) => {
    expect(toCardDetails(number, null)).toMatchObject({ brand, funding, authentication })
  })

  test.each([
    ['4111110000000000', 'visa'],
    ['2220990000000000', null],
    ['2221000000000000', 'mastercard'],
    ['2720990000000000', 'mastercard'],
    ['2721000000000000', null],
    ['5000000000000000', null],
    ['5600000000000000', null],
    ['340000000000000', 'american-express'],
    ['350000000000000', null],
    ['3527000000000000', null],
    ['3528000000000000', 'jcb'],
    ['3589990000000000', 'jcb'],
    ['3590000000000000', null],
    ['30599900000000', 'diners-club'],
    ['30600000000000', null],
    ['36000000000000', 'diners-club'],
    ['2200000000000000', 'mir'],
    ['2204990000000000', 'mir'],
    ['2205000000000000', null],
    ['6277800000000000', 'elo'],
    ['6500310000000000', 'elo'],
    ['6500340000000000', 'discover'],
    ['4011780000000000', 'elo'],
    ['4011770000000000', 'visa'],
    ['6062820000000000', 'hipercard'],
    ['5077190000000000', 'ebt'],
    ['6221260000000000', 'unionpay'],
  ])('T-16 the network of %s is %s', (number, brand) => {
    expect(toCardDetails(number, null)).toMatchObject({ brand, funding: null, authentication: null })
  })

  test('T-16 the second network of a BIN is listed as additional', () => {
    expect(toCardDetails('6240000000000000', null).additional).toEqual([
      { brand: 'discover', funding: null, authentication: null },
    ])
    expect(toCardDetails('6230000000000000', null)).not.toHaveProperty('additional')
  })

  test('T-16 the built-in table is valid', () => {
    for (const { from, to, brand } of [...networkBins, ...testCardBins]) {
      expect(`${from} ${to}`).toMatch(/^\d+ \d+$/)
      expect([from.length === to.length, from <= to]).toEqual([true, true])
      expect(cardBrands).toContain(brand)
    }
    for (const { from, to, brand } of testCardBins) {
      if (from === to) expect([from, isLuhnValid(from)]).toEqual([from, true])
      const network = matchBin(networkBins, from)?.brand
      // One range has the brand of another network, as in the hosted service.
      expect([from, network]).toEqual([from, from === '378282246310011' ? 'american-express' : brand])
    }
  })

  test('T-16 imported BINs precede built-in ones, and the longest prefix wins', async () => {
    const { entries } = await parseBinCsv(
      'bin,brand,funding\n42,visa,debit\n424242,visa,prepaid\n4242,visa,credit\n',
    )
    const matchImported = (number: string) => matchBin(entries, number)
    expect(findBinEntry('4242424242424242', matchImported)).toMatchObject({
      from: '424242',
      funding: 'prepaid',
    })
    expect(findBinEntry('4200000000000000', matchImported)).toMatchObject({ from: '42', funding: 'debit' })
    expect(findBinEntry('5555555555554444', matchImported)).toMatchObject({
      brand: 'mastercard',
      funding: 'credit',
    })
    expect(toCardDetails('4242424242424242', matchImported).bin).toBe('42424242')
    const wide = { from: '40', to: '49', brand: 'elo', funding: null, authentication: null }
    expect(matchBin([wide, ...entries], '4200000000000000')).toBe(wide)
  })
})

describe('BIN file', () => {
  test('T-16 a BIN file may have ranges, quotes, BOM, CRLF and other columns', async () => {
    const text = [
      '\uFEFFFrom,To,"Brand",issuer,Funding,Authentication',
      '400000,400099,VISA,"Bank, of ""X""",Credit,SCA_REQUIRED',
      '',
      '"510000","510000","American Express","two\r\nlines",,',
      '600000,600000,private_label',
    ].join('\r\n')
    expect(await parseBinCsv(text)).toEqual({
      entries: [
        {
          ...{
            from: '400000',
            to: '400099',
            brand: 'visa',
            funding: 'credit',
            authentication: 'sca_required',
          },
          facts: { issuer: 'Bank, of "X"' },
        },
        {
          ...{ from: '510000', to: '510000', brand: 'american-express', funding: null, authentication: null },
          facts: { issuer: 'two lines' },
        },
        { from: '600000', to: '600000', brand: 'private-label', funding: null, authentication: null },
      ],
      refused_lines: 0,
      refused: [],
    })
  })

  test('T-16 a repeated BIN is added to additional, whatever its brand', async () => {
    const { entries, refused } = await parseBinCsv(
      'bin,brand,funding\n400000,visa,debit\n400000,star,debit\n400000,visa,x',
    )
    expect(entries).toEqual([
      {
        from: '400000',
        to: '400000',
        brand: 'visa',
        funding: 'debit',
        authentication: null,
        additional: [{ brand: 'star', funding: 'debit', authentication: null }],
      },
    ])
    expect(refused).toEqual([{ line: 4, message: expect.any(String) }])
  })

  test('T-16 a BIN file may name issuer, country, segment and product', async () => {
    const readFacts = async (line: string) =>
      (await parseBinCsv(`bin,brand,issuer,country,segment,product\n400000,visa,${line}`)).entries[0]?.facts
    const facts = { issuer: 'Sparkasse Köln', country: 'DE', segment: 'Commercial', product: 'G1' }
    expect(await readFacts('Sparkasse  Köln,de,COMMERCIAL,G1')).toEqual(facts)
    expect(await readFacts(',,,')).toBeUndefined()
    // A file may have columns of these names with other content.
    const other = `${'x'.repeat(101)},UNITED STATES,Retail,Visa Traditional`
    expect(await readFacts(other)).toBeUndefined()
    expect(await readFacts('4242424242424242,42,4242424242424242,4242424242424242')).toBeUndefined()
  })

  test('T-16 invalid lines are listed without their content', async () => {
    const text = [
      'bin,brand,funding,authentication',
      '4242424242424242,visa,,',
      'x4242,visa,,',
      '400000,4242424242424242,,',
      '400000,visa,4242424242424242,',
      '400000,visa,,4242424242424242',
      '400000,visa,,,4242424242424242',
      '"4242424242424242"0,visa',
      '411111,visa,credit,',
      ',visa,,',
      '"4242424242424242',
    ].join('\n')
    const { entries, refused } = await parseBinCsv(text)
    expect(entries.map(({ from }) => from)).toEqual(['411111'])
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 10, 11])
    expect(JSON.stringify(refused)).not.toContain('4242')
    const ranges = await parseBinCsv('from,to,brand\n2,1,visa\n1,22,visa\n1,,visa\n')
    expect([ranges.entries, ranges.refused.map(({ line }) => line)]).toEqual([[], [2, 3, 4]])
  })

  test.each(['', 'bin\n4', 'brand\nvisa', 'from,brand\n4,visa', '400000,visa', '"bin,brand\n4,visa'])(
    'T-16 %j has no usable header',
    async (text) => {
      expect(await parseBinCsv(text)).toEqual({
        entries: [],
        refused_lines: 1,
        refused: [{ line: 1, message: expect.any(String) }],
      })
    },
  )
})

describe('comma-separated text', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', '\r', '\r\n', ' ', '\u20ac') })
  const record = fc.array(field, { minLength: 2, maxLength: 4 })
  const quoteField = (text: string) => `"${text.replaceAll('"', '""')}"`
  const writeField = (text: string) => (/[",\r\n]/.test(text) ? quoteField(text) : text)

  test('T-16 reading a written table returns the same table, with any line end', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (records, lineEnd, allQuoted, withMark, lastEnd) => {
          const write = allQuoted ? quoteField : writeField
          const body = records.map((fields) => fields.map(write).join(',')).join(lineEnd)
          const text = (withMark ? '\uFEFF' : '') + body + (lastEnd ? lineEnd : '')
          expect(
            readCsv(text.replace(/^\uFEFF/, ''), ',', false).records.map(({ fields }) => fields),
          ).toEqual(records)
        },
      ),
      getRunCount(300),
    )
  })

  test('T-16 any text can be read, with increasing line numbers', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }), (text) => {
        const lines = readCsv(text, ',', false).records.map(({ line }) => line)
        expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b))
        expect(lines.at(-1) ?? 1).toBeLessThanOrEqual(text.split(/\r\n|\r|\n/).length)
      }),
    )
  })

  test.each([
    ['a,b;c,d', ','],
    ['a;b\n1,2,3;4', ';'],
    ['\uFEFF\r\n\na\tb', '\t'],
    ['"a,b,c";d', ';'],
    ['"a\n;;",b', ','],
    ['a;b,c', ','],
    ['a', ','],
    ['', ','],
  ])('T-16 the separator of %j is detected as %j', (text, separator) => {
    expect(detectSeparator(text)).toBe(separator)
  })

  test('T-16 a table may be separated by semicolons or tabs', async () => {
    for (const mark of [';', '\t']) {
      const rows: (readonly string[])[] = []
      const text = `First  Name${mark}age\n"a${mark}b"${mark}"1,5"\n`
      await readCsvTable(text, (columns) => (cell) => void rows.push(columns, columns.map(cell)))
      expect(rows).toEqual([
        ['first_name', 'age'],
        [`a${mark}b`, '1,5'],
      ])
    }
  })

  test('T-16 line numbers count the lines inside quotes', () => {
    expect(readCsv('a,b\n"1\n2\n3",x\n\nlast,y', ',', false).records).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['1\n2\n3', 'x'] },
      { line: 6, fields: ['last', 'y'] },
    ])
  })
})
