import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clearTemplateCache,
  compileExpression,
  evaluateTemplate,
} from '../../electron/engine/expressions/template.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import { CofferError } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import { getRunCount } from '../thorough.ts'

const card = { number: '4242424242424242', expiration_month: 4, cvc: '123', tags: ['a', 'b'], open: true }

function evaluateSource(source: string, data: Json = card): Json {
  return evaluateTemplate(new WorkBudget(), compileExpression(new WorkBudget(), source), {
    data,
    metadata: { who: 'Ada' },
  })
}

describe('the expression language', () => {
  it.each([
    ['{{ data.number }}', '4242424242424242'],
    ['{{data.number}}', '4242424242424242'],
    ['{{- data.number -}}', '4242424242424242'],
    ['{{ data["number"] }}', '4242424242424242'],
    ['{{ data.tags[0] }}', 'a'],
    ['{{ data.tags[-1] }}', 'b'],
    ['{{ data.tags.1 }}', 'b'],
    ['{{ data.tags.last }}', 'b'],
    ['{{ data.tags.size }}', 2],
    ['{{ metadata.who }}', 'Ada'],
    ["{{ 'a|b}}' | append: '{%' }}", 'a|b}}{%'],
    ['{{ data[data.key] }}', null],
  ])('E-01 %s reads a path or a literal', (source, expected) => {
    expect(evaluateSource(source)).toEqual(expected)
  })

  it.each([
    ['a tag', '{% assign a = 1 %}'],
    ['an unclosed tag', 'a {% b'],
    ['a raw tag', '{% raw %}{{ data }}{% endraw %}'],
    ['an empty expression', '{{ }}'],
    ['an unclosed expression', '{{ data'],
    ['an unclosed text', "{{ 'data }}"],
    ['two values', '{{ data data }}'],
    ['an operator', '{{ data == 1 }}'],
    ['a range', '{{ (1..3) | join }}'],
    ['a pipe without a filter', '{{ data | }}'],
    ['a trailing dot', '{{ data. }}'],
    ['an empty bracket', '{{ data[] }}'],
    ['an open bracket', '{{ data[0 }}'],
    ['extra content in a bracket', "{{ data['number' | reveal_last: 4] }}"],
    ['extra content after the filters', '{{ data | upcase) | reveal_last: 4 }}'],
    ['a comma after a filter', '{{ data | upcase, reveal_last: 4 }}'],
  ])('E-01 %s is rejected', (_what, source) => {
    const compileSource = () => compileExpression(new WorkBudget(), source, 'mask.number')
    expect(compileSource).toThrow(CofferError)
    expect(compileSource).toThrow(/^mask\.number (is not|must not|has an?|contains)/)
  })

  it('E-01 a template has at most 2,000 characters', () => {
    const text = 'a'.repeat(2_000 - '{{ data }}'.length)
    expect(evaluateSource(`${text}{{ data }}`, 'b')).toBe(`${text}b`)
    expect(() => compileExpression(new WorkBudget(), `${text}a{{ data }}`)).toThrow('2,000 characters')
    expect(() => compileExpression(new WorkBudget(), 'a'.repeat(2_001))).toThrow('2,000 characters')
  })

  it.each([
    ['an unknown filter', '{{ data | shout }}', 'unknown filter: shout'],
    ['a filter that runs code', "{{ data | where_exp: 'x', 'x' }}", 'unknown filter: where_exp'],
    ['an inherited name', '{{ data | constructor }}', 'unknown filter: constructor'],
    ['a number instead of a name', '{{ data | 4242424242424242 }}', 'unknown filter: …'],
    [
      'a missing argument',
      '{{ data | reveal_last }}',
      'integer from 0 to 999,999 as n to the filter reveal_last',
    ],
    [
      'a wrong argument',
      "{{ data | reveal_last: 'all' }}",
      'integer from 0 to 999,999 as n to the filter reveal_last',
    ],
    [
      'a negative argument',
      '{{ data | reveal_last: -1 }}',
      'integer from 0 to 999,999 as n to the filter reveal_last',
    ],
    [
      'two characters instead of one',
      "{{ data | reveal_last: 4, 'XX' }}",
      'one character as char to the filter reveal_last',
    ],
    ['too many arguments', "{{ data | last4: 'x' }}", 'too many arguments to the filter last4'],
    ['an unknown argument', '{{ data | reveal: frist: 4 }}', 'unknown argument'],
    ['a filter as an argument', "{{ data | append: 'x', reveal_last: 4 }}", 'unknown argument'],
    ['an unknown card_exp format', "{{ data | card_exp: 'YY/MM' }}", 'card_exp one of'],
    [
      'an unknown algorithm',
      "{{ data | hmac: 'md5', 'key' }}",
      'sha-1, sha-256 or sha-512 to the filter hmac',
    ],
    ['an empty key', "{{ data | hmac: '' }}", 'a key to the filter hmac'],
    ['a forgotten key', "{{ data | hmac: 'SHA-256' }}", 'a key to the filter hmac'],
    ['a wrong JSONPath', "{{ data | json: '$.[' }}", 'JSONPath'],
  ])('E-02 %s is rejected when the expression is compiled', (_what, source, message) => {
    expect(() => compileExpression(new WorkBudget(), source, 'fingerprint_expression')).toThrow(message)
  })

  it('E-08 a lone expression keeps its JSON type', () => {
    expect(evaluateSource('{{ data }}')).toEqual(card)
    expect(evaluateSource('{{ data.expiration_month }}')).toBe(4)
    expect(evaluateSource('{{ data.open }}')).toBe(true)
    expect(evaluateSource('{{ data.tags }}')).toEqual(['a', 'b'])
    expect(evaluateSource('{{ data }}', null)).toBe(null)
    expect(evaluateSource('  {{- data.expiration_month -}}\n')).toBe(4)
  })

  it('E-08 text around expressions makes the result text', () => {
    expect(evaluateSource('{{ data.expiration_month }}{{ data.expiration_month }}')).toBe('44')
    expect(evaluateSource(' {{ data.expiration_month }}')).toBe(' 4')
    expect(evaluateSource('{{ data.account }}|{{ data.number }}')).toBe('|4242424242424242')
    expect(evaluateSource('{{ data.tags }} {{ data.open }}')).toBe('["a","b"] true')
  })

  it('E-08 text without an expression is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('{{') && !text.includes('{%'))
        expect(evaluateSource(text)).toBe(text)
      }),
    )
  })

  it('E-08 a missing path gives null, also after filters', () => {
    for (const source of [
      '{{ data.a }}',
      '{{ data.a.b[0].c }}',
      '{{ nothing }}',
      '{{ data.number.a }}',
      '{{ size }}',
    ]) {
      expect(evaluateSource(source)).toBe(null)
    }
    // Standard Liquid would count the members here, although the member `size` is missing.
    expect(evaluateSource('{{ data.size }}', { colour: 'red' })).toBe(null)
    expect(evaluateSource('{{ data.size }}', { size: 'XL' })).toBe('XL')
    for (const filter of [
      'reveal_last: 4',
      'last4',
      'to_number',
      'to_string',
      'to_boolean',
      "pad_left: 4, '0'",
    ]) {
      expect(evaluateSource(`{{ data.missing | ${filter} }}`)).toBe(null)
    }
  })

  it('E-08 every source text gives JSON or a validation error', () => {
    const piece = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{%',
        '%}',
        ' ',
        '|',
        ',',
        ':',
        '.',
        '[',
        ']',
        '(',
        ')',
        '"',
        "'",
        '\\',
        '-',
        '1',
        '..',
      ],
      ...[
        'data',
        'number',
        'tags',
        'reveal_last',
        'json',
        'upcase',
        'default',
        'nil',
        'empty',
        'first',
        '$.a',
        '😀',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          const value = evaluateSource(`{{ data${pieces.join('')} }}`)
          expect(JSON.parse(JSON.stringify(value))).toEqual(value)
        } catch (error) {
          expect((error as CofferError).code).toBe('invalid')
        }
      }),
      getRunCount(2_000),
    )
  })

  it('T-07 a comma after the path is treated as a pipe', () => {
    expect(evaluateSource('{{ data.number, reveal_last: 4 }}')).toBe('XXXXXXXXXXXX4242')
    expect(evaluateSource("{{ data.number,reveal: 6, 4, '#' | append: ',' }}")).toBe('424242######4242,')
    expect(evaluateSource("{{ 'a, last4: 1', last4 }}")).toBe('4: 1')
    expect(evaluateSource("{{ data['number'], last4 }}/{{ data.cvc }}")).toBe('4242/123')
  })

  it('X-16 no error message contains data', () => {
    const data = { number: '4242424242424242', text: '{"4242424242424242' }
    const errors: unknown[] = []
    for (const filter of [
      'to_number',
      "json: '$.a'",
      "append: 'ff' | url_decode",
      'base64_decode',
      'times: 1e999',
      'alias_card',
    ]) {
      for (const path of ['data', 'data.text']) {
        try {
          evaluateTemplate(
            new WorkBudget(),
            compileExpression(new WorkBudget(), `{{ ${path} | append: '%' | ${filter} }}`),
            { data },
            'mask',
          )
        } catch (error) {
          errors.push(error)
        }
      }
    }
    expect(errors.length).toBeGreaterThan(8)
    for (const error of errors) {
      expect(error).toBeInstanceOf(CofferError)
      expect(JSON.stringify(error) + String(error) + String((error as CofferError).cause)).not.toContain(
        '4242',
      )
    }
  })

  it('X-35 clearing the cache drops compiled expressions', () => {
    const before = compileExpression(new WorkBudget(), '{{ data | hmac: "forget me" }}')
    expect(compileExpression(new WorkBudget(), '{{ data | hmac: "forget me" }}')).toBe(before)
    clearTemplateCache()
    expect(compileExpression(new WorkBudget(), '{{ data | hmac: "forget me" }}')).not.toBe(before)
  })
})
