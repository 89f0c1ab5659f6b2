import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskNumbers } from '../../../electron/engine/pipeline/log-id.ts'
import {
  type BodyFormat,
  decodeBody,
  detectBodyFormat,
  hasExpression,
  replaceExpressions,
} from '../../../electron/engine/resources/proxies/body-text.ts'
import { fillBody } from '../../../electron/engine/resources/proxies/message.ts'
import { REDACTED, redact } from '../../../electron/engine/resources/proxies/secrets.ts'
import type { Json } from '../../../shared/json.ts'
import { catchRejection, fuzzTimeout, getFuzzParameters, mutatedTexts } from '../../fuzz.ts'

const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined]
const bytes = fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array))
const braces = fc.constantFrom(
  '{',
  '}',
  '{{',
  '}}',
  '"',
  '\\',
  '%7B',
  '%7b%7B',
  '&',
  '=',
  'a',
  '|',
  ' ',
  'é',
  '\u0000',
)
const bracesAndBytes = fc
  .array(fc.oneof(braces, fc.uint8Array({ maxLength: 4 })), { maxLength: 200 })
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))))

test(
  'G-05 bytes without an expression never change',
  () => {
    const checkBody = (body: Buffer, type: string | undefined) => {
      const form = detectBodyFormat(body, type)
      if (hasExpression(decodeBody(body).text, form)) return
      const after = fillBody(body, form, () => {
        throw new Error('nothing was to be evaluated')
      })
      expect(after.equals(body)).toBe(true)
    }
    fc.assert(
      fc.property(fc.oneof(bytes, bracesAndBytes), fc.constantFrom(...types), checkBody),
      getFuzzParameters(500),
    )
  },
  fuzzTimeout,
)

test(
  'G-05 a JSON body stays JSON, and only strings with expressions change',
  () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant({ a: '"{{' }),
    )
    const plain = fc
      .string({ unit: 'binary', maxLength: 12 })
      .filter((text) => !text.includes('{{') && !text.endsWith('{'))
    const document = fc.record({ before: plain, key: plain, list: fc.array(plain), after: plain })
    const checkNeighbours = (
      { before, key, list, after }: { before: string; key: string; list: string[]; after: string },
      put: Json,
    ) => {
      const original = { before, whole: '{{ token }}', [`k${key}`]: `x${before}{{ token }}`, list, after }
      const filled = fillBody(Buffer.from(JSON.stringify(original)), 'json', () => put)
      const read = JSON.parse(filled.toString())
      const text = typeof put === 'string' ? put : typeof put === 'number' ? String(put) : JSON.stringify(put)
      const expected = JSON.parse(
        JSON.stringify({
          ...original,
          whole: typeof put === 'number' ? String(put) : put,
          [`k${key}`]: `x${before}${text}`,
        }),
      )
      expect(read).toEqual(expected)
    }
    fc.assert(fc.property(document, value as fc.Arbitrary<Json>, checkNeighbours), getFuzzParameters(500))
  },
  fuzzTimeout,
)

test(
  'X-52 the expressions of a damaged body are replaced or rejected quickly',
  () => {
    const samples = [
      '{"a":"{{ id | json: \'$.number\' }}","b":[{"c":"x {{ token: id }} y"}]}',
      'a={{ id }}&b=%7B%7B+id+%7D%7D',
      'plain {{ id | upcase }} text',
    ]
    const damaged = mutatedTexts(samples, ['{{', '}}', '"', '\\', '%7B', '&', '=', '|', ':', "'", '\n'])
    const forms: BodyFormat[] = ['json', 'form', 'text', 'binary']
    fc.assert(
      fc.property(damaged, fc.constantFrom(...forms), (text, form) => {
        catchRejection(() => replaceExpressions(text, form, 'body', () => 'x'))
      }),
      getFuzzParameters(500),
    )
  },
  fuzzTimeout,
)

test(
  'X-65 G-07 masking a body in chunks gives the same as masking it at once',
  () => {
    const piece = fc.constantFrom(
      ...[
        '4',
        '42',
        '4242',
        '4242424242424242',
        '\u{1d7d8}',
        '\u0664',
        '.',
        '-',
        ' ',
        '. ',
        '...',
        '😀',
        'a',
        'xyz',
      ],
      '0b9d2bd7-8a5c-4d0e-9c43-7d6c2f5a0c11',
    )
    const around = fc.tuple(fc.nat(60), fc.array(piece, { maxLength: 60 }))
    fc.assert(
      fc.property(around, ([short, pieces]) => {
        const text = `${'z'.repeat(32_768 - short)}${pieces.join('')}${'z'.repeat(20)}`
        expect([maskNumbers(text), REDACTED]).toContain(redact(text, []))
      }),
      getFuzzParameters(2000),
    )
  },
  fuzzTimeout,
)
