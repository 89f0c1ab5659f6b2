import { describe, expect, it } from 'vitest'
import { compileExpression, evaluateTemplate } from '../../electron/engine/expressions/template.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import type { Json } from '../../shared/json.ts'
import { evaluateFilters } from './evaluate-filters.ts'

const products = [
  { name: 'b', price: 2, sale: true },
  { name: 'C', price: 10, sale: false },
  { name: 'a', price: 1.5 },
]

/** The results that the documentation and tests of standard Liquid state for each filter. */
const numbers: [string, Json, Json][] = [
  ['divided_by: 4', 16, 4],
  ['divided_by: 3', 5, 1],
  ['divided_by: 4', 10, 2],
  ['divided_by: 7', 20, 2],
  ['divided_by: 7.0', 20, 2.857142857142857],
  ['divided_by: 4', 2.5, 0.625],
  ['divided_by: 4', '2.0', 0.5],
  ['divided_by: 3', -10, -4],
  ['divided_by: -3', 10, -4],
  ['times: 1.0 | divided_by: 4', 10, 2.5],
  ['divided_by: 5.0 | divided_by: 4', 10, 0.5],
  ['times: 12', 183.357, 2200.284],
  ['times: 100', 0.0725, 7.25],
  ['times: -100', '-0.0725', 7.25],
  ['times: 4', 'foo', 0],
  ['times: 3', null, 0],
  ['plus: 12', 183.357, 195.357],
  ["plus: '1.0'", '1', 2],
  ['plus: 0.2', 0.1, 0.3],
  ['plus: 1', '12 apples', 13],
  ['plus: 1', '1_000', 1001],
  ['minus: 12', 183.357, 171.357],
  ['minus: 2', '4.3', 2.3],
  ['modulo: 7', 24, 3],
  ['modulo: 12', 183.357, 3.357],
  ['modulo: 3', -10, 2],
  ['modulo: -3', 10, -2],
  ['abs', -17, 17],
  ['abs', '-17.42', 17.42],
  ['at_least: 5', 4.5, 5],
  ['at_least: 3', 4, 4],
  ['at_most: 5', 4.5, 4.5],
  ['at_most: 3', 4, 3],
  ['ceil', 1.2, 2],
  ['ceil', '-3.5', -3],
  ['floor', 1.8, 1],
  ['floor', -3.5, -4],
  ['round', 2.7, 3],
  ['round', -2.5, -3],
  ['round', 2.5, 3],
  ['round: 2', 183.357, 183.36],
  ['round: 2', 1.005, 1.01],
  ['round: -2', 1250, 1300],
  ['round', 1e21, 1e21],
  ['sum', [1, [2, '3'], null, 'x'], 6],
  ['sum', [0.1, 0.2], 0.3],
  ["sum: 'price'", products, 13.5],
  ['sum', [], 0],
]

const texts: [string, Json, Json][] = [
  ["append: 'd'", 'bc', 'bcd'],
  ['append: 4.0', 'x', 'x4.0'],
  ["append: '!'", { a: 1 }, '{"a":1}!'],
  ['capitalize', 'my GREAT title', 'My great title'],
  ['downcase', null, ''],
  ['escape', `<a href="x">'&'</a>`, '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;'],
  ['escape', 1, '1'],
  ['escape', null, null],
  ['h', '"', '&quot;'],
  [
    'escape_once',
    '1 &lt; 2 &amp; 3 & "4" &copy; &#39; &#x27;',
    '1 &lt; 2 &amp; 3 &amp; &quot;4&quot; &copy; &#39; &amp;#x27;',
  ],
  ['url_encode', "john@liquid.com (a)*!'~_-. é", 'john%40liquid.com+%28a%29%2A%21%27~_-.+%C3%A9'],
  ['url_encode', null, null],
  ['url_decode', '%27Stop%21%27+said+Fred', "'Stop!' said Fred"],
  ['url_decode', 'foo%2B1%40example.com', 'foo+1@example.com'],
  ['url_decode', '100% of %zz', '100% of %zz'],
  ['base64_encode', 'one two three', 'b25lIHR3byB0aHJlZQ=='],
  ['base64_decode', 'b25lIHR3byB0aHJlZQ==', 'one two three'],
  ['base64_url_safe_encode', '??>', 'Pz8-'],
  ['base64_url_safe_decode', 'Pz8-', '??>'],
  ['lstrip', ' \tab c  ', 'ab c  '],
  ['rstrip', ' ab c \n \t', ' ab c'],
  ['strip', ' \tab c  \n \t', 'ab c'],
  ['squish', ' foo   bar\n\t  boo ', 'foo bar boo'],
  ['squish', null, null],
  ['newline_to_br', 'a\r\nb\nc', 'a<br />\nb<br />\nc'],
  ['strip_newlines', 'a\r\nb\nc', 'abc'],
  ['strip_html', "<div id='test'>test</div>", 'test'],
  ['strip_html', "<script type='x'>document.write('<b>');</script>a<style>b</style>", 'a'],
  ['strip_html', '<!-- foo <b> \n test -->test', 'test'],
  ['strip_html', "<div\nclass='multiline'>test</div>", 'test'],
  ['strip_html', '<<<script </script>script>foo;</script>', 'foo;'],
  ['strip_html', '1 < 2', '1 < 2'],
  ["replace: 'my', 'your'", 'my my', 'your your'],
  ["replace: 'my'", 'my my', ' '],
  ["replace: '', 'x'", 'a😀', 'xax😀x'],
  ["replace: 'a', '$&$1'", 'a', '$&$1'],
  ["replace_first: '1', 2", '1 1 1', '2 1 1'],
  ["replace_first: 'a', '$&'", 'a', '$&'],
  ["replace_first: '', 'x'", 'ab', 'xab'],
  ["replace_last: '1', 2", '1 1 1', '1 1 2'],
  ["replace_last: '', 'x'", 'ab', 'abx'],
  ["remove: 'rain'", 'the rain in the train', 'the  in the t'],
  ["remove_first: 'rain'", 'rain and rain', ' and rain'],
  ["remove_last: 'rain'", 'rain and rain', 'rain and '],
  ['slice: 0', 'Liquid', 'L'],
  ['slice: 2, 5', 'Liquid', 'quid'],
  ['slice: -3, 2', 'Liquid', 'ui'],
  ['slice: 1, 0', 'foobar', ''],
  ['slice: 100, 10', 'foobar', ''],
  ['slice: -100, 10', 'foobar', ''],
  ['slice: 0, -1', 'foobar', ''],
  ["slice: '1', '3'", 'foobar', 'oob'],
  ['slice: 1, 1', 'a😀b', '😀'],
  ['slice: 1, 2', ['a', 'b', 'c'], ['b', 'c']],
  ['slice: 9, 2', ['a'], []],
  ['slice: 0', null, ''],
  ["split: '~'", '12~34', ['12', '34']],
  ["split: ' '", '  a  b ', ['a', 'b']],
  ["split: ''", 'a😀', ['a', '😀']],
  ["split: ','", 'a,,b,,', ['a', '', 'b']],
  ["split: ' '", null, []],
  ['split: 1', 'A1Z', ['A', 'Z']],
  ['truncate: 7', '1234567890', '1234...'],
  ['truncate: 0', '1234567890', '...'],
  ['truncate: 1', 'secret', '...'],
  ['truncate: 10', '1234567890', '1234567890'],
  ['truncate: 5', '😀😀😀😀😀', '😀😀😀😀😀'],
  ['truncate: 4', '😀😀😀😀😀', '😀...'],
  ["truncate: 5, ''", '1234567890', '12345'],
  ['truncate: 5, 1', '1234567890', '12341'],
  ['truncate', null, null],
  ['truncatewords: 4', 'one two three', 'one two three'],
  ['truncatewords: 3', 'one two three', 'one two three'],
  ['truncatewords: 2', 'one two three', 'one two...'],
  ['truncatewords: 0', 'one two three', 'one...'],
  ["truncatewords: 2, ''", ' one  two\nthree', 'one two'],
  ['upcase', 'ß', 'SS'],
  ['size', 'a😀', 2],
  ['size', [1, 2, 3], 3],
  ['size', null, 0],
]

const lists: [string, Json, Json][] = [
  ['compact', [1, null, 2, [null]], [1, 2]],
  ["compact: 'sale' | map: 'name'", products, ['b', 'C']],
  ['concat: data', [1, [2]], [1, 2, 1, [2]]],
  ['first', [], null],
  ['first', 'abc', null],
  ['last', [1, 2, 3], 3],
  ['join', [1, 2, 3, 4], '1 2 3 4'],
  ['join: 1', [1, 2, 3, 4], '1121314'],
  ["join: ', '", ['a', null, ['b', ['c']]], 'a, , b, c'],
  ['join', { a: 1 }, '{"a":1}'],
  ["map: 'name'", products, ['b', 'C', 'a']],
  ["map: 'name'", { name: 'x' }, ['x']],
  ["map: 'a.b'", [{ a: { b: 1 } }, { 'a.b': 2 }], [1, 2]],
  ['reverse', [4, [3, 2]], [2, 3, 4]],
  ['reverse', 'abc', ['abc']],
  ['sort', [null, 4, 3, 10, 1], [1, 3, 4, 10, null]],
  ['sort', ['10', '2', 'b', 'C'], ['10', '2', 'C', 'b']],
  ["sort: 'price' | map: 'name'", products, ['a', 'b', 'C']],
  ["sort: 'sale' | map: 'name'", [{ name: 'x' }, { name: 'y', sale: 1 }], ['y', 'x']],
  ['sort_natural', ['c', 'D', null, 'a', 'B'], ['a', 'B', 'c', 'D', null]],
  ["sort_natural: 'name' | map: 'name'", products, ['a', 'b', 'C']],
  ['uniq', [1, 1, 3, '1', { a: 1, b: 2 }, { b: 2, a: 1 }], [1, 3, '1', { a: 1, b: 2 }]],
  ["uniq: 'a'", [{ a: 1 }, { a: 3 }, { a: 1, b: 1 }], [{ a: 1 }, { a: 3 }]],
  ["where: 'sale' | map: 'name'", products, ['b']],
  ["where: 'sale', false | map: 'name'", products, ['C']],
  ["where: 'price', 10 | map: 'name'", products, ['C']],
  ["where: 'a', 'ok'", { a: 'ok' }, [{ a: 'ok' }]],
  ["reject: 'sale' | map: 'name'", products, ['C', 'a']],
  ["reject: 'price', 10 | map: 'name'", products, ['b', 'a']],
  ["find: 'price', 10 | map: 'name'", products, ['C']],
  ["find: 'price', 11", products, null],
  ["find_index: 'price', 10", products, 1],
  ["find_index: 'price', 11", products, null],
  ["has: 'price', 10", products, true],
  ["has: 'price'", [], false],
  ["default: 'bar'", 'foo', 'foo'],
  ["default: 'bar'", null, 'bar'],
  ["default: 'bar'", '', 'bar'],
  ["default: 'bar'", false, 'bar'],
  ["default: 'bar', allow_false: true", false, false],
  ["default: 'bar', allow_false: true", null, 'bar'],
  ["default: 'bar'", [], 'bar'],
  ["default: 'bar'", {}, 'bar'],
  ["default: 'bar'", 0, 0],
  ['default: data.x', null, null],
]

describe('standard Liquid', () => {
  it.each([...numbers, ...texts, ...lists])('E-02 %s of %j is %j', (filters, data, expected) => {
    expect(evaluateFilters(filters, data)).toStrictEqual(expected)
  })

  it('E-02 a decimal inserted into text keeps its decimal point', () => {
    expect(
      evaluateTemplate(
        new WorkBudget(),
        compileExpression(new WorkBudget(), '{{ data | divided_by: 4.0 }} each'),
        { data: 20 },
      ),
    ).toBe('5.0 each')
    expect(
      evaluateTemplate(
        new WorkBudget(),
        compileExpression(new WorkBudget(), '{{ data | divided_by: 4 }} each'),
        { data: 20 },
      ),
    ).toBe('5 each')
  })

  it.each<[string, Json]>([
    ['divided_by: 0', 1],
    ['divided_by: 0.0', 1],
    ['modulo: 0', 1],
    ['slice: nil', 'foobar'],
    ["slice: 0, ''", 'foobar'],
    ['slice: 1.5', 'foobar'],
    ["truncate: 'many'", 'foobar'],
    ['url_decode', '%ff'],
    ['base64_decode', 'b25lIHR3byB0aHJlZQ='],
    ['base64_decode', '/w=='],
    ['base64_url_safe_decode', '_w'],
    ['concat: 10', [1]],
    ['sort', [1, 'a']],
    ['sort', [true, false]],
  ])('E-02 %s rejects %j', (filter, data) => {
    expect(() => evaluateFilters(filter, data)).toThrow(`filter ${filter.replace(/:.*/, '')}`)
  })

  it('E-02 an integer that would lose digits is rejected', () => {
    expect(evaluateFilters('plus: 0', '9007199254740992')).toBe(9007199254740992)
    for (const digits of ['9007199254740993', '4242424242424242424']) {
      expect(() => evaluateFilters('plus: 0', digits)).toThrow('value that the filter plus does not accept')
    }
  })

  it.each(['append', 'plus', 'map', 'replace_last: "a"', 'split'])(
    'E-02 %s is rejected without its required arguments',
    (filter) => {
      expect(() => compileExpression(new WorkBudget(), `{{ data | ${filter} }}`, 'mask')).toThrow(
        'or more arguments',
      )
    },
  )

  it.each(['upcase: 1', 'plus: 1, 2', 'divided_by: 4, true', 'split: 1, 2'])(
    'E-02 %s is rejected for too many arguments',
    (filter) => {
      expect(() => compileExpression(new WorkBudget(), `{{ data | ${filter} }}`, 'mask')).toThrow(
        'too many arguments',
      )
    },
  )
})
