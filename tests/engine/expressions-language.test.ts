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

function evaluate(source: string, data: Json = card): Json {
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
    expect(evaluate(source)).toEqual(expected)
  })

  it.each([
    ['a tag', '{% assign a = 1 %}'],
    ['an unclosed tag', 'a {% b'],
    ['a raw tag', '{% raw %}{{ data }}{% endraw %}'],
    ['nothing to evaluate', '{{ }}'],
    ['an expression that never ends', '{{ data'],
    ['a text that never ends', "{{ 'data }}"],
    ['two values', '{{ data data }}'],
    ['an operator', '{{ data == 1 }}'],
    ['a range', '{{ (1..3) | join }}'],
    ['a pipe to nothing', '{{ data | }}'],
    ['a dot to nothing', '{{ data. }}'],
    ['an empty bracket', '{{ data[] }}'],
    ['an open bracket', '{{ data[0 }}'],
    ['more in a bracket', "{{ data['number' | reveal_last: 4] }}"],
    ['more after the filters', '{{ data | upcase) | reveal_last: 4 }}'],
    ['a comma after a filter', '{{ data | upcase, reveal_last: 4 }}'],
  ])('E-01 %s is rejected', (_what, source) => {
    const compiling = () => compileExpression(new WorkBudget(), source, 'mask.number')
    expect(compiling).toThrow(CofferError)
    expect(compiling).toThrow(/^mask\.number (is not|must not|has a|holds)/)
  })

  it('E-01 a template has at most 2,000 characters', () => {
    const text = 'a'.repeat(2_000 - '{{ data }}'.length)
    expect(evaluate(`${text}{{ data }}`, 'b')).toBe(`${text}b`)
    expect(() => compileExpression(new WorkBudget(), `${text}a{{ data }}`)).toThrow('2,000 characters')
    expect(() => compileExpression(new WorkBudget(), 'a'.repeat(2_001))).toThrow('2,000 characters')
  })

  it.each([
    ['an unknown filter', '{{ data | shout }}', 'unknown filter: shout'],
    ['a filter that runs code', "{{ data | where_exp: 'x', 'x' }}", 'unknown filter: where_exp'],
    ['an inherited name', '{{ data | constructor }}', 'unknown filter: constructor'],
    ['a number for a name', '{{ data | 4242424242424242 }}', 'unknown filter: …'],
    ['a missing argument', '{{ data | reveal_last }}', 'reveal_last a whole number as n'],
    ['a wrong argument', "{{ data | reveal_last: 'all' }}", 'reveal_last a whole number as n'],
    ['a negative argument', '{{ data | reveal_last: -1 }}', 'reveal_last a whole number as n'],
    ['two characters for one', "{{ data | reveal_last: 4, 'XX' }}", 'reveal_last one character as char'],
    ['too many arguments', "{{ data | last4: 'x' }}", 'last4 too many arguments'],
    ['an unknown argument', '{{ data | reveal: frist: 4 }}', 'does not know'],
    ['a filter as an argument', "{{ data | append: 'x', reveal_last: 4 }}", 'does not know'],
    ['an unknown card_exp format', "{{ data | card_exp: 'YY/MM' }}", 'card_exp one of'],
    ['an unknown algorithm', "{{ data | hmac: 'md5', 'key' }}", 'hmac one of'],
    ['an empty key', "{{ data | hmac: '' }}", 'hmac a key'],
    ['a forgotten key', "{{ data | hmac: 'SHA-256' }}", 'hmac a key'],
    ['a wrong JSONPath', "{{ data | json: '$.[' }}", 'JSONPath'],
  ])('E-02 %s is rejected when the expression is submitted', (_what, source, message) => {
    expect(() => compileExpression(new WorkBudget(), source, 'fingerprint_expression')).toThrow(message)
  })

  it('E-08 an expression alone in a string keeps the JSON type', () => {
    expect(evaluate('{{ data }}')).toEqual(card)
    expect(evaluate('{{ data.expiration_month }}')).toBe(4)
    expect(evaluate('{{ data.open }}')).toBe(true)
    expect(evaluate('{{ data.tags }}')).toEqual(['a', 'b'])
    expect(evaluate('{{ data }}', null)).toBe(null)
    expect(evaluate('  {{- data.expiration_month -}}\n')).toBe(4)
  })

  it('E-08 text around expressions returns text', () => {
    expect(evaluate('{{ data.expiration_month }}{{ data.expiration_month }}')).toBe('44')
    expect(evaluate(' {{ data.expiration_month }}')).toBe(' 4')
    expect(evaluate('{{ data.account }}|{{ data.number }}')).toBe('|4242424242424242')
    expect(evaluate('{{ data.tags }} {{ data.open }}')).toBe('["a","b"] true')
  })

  it('E-08 a text without an expression is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('{{') && !text.includes('{%'))
        expect(evaluate(text)).toBe(text)
      }),
    )
  })

  it('E-08 a missing path returns null, through filters too', () => {
    for (const source of [
      '{{ data.a }}',
      '{{ data.a.b[0].c }}',
      '{{ nothing }}',
      '{{ data.number.a }}',
      '{{ size }}',
    ]) {
      expect(evaluate(source)).toBe(null)
    }
    // Liquid would count the members, which is not the missing size.
    expect(evaluate('{{ data.size }}', { colour: 'red' })).toBe(null)
    expect(evaluate('{{ data.size }}', { size: 'XL' })).toBe('XL')
    for (const filter of [
      'reveal_last: 4',
      'last4',
      'to_number',
      'to_string',
      'to_boolean',
      "pad_left: 4, '0'",
    ]) {
      expect(evaluate(`{{ data.missing | ${filter} }}`)).toBe(null)
    }
  })

  it('E-08 any source compiles to JSON or is rejected as invalid', () => {
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
          const value = evaluate(`{{ data${pieces.join('')} }}`)
          expect(JSON.parse(JSON.stringify(value))).toEqual(value)
        } catch (error) {
          expect((error as CofferError).code).toBe('invalid')
        }
      }),
      getRunCount(2_000),
    )
  })

  it('T-07 a comma after the path is read as a pipe', () => {
    expect(evaluate('{{ data.number, reveal_last: 4 }}')).toBe('XXXXXXXXXXXX4242')
    expect(evaluate("{{ data.number,reveal: 6, 4, '#' | append: ',' }}")).toBe('424242######4242,')
    expect(evaluate("{{ 'a, last4: 1', last4 }}")).toBe('4: 1')
    expect(evaluate("{{ data['number'], last4 }}/{{ data.cvc }}")).toBe('4242/123')
  })

  it('X-16 no error shows the data', () => {
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

  it('X-35 compiled expressions are cleared on request', () => {
    const before = compileExpression(new WorkBudget(), '{{ data | hmac: "forget me" }}')
    expect(compileExpression(new WorkBudget(), '{{ data | hmac: "forget me" }}')).toBe(before)
    clearTemplateCache()
    expect(compileExpression(new WorkBudget(), '{{ data | hmac: "forget me" }}')).not.toBe(before)
  })
})
