import type { Permission } from '../../../shared/permissions.ts'
import {
  type Expected,
  expectOther,
  expectPattern,
  type PlainJson,
  type Statement,
  type ValueMatcher,
} from '../statement.ts'
import {
  createApplication,
  createRule,
  createToken,
  decideRule,
  refuseToken,
  sendPost,
  stateRule,
} from './steps.ts'

const make: readonly Permission[] = ['token:create', 'token:delete']
const page = 'Expressions'

/** What filters make of data: each expression is a mask, and its result is shown in place of the data. */
const evaluateMask = (
  says: string,
  data: PlainJson,
  results: Readonly<Record<string, Expected>>,
  statement = stateRule,
  number = 'E-02',
) => {
  const entries = Object.entries(results)
  return statement(number, page, make, {
    [says]: createToken(
      {
        type: 'token',
        data,
        mask: Object.fromEntries(entries.map(([expression], at) => [`e${at}`, `{{ ${expression} }}`])),
      },
      { data: Object.fromEntries(entries.map(([, result], at) => [`e${at}`, result])) },
    ),
  })
}

/** Expressions that are refused where they are given. */
const refuseMasks = (says: string, number: string, data: PlainJson, ...masks: string[]) =>
  decideRule(number, page, make, {
    [says]: [...masks.map((mask) => refuseToken({ type: 'token', data, mask }, 'mask'))],
  })

/** Text of the form of an alias, other than its value. */
const expectAlias = (pattern: RegExp): ValueMatcher => expectPattern(pattern)

export const expressions: readonly Statement[] = [
  evaluateMask(
    'reveal_last masks all but the last characters, and keeps dashes',
    '123-45-6789',
    {
      'data | reveal_last: 4': 'XXX-XX-6789',
      "data | reveal_last: 4, '#'": '###-##-6789',
      'data | reveal_last: 0': 'XXX-XX-XXXX',
    },
    stateRule,
    'E-03',
  ),
  evaluateMask(
    'reveal_last shows a value whole that is no longer than it reveals',
    'abc',
    { 'data | reveal_last: 3': 'abc', 'data | reveal_last: 4': 'abc' },
    decideRule,
    'E-03',
  ),
  evaluateMask(
    'reveal_last masks spaces',
    '12 34 5678',
    { 'data | reveal_last: 4': 'XXXXXX5678' },
    decideRule,
    'E-03',
  ),
  evaluateMask(
    'reveal masks the middle of a value',
    '3622-7206-2716-5567',
    {
      "data | reveal: 7, 4, '#', '-'": '3622-72##-####-5567',
      'data | reveal: 4': `3622${'X'.repeat(15)}`,
      'data | reveal': 'X'.repeat(19),
    },
    stateRule,
    'E-04',
  ),
  evaluateMask(
    'reveal masks everything if it were to show everything',
    '12345',
    { 'data | reveal: 3, 2': 'XXXXX' },
    decideRule,
    'E-04',
  ),
  evaluateMask('last4 gives the last four characters', '4242424242424242', { 'data | last4': '4242' }),
  evaluateMask(
    'card_mask masks a card number, and shows BIN and last digits if asked',
    '4242424242424242',
    {
      'data | card_mask': 'X'.repeat(16),
      "data | card_mask: 'true'": `42424242${'X'.repeat(8)}`,
      "data | card_mask: 'false', 'true'": `${'X'.repeat(12)}4242`,
      "data | card_mask: 'true', 'true'": '42424242XXXX4242',
      "data | card_mask: 'true', 'true', '#'": '42424242####4242',
    },
    stateRule,
    'E-05',
  ),
  evaluateMask(
    'card_bin gives 8 digits of a number with 16, and 6 of a shorter one',
    { long: '4242424242424242', short: '378282246310005' },
    { 'data.long | card_bin': '42424242', 'data.short | card_bin': '378282' },
    stateRule,
    'E-05',
  ),
  evaluateMask(
    'card_exp writes the expiry of a card in each format',
    { expiration_month: 1, expiration_year: 2035 },
    {
      "data | card_exp: 'MM'": '01',
      "data | card_exp: 'MMYY'": '0135',
      "data | card_exp: 'YYYY'": '2035',
      "data | card_exp: 'YYYY-MM'": '2035-01',
      "data | card_exp: 'MM/YY'": '01/35',
      "data | card_exp: 'MM/YYYY'": '01/2035',
      "data | card_exp: 'MM_YYYY'": '01_2035',
      "data | card_exp: 'MM-YYYY'": '01-2035',
      "data | card_exp: 'YYYY/MM'": '2035/01',
    },
    stateRule,
    'E-05',
  ),
  evaluateMask(
    'alias_card gives random digits in the same form',
    '4242-4242-4242-4242',
    {
      'data | alias_card': expectAlias(/^(\d{4}-){3}\d{4}$/),
      "data | alias_card: 'true', 'true'": expectAlias(/^4242-4242-\d{4}-4242$/),
    },
    stateRule,
    'E-06',
  ),
  evaluateMask(
    'alias_preserve_format replaces letters by letters, and digits by digits',
    'ab-12',
    {
      'data | alias_preserve_format': expectAlias(/^[a-zA-Z]{2}-\d{2}$/),
      'data | alias_preserve_format: 1, 1': expectAlias(/^a[a-zA-Z]-\d2$/),
    },
    stateRule,
    'E-06',
  ),
  evaluateMask(
    'alias_preserve_length replaces every character',
    'ab-12',
    {
      'data | alias_preserve_length': expectAlias(/^[a-zA-Z0-9]{5}$/),
      'data | alias_preserve_length: 1, 1': expectAlias(/^a[a-zA-Z0-9]{3}2$/),
    },
    stateRule,
    'E-06',
  ),
  evaluateMask(
    'An alias is not the value itself',
    '1234567890123456',
    {
      'data | alias_preserve_format': expectOther('1234567890123456'),
      'data | alias_preserve_length': expectOther('1234567890123456'),
    },
    stateRule,
    'E-06',
  ),
  evaluateMask(
    'json selects one value by its path',
    { a: [{ b: 'c' }, { b: 5 }], 'x-y': true },
    { "data | json: '$.a[0].b'": 'c', "data | json: '$.a[1].b'": 5, "data | json: '$.a[1]'": { b: 5 } },
    stateRule,
    'E-07',
  ),
  evaluateMask(
    'json takes dashes in a name after a dot',
    { 'x-y': 'z' },
    { "data | json: '$.x-y'": 'z' },
    decideRule,
    'E-07',
  ),
  refuseMasks(
    'json with a path that finds nothing, or several values, is refused',
    'E-07',
    { a: [1, 2] },
    "{{ data | json: '$.b' }}",
    "{{ data | json: '$.a[*]' }}",
  ),
  evaluateMask(
    'stringify writes compact JSON, and leaves strings without quotes',
    { o: { a: [1, 'b'] }, s: 'x', n: null, b: true },
    { 'data.o | stringify': '{"a":[1,"b"]}', 'data.s | stringify': 'x', 'data.b | stringify': 'true' },
    stateRule,
    'E-07',
  ),
  evaluateMask(
    'json_stringify is another name of stringify',
    { o: { a: 1 } },
    { 'data.o | json_stringify': '{"a":1}' },
    decideRule,
    'E-07',
  ),
  evaluateMask('pad_left and pad_right fill a value up to a length', '7', {
    "data | pad_left: 3, '0'": '007',
    "data | pad_right: 3, '0'": '700',
  }),
  evaluateMask(
    'to_number, to_boolean and to_string give native types',
    { n: '12', b: 'true', t: 7 },
    { 'data.n | to_number': 12, 'data.b | to_boolean': true, 'data.t | to_string': '7' },
  ),
  evaluateMask('hmac and the encodings give what their standards say', 'what do ya want for nothing?', {
    "data | hmac: 'sha-256', 'Jefe' | to_base16 | downcase":
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    "data | hmac: 'sha-256', 'Jefe' | to_base64": 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=',
  }),
  evaluateMask('upcase, downcase and capitalize change letters', 'aBc', {
    'data | upcase': 'ABC',
    'data | downcase': 'abc',
    'data | capitalize': 'Abc',
  }),
  evaluateMask('append, prepend, remove and replace change text', 'a-b-c', {
    "data | append: '!'": 'a-b-c!',
    "data | prepend: '!'": '!a-b-c',
    "data | remove: '-'": 'abc',
    "data | remove_first: '-'": 'ab-c',
    "data | replace: '-', '+'": 'a+b+c',
    "data | replace_first: '-', '+'": 'a+b-c',
  }),
  evaluateMask('slice, truncate, truncatewords and strip shorten text', '  one two three  ', {
    'data | slice: 2, 3': 'one',
    'data | slice: -5, 3': expectPattern(/^ree$/),
    'data | strip': 'one two three',
    'data | lstrip': 'one two three  ',
    'data | rstrip': '  one two three',
    "data | strip | truncate: 6, '…'": 'one t…',
    "data | strip | truncatewords: 2, '…'": 'one two…',
  }),
  evaluateMask('split, join, first, last, size and reverse work on lists', 'a,b,c', {
    "data | split: ','": ['a', 'b', 'c'],
    "data | split: ',' | join: '-'": 'a-b-c',
    "data | split: ',' | first": 'a',
    "data | split: ',' | last": 'c',
    "data | split: ',' | size": 3,
    "data | split: ',' | reverse | join: ''": 'cba',
  }),
  evaluateMask(
    'sort, uniq, compact, map and where work on lists',
    {
      list: ['b', 'a', 'b'],
      items: [
        { k: 'x', v: 1 },
        { k: 'y', v: 2 },
      ],
    },
    {
      'data.list | sort': ['a', 'b', 'b'],
      'data.list | uniq': ['b', 'a'],
      "data.items | map: 'k'": ['x', 'y'],
      "data.items | where: 'k', 'y'": [{ k: 'y', v: 2 }],
    },
  ),
  evaluateMask('plus, minus, times, divided_by and modulo calculate as in Liquid', 10, {
    'data | plus: 4': 14,
    'data | minus: 4': 6,
    'data | times: 4': 40,
    'data | divided_by: 4': 2,
    'data | modulo: 4': 2,
  }),
  evaluateMask(
    'abs, ceil, floor, round, at_least and at_most calculate as in Liquid',
    { a: -3, b: 1.5 },
    {
      'data.a | abs': 3,
      'data.b | ceil': 2,
      'data.b | floor': 1,
      'data.b | round': 2,
      'data.a | at_least: 0': 0,
      'data.a | at_most: -5': -5,
    },
  ),
  evaluateMask(
    'default stands for a value that is missing',
    { a: 'x' },
    { "data.a | default: 'none'": 'x', "data.b | default: 'none'": 'none' },
  ),
  evaluateMask('escape, url_encode and url_decode encode text', 'a&b c', {
    'data | escape': 'a&amp;b c',
    'data | url_encode': 'a%26b+c',
    'data | url_encode | url_decode': 'a&b c',
  }),
  evaluateMask('base64 and its form for addresses are those of Liquid', 'a?b', {
    'data | base64_encode': 'YT9i',
    'data | base64_encode | base64_decode': 'a?b',
    'data | base64_url_safe_encode': 'YT9i',
  }),
  evaluateMask('date writes a date in a format', '2035-01-31T00:00:00Z', {
    "data | date: '%Y/%m'": '2035/01',
  }),
  evaluateMask('Filters are applied from left to right', 'abc', {
    'data | upcase | reveal_last: 1': 'XXC',
    'data | reveal_last: 1 | downcase': 'xxc',
  }),
  evaluateMask(
    'A path selects members and items',
    { a: { b: ['x', { c: 'y' }] } },
    { 'data.a.b[0]': 'x', 'data.a.b[1].c': 'y', "data['a'].b[0]": 'x', 'data.a.b': ['x', { c: 'y' }] },
    stateRule,
    'E-01',
  ),
  evaluateMask(
    'One expression keeps the type of its value, and a missing path is null',
    { n: 7, b: false, o: { a: 1 } },
    { 'data.n': 7, 'data.b': false, 'data.o': { a: 1 }, 'data.missing': null },
    stateRule,
    'E-08',
  ),
  stateRule('E-08', page, make, {
    'Text around an expression makes the result a string': createToken(
      { type: 'token', data: { n: 7, s: 'x' }, mask: 'n={{ data.n }}, s={{ data.s }}' },
      { data: 'n=7, s=x' },
    ),
  }),
  stateRule('T-07', page, make, {
    'The older spelling with a comma before a filter is taken': createToken(
      { type: 'token', data: { number: '12345678' }, mask: '{{ data.number, reveal_last: 4 }}' },
      { data: 'XXXX5678' },
    ),
  }),
  refuseMasks('Tags of Liquid are refused', 'E-01', 'x', '{% if data %}x{% endif %}', "{% include 'file' %}"),
  refuseMasks('An unknown filter is refused', 'E-02', 'x', '{{ data | nonsense }}'),
  refuseMasks(
    'A template of more than 2,000 characters is refused',
    'E-01',
    'x',
    `{{ data }}${'x'.repeat(1991)}`,
  ),
  evaluateMask(
    'A path reaches no member that data does not have itself',
    { a: 'x' },
    { 'data.constructor': null, 'data.__proto__': null, 'data.a.constructor': null },
    decideRule,
    'E-01',
  ),
  stateRule('E-02', page, 'management', {
    'Detokenizing applies filters to plaintext if the rule reveals it': [
      createApplication('worker', {
        rules: [createRule('reveal', '/${prefix}/', ['token:create', 'token:read', 'token:delete'])],
      }),
      createToken(
        { type: 'token', data: { name: 'ada', list: [1, 2] }, containers: ['/${prefix}/'] },
        {},
        { as: 'worker' },
      ),
      sendPost(
        '/detokenize',
        {
          name: "{{ ${id} | json: '$.name' | capitalize }}",
          list: "{{ ${id} | json: '$.list' }}",
          text: "name {{ ${id} | json: '$.name' }}!",
        },
        { name: 'Ada', list: [1, 2], text: 'name ada!' },
        { as: 'worker' },
      ),
    ],
  }),
].flat()
