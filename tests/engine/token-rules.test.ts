import { describe, expect, test } from 'vitest'
import { hasCvc, removeCvc } from '../../electron/engine/resources/tokens/types/cvc.ts'
import {
  assertNoSensitiveValues,
  listSensitiveValues,
} from '../../electron/engine/resources/tokens/types/sensitive.ts'
import { getDefaultMask, typeRules } from '../../electron/engine/resources/tokens/types/types.ts'
import { checkTokenId } from '../../electron/engine/resources/tokens/write/token-id.ts'
import { CofferError } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import { checkMetadata } from '../../shared/metadata.ts'
import { Problems } from '../../shared/problems.ts'
import { isTokenType, type TokenType, tokenTypes } from '../../shared/token-types.ts'

const number = '4242424242424242'

/** Returns the error that `run` throws. Fails if it throws none, or another kind. */
function catchError(run: () => unknown): CofferError {
  try {
    run()
  } catch (error) {
    if (error instanceof CofferError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

function catchErrorPaths(run: () => unknown): string[] {
  const error = catchError(run)
  expect(error.code).toBe('invalid')
  return Object.keys(error.errors ?? {})
}

const checkData = (type: TokenType, data: Json) => typeRules[type].check(data, 'data')

describe('token types', () => {
  test('T-02 every type has its container, mask, fingerprint expression and indexes', () => {
    const rows = tokenTypes.map((type) => {
      const { container, mask, fingerprint_expression, search_indexes } = typeRules[type]
      return [type, container, mask, fingerprint_expression, search_indexes]
    })
    const last4 = '{{ data | reveal_last: 4 }}'
    const dashless = "{{ data | remove: '-' }}"
    const indexes = ['{{ data }}', dashless, '{{ data | last4 }}']
    const card = [
      '/pci/high/',
      {
        number: '{{ data.number | reveal_last: 4 }}',
        expiration_month: '{{ data.expiration_month }}',
        expiration_year: '{{ data.expiration_year }}',
      },
      '{{ data.number }}',
      [],
    ]
    expect(rows).toEqual([
      ['token', '/general/high/', null, '{{ data | stringify }}', []],
      ['card', ...card],
      ['card_number', '/pci/high/', last4, '{{ data }}', []],
      ['network_token', ...card],
      [
        'bank',
        '/bank/high/',
        {
          routing_number: '{{ data.routing_number }}',
          account_number: '{{ data.account_number | reveal_last: 4 }}',
        },
        '{{ data.account_number }}|{{ data.routing_number }}',
        [],
      ],
      ['us_bank_account_number', '/bank/high/', last4, '{{ data }}', []],
      ['us_bank_routing_number', '/bank/low/', last4, '{{ data }}', []],
      ['social_security_number', '/pii/high/', last4, dashless, indexes],
      ['employer_id_number', '/pii/high/', last4, dashless, indexes],
    ])
  })

  test('T-02 only the listed names are types', () => {
    expect(tokenTypes.every(isTokenType)).toBe(true)
    for (const name of ['Card', 'constructor', '__proto__', 'toString', '', 'card ']) {
      expect(isTokenType(name), name).toBe(false)
    }
  })

  test('T-02 the default mask has only members of the data, and never a cvc', () => {
    expect(getDefaultMask('card', { number, cvc: '123' })).toEqual({
      number: '{{ data.number | reveal_last: 4 }}',
    })
    expect(Object.keys(getDefaultMask('card', { number, expiration_year: 2030, cvc: 1234 }) ?? {})).toEqual([
      'number',
      'expiration_year',
    ])
    expect(getDefaultMask('card', { number, expiration_month: null })).not.toHaveProperty('expiration_month')
    expect(getDefaultMask('token', { number })).toBeNull()
    expect(getDefaultMask('card_number', number)).toBe('{{ data | reveal_last: 4 }}')
  })

  test.each<[TokenType, Json]>([
    ['token', ''],
    ['token', 0],
    ['token', false],
    ['token', [null]],
    ['token', { any: { thing: null } }],
    ['card_number', '4222222222222'],
    ['card_number', '6205500000000000004'],
    ['us_bank_account_number', '001'],
    ['us_bank_account_number', '12345678901234567'],
    ['us_bank_routing_number', '021000021'],
    ['social_security_number', '123-45-6789'],
    ['social_security_number', '123456789'],
    ['employer_id_number', '12-3456789'],
    ['employer_id_number', '123456789'],
  ])('T-02 %s accepts %j and stores it unchanged', (type, data) => {
    expect(checkData(type, data)).toBe(data)
  })

  test.each<[TokenType, Json]>([
    ['token', null],
    ['card_number', '4242424242424241'],
    ['card_number', '4242 4242 4242 4242'],
    ['card_number', '422222222222'],
    ['card_number', '62055000000000000040'],
    ['card_number', '４２４２４２４２４２４２４２４２'],
    ['card_number', `${number}\n`],
    ['card_number', 4242424242424242],
    ['us_bank_account_number', '12'],
    ['us_bank_account_number', '123456789012345678'],
    ['us_bank_account_number', 12345],
    ['us_bank_routing_number', '021000022'],
    ['us_bank_routing_number', '21000021'],
    ['social_security_number', '12345678'],
    ['social_security_number', '1234567890'],
    ['social_security_number', '-123456789'],
    ['social_security_number', '123--456789'],
    ['social_security_number', '123 45 6789'],
    ['employer_id_number', 123456789],
    ['card', number],
    ['bank', ['021000021', '00001']],
    ['bank', null],
  ])('T-02 %s rejects %j without repeating it', (type, data) => {
    const error = catchError(() => checkData(type, data))
    expect([error.code, Object.keys(error.errors ?? {})]).toEqual(['invalid', ['data']])
    expect(error.message).not.toMatch(/\d{4}/)
  })
})

describe('card and bank data', () => {
  test.each<[Json]>([
    [{ number }],
    [{ number, expiration_month: 4, expiration_year: 1999, cvc: 123 }],
    [{ number, expiration_month: '04', expiration_year: '2030', cvc: '0123' }],
    [{ number, expiration_month: '4', expiration_year: null, cvc: null }],
  ])('T-03 a card may be %j', (data) => {
    expect(checkData('card', data)).toBe(data)
  })

  test.each<[Json, string[]]>([
    [{}, ['data.number']],
    [{ number: null }, ['data.number']],
    [{ number, expiration_month: 0 }, ['data.expiration_month']],
    [{ number, expiration_month: 13 }, ['data.expiration_month']],
    [{ number, expiration_month: 1.5 }, ['data.expiration_month']],
    [{ number, expiration_month: '1e0' }, ['data.expiration_month']],
    [{ number, expiration_year: 30 }, ['data.expiration_year']],
    [{ number, expiration_year: '20300' }, ['data.expiration_year']],
    [{ number, cvc: '12' }, ['data.cvc']],
    [{ number, cvc: 12345 }, ['data.cvc']],
    [{ number, cvc: '12a' }, ['data.cvc']],
    [{ number, cvc: ['123'] }, ['data.cvc']],
    [{ number, holder: 'Ada' }, ['data.holder']],
    [JSON.parse(`{"number":"${number}","__proto__":{"x":1}}`), ['data.__proto__']],
    [
      { number: 'x', expiration_month: 99, expiration_year: 1, cvc: '', extra: 1 },
      ['data.number', 'data.expiration_month', 'data.expiration_year', 'data.cvc', 'data.extra'],
    ],
  ])('T-03 a card may not be %j, and the error names all invalid members', (data, paths) => {
    expect(catchErrorPaths(() => checkData('card', data))).toEqual(paths)
  })

  test('T-03 an error does not repeat a card number sent as a member name', () => {
    for (const name of [number, 'n4242424242424242', '4242-4242-4242-4242']) {
      const error = catchError(() => checkData('card', { number, [name]: 1 }))
      expect(JSON.stringify([error.message, error.errors])).not.toMatch(/4242/)
    }
  })

  test('T-03 valid bank data is accepted, and an error names invalid members', () => {
    expect(checkData('bank', { routing_number: '021000021', account_number: '1' })).toEqual({
      routing_number: '021000021',
      account_number: '1',
    })
    expect(
      catchErrorPaths(() => checkData('bank', { routing_number: '021000020', account_number: 1, name: 'x' })),
    ).toEqual(['data.routing_number', 'data.account_number', 'data.name'])
    expect(catchErrorPaths(() => checkData('bank', {}))).toEqual([
      'data.routing_number',
      'data.account_number',
    ])
  })
})

describe('token ids', () => {
  test.each(['abc', 'my id', 'jo hn@x.com', 'a'.repeat(400), 'ключ-1', '...'])(
    'T-04 %s is a valid id',
    (id) => {
      expect(() => checkTokenId(id, 'id')).not.toThrow()
    },
  )

  test('T-04 ids that are too short, too long or have a forbidden character are rejected', () => {
    expect(catchErrorPaths(() => checkTokenId('ab', 'id'))).toEqual(['id'])
    expect(catchErrorPaths(() => checkTokenId('a'.repeat(401), 'id'))).toEqual(['id'])
    for (const character of '#/\\+?[]|&=%<>{}^') {
      expect(() => checkTokenId(`ab${character}c`, 'id'), character).toThrow(CofferError)
    }
  })

  test.each([' abc', 'abc ', '\u00a0abc', 'abc\u3000', '\ufeffabc'])(
    'T-04 %j is not a valid id, because expressions trim spaces',
    (id) => {
      expect(() => checkTokenId(id, 'id')).toThrow('id must not begin or end with a space')
    },
  )

  test.each(['../x', '..\\x', '%2e%2e', '%252e', 'a\0bc', 'a\r\nb', 'abc\ud800', '{{ data }}'])(
    'X-09 %j is not a valid id',
    (id) => {
      expect(catchErrorPaths(() => checkTokenId(id, 'id'))).toEqual(['id'])
    },
  )
})

describe('sensitive values in ids and metadata', () => {
  const cases: [TokenType, Json, string][] = [
    ['card', { number }, number],
    ['card_number', number, number],
    ['bank', { routing_number: '021000021', account_number: '00012345' }, '00012345'],
    ['us_bank_account_number', '00012345', '00012345'],
    ['social_security_number', '123-45-6789', '123456789'],
    ['employer_id_number', '12-3456789', '123456789'],
  ]

  test.each(cases)(
    'T-05 %s: id and metadata must not contain the value, with any separators',
    (type, data, digits) => {
      expect(listSensitiveValues(type, data)).toEqual([digits])
      const spread = [...digits]
      const spellings = [
        digits,
        `customer-${digits}-x`,
        spread.join('-'),
        spread.join(' '),
        spread.join('.'),
        spread.join('\u200b'),
        `${digits.slice(0, 4)}_${digits.slice(4)}`,
        spread.map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
      ]
      for (const text of spellings) {
        expect(
          catchErrorPaths(() => assertNoSensitiveValues(type, data, text, undefined)),
          text,
        ).toEqual(['id'])
        expect(
          catchErrorPaths(() => assertNoSensitiveValues(type, data, 'abc', { note: text })),
          text,
        ).toEqual(['metadata.note'])
        const error = catchError(() => assertNoSensitiveValues(type, data, undefined, { [text]: 'x' }))
        expect(error.errors, text).toEqual({ metadata: [expect.any(String)] })
        expect(error.message, text).not.toContain(text)
      }
    },
  )

  test('T-05 last four digits, BINs and other numbers are accepted', () => {
    for (const [type, data, digits] of cases) {
      expect(() =>
        assertNoSensitiveValues(type, data, `id-${digits.slice(-4)}`, {
          bin: digits.slice(0, 6),
          order: '98765',
        }),
      ).not.toThrow()
    }
  })

  test('T-05 types without a sensitive value, and routing numbers, are not checked', () => {
    expect(() => assertNoSensitiveValues('token', number, number, { number })).not.toThrow()
    expect(() =>
      assertNoSensitiveValues('us_bank_routing_number', '021000021', '021000021', undefined),
    ).not.toThrow()
    const bank = { routing_number: '021000021', account_number: '00012345' }
    expect(() => assertNoSensitiveValues('bank', bank, 'bank-021000021', undefined)).not.toThrow()
  })

  test('T-05 a short account number is rejected only as the complete string', () => {
    const bank = { routing_number: '021000021', account_number: '12' }
    expect(() => assertNoSensitiveValues('bank', bank, 'order-3124', { count: '112' })).not.toThrow()
    expect(
      catchErrorPaths(() => assertNoSensitiveValues('bank', bank, undefined, { a: '1-2', b: '12' })),
    ).toEqual(['metadata.a', 'metadata.b'])
  })

  test('X-22 an id with plaintext from an expression is rejected without repeating it', () => {
    const error = catchError(() => assertNoSensitiveValues('card', { number }, `card_${number}_1`, undefined))
    expect(error.errors).toHaveProperty('id')
    expect(JSON.stringify([error.message, error.errors])).not.toContain('4242')
  })
})

describe('metadata', () => {
  test('T-06 metadata maps strings to strings within the limits', () => {
    const pairs = Array.from({ length: 50 }, (_, at) => [`k${at}`, ''])
    const metadata = Object.fromEntries([...pairs.slice(2), ['k'.repeat(200), 'v'.repeat(2000)]])
    expect(checkMetadata(metadata, 'metadata')).toEqual(metadata)
    expect(checkMetadata({}, 'metadata')).toEqual({})
    const odd = checkMetadata(JSON.parse('{"__proto__":"a","constructor":"b"}'), 'metadata')
    expect(Object.entries(odd)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })

  test.each<[unknown, string[]]>([
    [null, ['metadata']],
    ['a', ['metadata']],
    [['a'], ['metadata']],
    [Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, ''])), ['metadata']],
    [{ '': 'x' }, ['metadata']],
    [{ ['k'.repeat(201)]: 'x' }, ['metadata']],
    [{ a: 1, b: null, c: { d: 'e' }, ok: 'x' }, ['metadata.a', 'metadata.b', 'metadata.c']],
    [{ a: 'v'.repeat(2001) }, ['metadata.a']],
    [{ a: '\udc00' }, ['metadata.a']],
  ])('T-06 the metadata %j is rejected', (value, paths) => {
    expect(catchErrorPaths(() => checkMetadata(value, 'metadata'))).toEqual(paths)
  })
})

describe('cvc', () => {
  test('T-15 removing the cvc of a card changes nothing else', () => {
    const data = { number, expiration_month: 4, cvc: '123' }
    expect(hasCvc('card', data)).toBe(true)
    expect(removeCvc(data)).toEqual({ number, expiration_month: 4 })
    expect(data.cvc).toBe('123')
    expect(hasCvc('card', removeCvc(data))).toBe(false)
  })

  test('T-15 a null cvc does not count as a cvc, and other types have none', () => {
    expect(hasCvc('card', { number, cvc: null })).toBe(false)
    expect(hasCvc('token', { cvc: '123' })).toBe(false)
    expect(hasCvc('card_number', number)).toBe(false)
    expect(removeCvc(number)).toBe(number)
  })
})

describe('problems of one body', () => {
  test('A-05 several problems become one error, and an unexpected error is rethrown', () => {
    const problems = new Problems()
    expect(problems.attemptCheck(() => checkMetadata({ a: 'b' }, 'metadata'))).toEqual({ a: 'b' })
    problems.throwIfAny()
    problems.attemptCheck(() => checkData('card_number', 'x'))
    problems.attemptCheck(() => checkMetadata({ a: 1 }, 'metadata'))
    problems.add('data', 'must be something else too')
    expect(catchError(() => problems.throwIfAny())).toMatchObject({
      code: 'invalid',
      errors: { data: [expect.any(String), expect.any(String)], 'metadata.a': [expect.any(String)] },
    })
    expect(() => problems.attemptCheck(() => Reflect.apply(checkData, null, ['nonsense', 1]))).toThrow(
      TypeError,
    )
    const throwConflict = () => {
      throw new CofferError('conflict', 'The id is taken.')
    }
    expect(catchError(() => problems.attemptCheck(throwConflict)).code).toBe('conflict')
  })

  test('A-05 a body with very many errors gets a response of limited size', () => {
    const data = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [
        `m${String.fromCharCode(97 + (at % 26)).repeat(at % 30)}`,
        at,
      ]),
    )
    expect(catchErrorPaths(() => checkData('card', { number, ...data })).length).toBeLessThanOrEqual(50)
  })
})
