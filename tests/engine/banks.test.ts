import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAbaValid } from '../../electron/engine/resources/banks/aba.ts'
import { toBankDetails } from '../../electron/engine/resources/banks/bank-data.ts'
import { parseDirectoryCsv } from '../../electron/engine/resources/banks/directory-csv.ts'
import {
  type BankStatus,
  builtinDirectory,
  verifyBank,
} from '../../electron/engine/resources/banks/verify.ts'

const findNothing = () => undefined
const verifyAccount = (
  routing_number: string,
  account_number: string,
  country_code = 'US',
  find: FindStatus = findNothing,
) => verifyBank({ routing_number, account_number, country_code }, find)
type FindStatus = (routing: string, account: string) => BankStatus | undefined

describe('the ABA checksum', () => {
  test.each(['021000021', '011401533', '091000019', '121000248', '026009593'])(
    'T-03 %s is valid',
    (routing) => {
      expect(isAbaValid(routing)).toBe(true)
    },
  )

  test.each(['021000020', '021000022', '02100002', '0210000210', '02100002x', '', ' 21000021'])(
    'T-03 %j is invalid',
    (routing) => {
      expect(isAbaValid(routing)).toBe(false)
    },
  )

  test('T-03 the checksum detects any single wrong digit', () => {
    const digit = fc.integer({ min: 0, max: 9 })
    fc.assert(
      fc.property(fc.stringMatching(/^\d{8}$/), fc.nat({ max: 8 }), digit, (body, place, other) => {
        const routing = [...'0123456789'].map((last) => body + last).filter(isAbaValid)
        expect(routing).toHaveLength(1)
        const [right = ''] = routing
        fc.pre(right[place] !== String(other))
        expect(isAbaValid(right.slice(0, place) + other + right.slice(place + 1))).toBe(false)
      }),
    )
  })
})

describe('bank details', () => {
  test('T-17 details are the routing number and the last four digits', () => {
    expect(toBankDetails({ routing_number: '021000021', account_number: '00012345' })).toEqual({
      routing_number: '021000021',
      account_number_last4: '2345',
    })
  })
})

describe('bank verification', () => {
  test('B-02 the built-in accounts have their statuses', () => {
    expect(builtinDirectory).toHaveLength(3)
    expect(verifyAccount('021000021', '00001')).toBe('enabled')
    expect(verifyAccount('021000021', '00002')).toBe('inconclusive')
    expect(verifyAccount('021000020', '00000')).toBe('disabled')
  })

  test('B-02 the directory takes precedence over built-in accounts and checksum', () => {
    const findStatus: FindStatus = (routing, account) => {
      if (routing === '021000021') return account === '00001' ? 'disabled' : undefined
      return routing === '123456789' ? 'enabled' : undefined
    }
    expect(verifyAccount('021000021', '00001', 'US', findStatus)).toBe('disabled')
    expect(verifyAccount('123456789', '1', 'US', findStatus)).toBe('enabled')
    expect(verifyAccount('021000021', '00002', 'US', findStatus)).toBe('inconclusive')
  })

  test('B-03 a wrong checksum gives disabled, and an unknown account gives inconclusive', () => {
    expect(verifyAccount('021000022', '00001')).toBe('disabled')
    expect(verifyAccount('not a number', '00001')).toBe('disabled')
    expect(verifyAccount('021000021', '1')).toBe('inconclusive')
    expect(verifyAccount('021000021', '0001')).toBe('inconclusive')
  })

  test('B-03 a country other than US gives inconclusive, whatever the numbers', () => {
    for (const routing of ['021000021', '021000022']) {
      expect(verifyAccount(routing, '00001', 'CA', () => 'enabled')).toBe('inconclusive')
    }
    expect(verifyAccount('021000021', '00001', 'us')).toBe('enabled')
  })
})

describe('bank directory file', () => {
  test('B-02 a file may have its columns in any order, and keeps leading zeros', async () => {
    const text =
      '\uFEFFStatus,"Routing Number",note,account\r\nENABLED,021000021,"a, b",00001\r\ndisabled,000000001,,7'
    expect(await parseDirectoryCsv(text)).toEqual({
      entries: [
        { routing_number: '021000021', account_number: '00001', status: 'enabled' },
        { routing_number: '000000001', account_number: '7', status: 'disabled' },
      ],
      refused_lines: 0,
      refused: [],
    })
  })

  test('B-02 invalid and repeated lines are listed without their content', async () => {
    const text = [
      'routing_number,account_number,status',
      '21000021,77777,enabled',
      '021000021,777777777777777777,enabled',
      '021000021,77777,maybe-77777',
      '021000021,77777,enabled',
      '021000021,77777,disabled',
      '"021000021",77777,enabled,77777',
      '021000021,"77777,enabled',
    ].join('\n')
    const { entries, refused } = await parseDirectoryCsv(text)
    expect(entries).toEqual([{ routing_number: '021000021', account_number: '77777', status: 'enabled' }])
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4, 6, 7, 8])
    expect(JSON.stringify(refused)).not.toContain('77777')
  })

  test.each(['', 'routing,account\n021000021,1', '021000021,00001,enabled'])(
    'B-02 %j has no usable header',
    async (text) => {
      expect(await parseDirectoryCsv(text)).toEqual({
        entries: [],
        refused_lines: 1,
        refused: [{ line: 1, message: expect.any(String) }],
      })
    },
  )
})
