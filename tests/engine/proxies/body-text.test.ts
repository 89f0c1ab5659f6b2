import { expect, test } from 'vitest'
import {
  type BodyFormat,
  decodeBody,
  getBodyFormat,
  hasExpression,
  replaceExpressions,
} from '../../../electron/engine/resources/proxies/body-text.ts'
import { type Json, toJsonNumber } from '../../../shared/json.ts'

const values: Record<string, Json> = {
  card: { number: '4242', month: 12 },
  text: 'a "quoted"\nline',
  month: 12,
  yes: true,
  none: null,
  cents: toJsonNumber('12.50'),
  zero: toJsonNumber('-0'),
  list: [toJsonNumber('1e2')],
}

function replaceAll(text: string, form: BodyFormat): string {
  return replaceExpressions(text, form, 'body', ({ head }) => {
    if (head.kind !== 'data') throw new Error(head.kind)
    return values[head.id] ?? null
  })
}

test.each<[string, BodyFormat, string, string]>([
  ['an object is embedded as an object', 'json', '{"a":"{{ card }}"}', '{"a":{"number":"4242","month":12}}'],
  ['text is escaped', 'json', '{"a":"{{ text }}"}', '{"a":"a \\"quoted\\"\\nline"}'],
  ['a number in quotation marks stays a text', 'json', '{"a":"{{ month }}"}', '{"a":"12"}'],
  ['a number without them is a number', 'json', '{"a":{{ month }}}', '{"a":12}'],
  ['so does a number stored as written', 'json', '["{{ cents }}","{{ zero }}"]', '["12.50","-0"]'],
  ['without them it is a number', 'json', '{"a":{{ cents }}}', '{"a":12.50}'],
  ['a list is embedded with its numbers as written', 'json', '{"a":"{{ list }}"}', '{"a":[1e2]}'],
  ['true in quotation marks stays a text', 'json', '{"a":"{{ yes }}"}', '{"a":"true"}'],
  ['a converted number is a number', 'json', '{"a":"{{ month | to_number }}"}', '{"a":12}'],
  ['so is one stored as written', 'json', '{"a":"{{ cents | to_number }}"}', '{"a":12.50}'],
  ['a converted boolean is a boolean', 'json', '{"a":"{{ yes | to_boolean }}"}', '{"a":true}'],
  ['a converted number in a longer string', 'json', '{"a":"{{ month | to_number }}/1"}', '{"a":"12/1"}'],
  ['a filter named in a quoted text', 'json', `{"a":"{{ month | append: '| to_number' }}"}`, '{"a":"12"}'],
  ['a missing value is null', 'json', '{"a":"{{ none }}"}', '{"a":null}'],
  [
    'an expression inside a longer string',
    'json',
    '{"a":"x {{ text }} y"}',
    '{"a":"x a \\"quoted\\"\\nline y"}',
  ],
  ['two expressions in one string', 'json', '{"a":"{{ month }}/{{ month }}"}', '{"a":"12/12"}'],
  [
    'escapes around it are preserved',
    'json',
    '{"a\\n":"\\u00e9 {{ month }}","b":"\\u00e9"}',
    '{"a\\n":"é 12","b":"\\u00e9"}',
  ],
  ['escaped quotation marks inside it', 'json', '{"a":"{{ month | append: \\"x\\" }}"}', '{"a":"12"}'],
  ['bare quotation marks inside it', 'json', '{"a":"{{ month | append: "x" }}"}', '{"a":"12"}'],
  ['braces in quoted texts inside it', 'json', `{"a":"{{ month | append: '}}' }}"}`, '{"a":"12"}'],
  ['braces in escaped quoted texts', 'json', '{"a":"{{ month | append: \\"}}\\" }} x"}', '{"a":"12 x"}'],
  ['braces in quoted texts outside a string', 'json', '{"a":{{ month | append: "}}" }}}', '{"a":12}'],
  [
    'a quotation mark in a text that is escaped',
    'json',
    `{"a":"{{ month | append: \\"it's\\" }}","b":"it's"}`,
    '{"a":"12","b":"it\'s"}',
  ],
  ['an expression as the whole body', 'json', '{{ card }}', '{"number":"4242","month":12}'],
  ['strings that look open', 'json', '{"a":"\\\\","b":"{{ month }}"}', '{"a":"\\\\","b":"12"}'],
  ['a form', 'form', 'a={{ text }}&b=1', 'a=a%20%22quoted%22%0Aline&b=1'],
  ['pairs between expressions', 'form', 'a=1&b={{ month }}&c={&d&e=%7b{month}}', 'a=1&b=12&c={&d&e=12'],
  ['an encoded form', 'form', 'card%5Bnumber%5D=%7B%7B%20month+%7D%7D&b=%7B', 'card%5Bnumber%5D=12&b=%7B'],
  ['plain text', 'text', 'a {{ text }} {{ month }}', 'a a "quoted"\nline 12'],
  ['XML', 'text', '<a>{{ month }}</a>', '<a>12</a>'],
])('G-05 %s', (_, form, text, expected) => {
  expect(replaceAll(text, form)).toBe(expected)
})

test('G-05 an unclosed or empty expression is rejected, and its path is named', () => {
  expect(() => replaceAll('a {{ month', 'text')).toThrow('body has an unclosed expression')
  expect(() => replaceAll('{"a":"{{ | upcase }}"}', 'json')).toThrow(
    'body has an expression that does not name a value',
  )
})

test('G-05 the content type decides how a value is written', () => {
  expect(getBodyFormat('application/json; charset=utf-8')).toBe('json')
  expect(getBodyFormat('application/vnd.api+json')).toBe('json')
  expect(getBodyFormat('application/x-www-form-urlencoded')).toBe('form')
  expect(getBodyFormat('text/xml')).toBe('text')
  expect(getBodyFormat(undefined)).toBe('text')
})

test('R-03 expressions of a form count, percent-encoded or not', () => {
  for (const each of ['{{ month }}', '%7B%7Bmonth%7D%7D', '%7b{month}}']) {
    expect(replaceAll(`a=${each}`.repeat(100), 'form')).toBe('a=12'.repeat(100))
    expect(() => replaceAll(`a=${each}&`.repeat(101), 'form')).toThrow('more than 100 expressions')
  }
})

test('G-05 a percent-encoded expression is recognized only in a form', () => {
  expect(hasExpression('a=%7B%7B%20x', 'form')).toBe(true)
  expect(hasExpression('a=%7B%7B%20x', 'text')).toBe(false)
  expect(hasExpression('{"a":1}', 'json')).toBe(false)
})

test('G-05 bytes that are not UTF-8 are preserved', () => {
  const bytes = Buffer.from([0xff, 0x00, 0x7b, 0x7b, 0x6d, 0x7d, 0x7d, 0xfe])
  const { text, encodeText: bytesOf, encodeValue: inserted } = decodeBody(bytes)
  expect(bytesOf(text.replace('{{m}}', inserted('é')))).toEqual(Buffer.from([0xff, 0x00, 0xc3, 0xa9, 0xfe]))
})
