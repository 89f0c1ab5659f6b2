import { describe, expect, it } from 'vitest'
import { filterNames } from '../../electron/engine/expressions/filters.ts'
import { compileExpression, evaluateTemplate } from '../../electron/engine/expressions/template.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import type { CofferError } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'

const TOO_MUCH =
  'exceeds a limit of expressions, such as 65,536 characters per standard filter or 1,048,576 characters processed in total'

function evaluateSource(source: string, data: Json = null): Json {
  return evaluateTemplate(
    new WorkBudget(),
    compileExpression(new WorkBudget(), source, 'mask'),
    { data },
    'mask',
  )
}

function evaluateChain(filter: string, data: Json): Json {
  const step = ` | ${filter}`
  return evaluateSource(`{{ data${step.repeat(Math.floor(1_980 / step.length))} }}`, data)
}

/** Returns the result of an expression, or the message of its validation error. Throws any other error. */
function getOutcome(run: () => Json): Json {
  try {
    return run()
  } catch (error) {
    expect((error as CofferError).code).toBe('invalid')
    return { refused: (error as CofferError).message }
  }
}

describe('bounds of an expression', () => {
  it.each([
    ['a file', "{% include '/etc/passwd' %}"],
    ['a rendered file', "{{ data }}{% render 'package.json' %}"],
    ['a layout', "{% layout 'package.json' %}"],
    ['a loop', '{% for i in (1..1000000000) %}x{% endfor %}'],
    ['an assignment', "{% assign a = 'b' %}{{ a }}"],
  ])('X-21 %s is rejected', (_what, source) => {
    expect(() => compileExpression(new WorkBudget(), source, 'mask')).toThrow('mask must not contain a tag')
  })

  it.each([
    ...[
      'constructor',
      '__proto__',
      'toString',
      'data.constructor',
      'data.__proto__',
      'data.__proto__.polluted',
    ],
    ...[
      "data['constructor']['constructor']",
      'data.list.map',
      'data.list.length',
      'data.text.length',
      'data.text.at',
    ],
    ...["'text'.constructor", "data | map: 'constructor' | first", "data | map: '__proto__' | first"],
    ...[
      "data.list | first | map: 'constructor.name' | first",
      "data | find: 'constructor'",
      'size',
      'hasOwnProperty',
    ],
  ])('X-21 %s reaches no prototype', (path) => {
    expect(evaluateSource(`{{ ${path} }}`, { text: 'a', list: [{ a: 1 }] })).toBe(null)
  })

  it('X-21 a property named like a method is data', () => {
    const data = JSON.parse(
      '{"then":"a","next":"b","toLiquid":"c","valueOf":1,"toString":2,"toJSON":"d","length":3}',
    ) as Json
    expect(evaluateSource('{{ data.then }}{{ data.next }}{{ data.toLiquid }}{{ data.toJSON }}', data)).toBe(
      'abcd',
    )
    for (const filter of filterNames)
      getOutcome(() => evaluateSource(`{{ data | ${filter}: data, data }}`, data))
  })

  it.each([
    ["pad_left: 100000000, '0'", 'integer from 0 to 999,999 as width'],
    ["pad_right: 1001, '0'", 'width'],
    ["date: '%999999999d'", 'widths of at most 30'],
    ["date: '%031d'", 'widths of at most 30'],
    [`date: '${'%A'.repeat(101)}'`, 'at most 200'],
  ])('X-21 the filter %s is rejected', (filter, message) => {
    expect(() => evaluateSource(`{{ data | ${filter} }}`, '0')).toThrow(message)
  })

  it('X-21 filter arguments taken from the data have the limits of literal ones', () => {
    const data = { text: 'x', width: 100_000_000, format: '%999999999N', long: '%A'.repeat(30_000) }
    expect(() => evaluateSource("{{ data.text | pad_left: data.width, '0' }}", data)).toThrow('pad_left')
    expect(() => evaluateSource('{{ data.width | date: data.format }}', data)).toThrow('widths of at most 30')
    expect(() => evaluateSource('{{ data.width | date: data.long }}', data)).toThrow('at most 2,000')
    expect(() => evaluateSource('{{ data.text | hmac: data.long }}', data)).toThrow('at most 2,000')
  })

  it('X-21 a range is rejected before liquidjs expands it', () => {
    expect(() => evaluateSource('{{ (9007199254740992..9007199254740995) | join }}')).toThrow(
      'path or a literal',
    )
    expect(() => evaluateSource('{{ data | concat: (1..9) }}', [])).toThrow('path or a literal')
    expect(() => evaluateSource('{{ (data.from..data.to) }}', { from: 2 ** 53, to: 2 ** 53 + 4 })).toThrow(
      'path or a literal',
    )
  })

  it.each([
    ["replace: '', 'xxxxxxxx'", 'abc'],
    ["split: '' | join: 'xxxx'", 'abc'],
    ['append: data', 'x'.repeat(60_000)],
    ['concat: data', Array(1_000).fill(1)],
    ['escape', '&'.repeat(10_000)],
    ['url_encode', '%'.repeat(40_000)],
    ['newline_to_br', '\n'.repeat(20_000)],
    ['to_base64', 'abc'],
    ['to_base16', 'abc'],
    ['base64_encode', 'abc'],
    ["split: ''", 'x'.repeat(60_000)],
    ['stringify', 'x'.repeat(2_000_000)],
    ['reveal: 1, 1', '😀'.repeat(1_000_000)],
    ['alias_preserve_length', 'x'.repeat(60_000)],
    ['sort_natural | reverse', Array.from({ length: 3_000 }, (_, at) => String((at * 7_919) % 3_001))],
    ["json: '$' | stringify", JSON.stringify(Array(300_000).fill(1))],
    ['plus: data', Array(100_000).fill(1)],
  ])('X-21 a chain of %s filters is stopped at the limit of its result', (filter, data) => {
    expect(() => evaluateChain(filter, data)).toThrow(TOO_MUCH)
  })

  it('X-21 a long chain over a short value is evaluated', () => {
    expect(evaluateChain('last4', '123456')).toBe('3456')
    expect(evaluateChain('upcase', 'a')).toBe('A')
    expect(evaluateSource('{{ data | slice: 0, 100000000000 }}', '0')).toBe('0')
  })

  it('X-21 no filter returns a result larger than the limit', () => {
    const values: Json[] = ['&', '<!--', '%41', ' \n', 'é', '😀', '-', '0'].map((each) =>
      each.repeat(60_000 / each.length),
    )
    values.push(Array(4_000).fill({ a: 1 }), Array(60_000).fill(0), { a: values[0] ?? '' }, 1e308)
    for (const filter of filterNames) {
      for (const data of values) {
        const result = getOutcome(() => evaluateSource(`{{ data | ${filter}: 'a', 'b' }}`, data))
        const plain = getOutcome(() => evaluateSource(`{{ data | ${filter} }}`, data))
        expect(JSON.stringify([result, plain]).length).toBeLessThan(3_000_000)
      }
    }
  })

  it('X-21 a filter rejects input or output larger than its limit', () => {
    expect(evaluateSource('{{ data | upcase }}', 'x'.repeat(65_536))).toBe('X'.repeat(65_536))
    expect(() => evaluateSource('{{ data | upcase }}', 'x'.repeat(65_537))).toThrow(TOO_MUCH)
    expect(() => evaluateSource('{{ data | size | append: data }}', 'x'.repeat(65_537))).toThrow(TOO_MUCH)
    expect(() => evaluateSource('{{ data | escape }}', '&'.repeat(14_000))).toThrow(TOO_MUCH)
    expect(() => evaluateSource("{{ data | split: '' }}", '&'.repeat(14_000))).toThrow(TOO_MUCH)
    expect(() => evaluateSource('{{ data | to_base16 }}', 'é'.repeat(1_200_000))).toThrow(TOO_MUCH)
  })

  it('X-21 a filter rejects a search that would take quadratic time', () => {
    const text = 'a'.repeat(40_000)
    const pattern = `${'a'.repeat(10_000)}b${'a'.repeat(10_000)}`
    for (const filter of ['remove', 'remove_first', 'remove_last', 'split']) {
      expect(() => evaluateSource(`{{ data.text | ${filter}: data.pattern }}`, { text, pattern })).toThrow(
        TOO_MUCH,
      )
    }
    for (const filter of ['replace', 'replace_first', 'replace_last']) {
      expect(() =>
        evaluateSource(`{{ data.text | ${filter}: data.pattern, 'x' }}`, { text, pattern }),
      ).toThrow(TOO_MUCH)
    }
    const list = Array(3_000).fill({})
    const path = `a${'.a'.repeat(15_000)}`
    for (const filter of ['find', 'find_index', 'has', 'map', 'reject', 'sort', 'sum', 'where']) {
      expect(() => evaluateSource(`{{ data.list | ${filter}: data.path }}`, { list, path })).toThrow(TOO_MUCH)
    }
  })

  it('X-21 text with expressions is rejected when its result would be too large', () => {
    const large = 'x'.repeat(2_000_000)
    expect(() => evaluateSource('{{ data }}'.repeat(200), large)).toThrow(TOO_MUCH)
    expect(() => evaluateSource('{{ data | stringify }}!', large)).toThrow(TOO_MUCH)
    expect(() => evaluateSource('{{ data }}{{ data }}', 'x'.repeat(40_000))).toThrow(TOO_MUCH)
    expect(evaluateSource('{{ data }}'.repeat(200), 'x')).toBe('x'.repeat(200))
  })

  it('X-21 the largest value of a request can be masked and hashed', () => {
    const large = 'x'.repeat(2 * 1024 * 1024 - 40)
    expect(evaluateSource('{{ data }}', large)).toBe(large)
    expect(evaluateSource('{{ data | stringify }}', { large })).toBe(JSON.stringify({ large }))
    expect(evaluateSource('{{ data | reveal_last: 4 }}', large)).toBe(`${'X'.repeat(large.length - 4)}xxxx`)
    expect(evaluateSource("{{ data | hmac: 'key' | to_base16 | size }}", large)).toBe(64)
    expect(evaluateSource("{{ data | json: '$[0]' }}", [large])).toBe(large)
  })

  it.each([
    [`$${'.a'.repeat(251)}`, 'at most 500 characters'],
    [`$[?${'('.repeat(248)}@.a`, 'JSONPath'],
  ])('X-21 the JSONPath %s is rejected', (path, message) => {
    expect(() => compileExpression(new WorkBudget(), `{{ data | json: "${path}" }}`)).toThrow(message)
  })

  it('X-21 a JSONPath with “..” is stopped at the limit', () => {
    expect(evaluateSource("{{ data | json: '$..b' }}", [[{ b: 1 }], Array(1_000).fill(0)])).toBe(1)
    expect(() => evaluateSource("{{ data | json: '$..b' }}", Array(100_000).fill(0))).toThrow(TOO_MUCH)
    expect(evaluateSource("{{ data | json: '$[99999]' }}", Array(100_000).fill(0))).toBe(0)
  })

  it('X-21 deep nesting is rejected, in data and in source', () => {
    let deep: Json = 1
    for (let depth = 0; depth < 200_000; depth++) deep = [deep]
    for (const filter of [
      'join',
      'stringify',
      'size',
      'first',
      'sort',
      'uniq',
      'upcase',
      "json: '$..a'",
      'to_base16',
    ]) {
      getOutcome(() => evaluateSource(`{{ data | ${filter} }}`, deep))
    }
    expect(() => evaluateSource('{{ data | stringify }}', deep)).toThrow('cannot be evaluated')
    for (const open of ['[', '(', "'", '{{', '[data', '{%', '"\\']) {
      expect(() => evaluateSource(`{{ data${open.repeat(1_900 / open.length)} }}`)).toThrow()
    }
  })

  it('X-22 an id expression may return plaintext, which the id rule then checks', () => {
    expect(evaluateSource('{{ data.number }}', { number: '4242424242424242' })).toBe('4242424242424242')
    expect(evaluateSource('card-{{ data.number | last4 }}', { number: '4242424242424242' })).toBe('card-4242')
  })
})
