import { countCodePoints, splitCodePoints } from '../../../../shared/characters.ts'
import { isObject, toComputable } from '../../../../shared/json.ts'
import { createBoundsError, MAX_STEP } from '../bounds.ts'
import { formatValue, toJson, type Value } from '../value.ts'
import type { StandardFilter } from './standard-filter.ts'

const BLANK = '\0\t\n\v\f\r '
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function defineTextFilter(run: (text: string) => Value): StandardFilter {
  return { minArgs: 0, maxArgs: 0, run: (value) => run(formatValue(value)) }
}

/** Like `defineTextFilter`, but null stays null. */
function defineNullableTextFilter(run: (text: string) => Value): StandardFilter {
  return { minArgs: 0, maxArgs: 0, run: (value) => (value === null ? null : run(formatValue(value))) }
}

function defineTwoTextFilter(run: (text: string, other: string) => Value): StandardFilter {
  return { minArgs: 1, maxArgs: 1, run: (value, other = null) => run(formatValue(value), formatValue(other)) }
}

function defineReplaceFilter(
  minArgs: 1 | 2,
  maxArgs: 1 | 2,
  replace: (text: string, pattern: string, by: string) => string,
): StandardFilter {
  const runReplace: StandardFilter['run'] = (value, pattern = null, by = '') =>
    replace(formatValue(value), formatValue(pattern), formatValue(by))
  return { minArgs, maxArgs, run: runReplace }
}

function replaceAll(text: string, pattern: string, by: string): string {
  const parts = pattern === '' ? ['', ...text, ''] : text.split(pattern)
  if (text.length + parts.length * by.length > MAX_STEP + by.length) throw createBoundsError()
  return parts.join(by)
}

function replaceFirst(text: string, pattern: string, by: string): string {
  const at = text.indexOf(pattern)
  return at < 0 ? text : text.slice(0, at) + by + text.slice(at + pattern.length)
}

function replaceLast(text: string, pattern: string, by: string): string {
  const at = text.lastIndexOf(pattern)
  return at < 0 ? text : text.slice(0, at) + by + text.slice(at + pattern.length)
}

// Uses a loop, because a regular expression would scan a long run of whitespace repeatedly.
function trimStart(text: string): string {
  let at = 0
  while (at < text.length && BLANK.includes(text.charAt(at))) at++
  return text.slice(at)
}

function trimEnd(text: string): string {
  let at = text.length
  while (at > 0 && BLANK.includes(text.charAt(at - 1))) at--
  return text.slice(0, at)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Removes everything from each opening string to its closing string. Scans the text once per pair. */
function stripBlocks(text: string, pairs: readonly (readonly [string, string])[]): string {
  const open = new Map(pairs)
  let result = ''
  let at = 0
  for (let next = text.indexOf('<'); next >= 0; next = text.indexOf('<', next)) {
    const end = findBlockEnd(text, next, open)
    if (end < 0) next++
    else {
      result += text.slice(at, next)
      at = next = end
    }
  }
  return result + text.slice(at)
}

function findBlockEnd(text: string, at: number, open: Map<string, string>): number {
  for (const [opener, closer] of open) {
    if (!text.startsWith(opener, at)) continue
    const end = text.indexOf(closer, at + opener.length)
    if (end >= 0) return end + closer.length
    open.delete(opener)
  }
  return -1
}

/** Splits a string into words; the last one is empty if the string ends with whitespace. */
function splitWords(text: string): string[] {
  return trimStart(text).split(/[\0\t\n\v\f\r ]+/)
}

function splitText(text: string, separator: string): string[] {
  const parts = separator === ' ' ? splitWords(text) : separator === '' ? [...text] : text.split(separator)
  while (parts.at(-1) === '') parts.pop()
  return parts
}

function parseInteger(value: Value): number {
  const text = formatValue(toComputable(value))
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new TypeError('not a whole number')
  return Number(text)
}

/**
 * Returns the start and end of a range of `count` characters, cut off at `length`. A negative `start` counts from the
 * end. Returns null if the start is outside the string or `count` is negative.
 */
function resolveRange(length: number, start: number, count: number): [number, number] | null {
  const from = start < 0 ? length + start : start
  return from < 0 || from > length || count < 0 ? null : [from, Math.min(length, from + count)]
}

function sliceValue(value: Value, start: Value = null, count: Value = null): Value {
  const [from, many] = [parseInteger(start), count === null ? 1 : parseInteger(count)]
  if (Array.isArray(value)) {
    const range = resolveRange(value.length, from, many)
    return range ? value.slice(...range) : []
  }
  const text = formatValue(value)
  const range = resolveRange(countCodePoints(text), from, many)
  return range ? splitCodePoints(splitCodePoints(text, range[1])[0], range[0])[1] : ''
}

function truncateText(text: string, length: number, end: string): string {
  if (countCodePoints(text) <= length) return text
  return splitCodePoints(text, Math.max(0, length - countCodePoints(end)))[0] + end
}

function truncateWords(text: string, count: number, end: string): string {
  const words = splitWords(text)
  const max = Math.max(1, count)
  return words.length <= max ? text : words.slice(0, max).join(' ') + end
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUrl(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[\da-fA-F]{2})+/g, (bytes) => utf8.decode(Buffer.from(bytes.replaceAll('%', ''), 'hex')))
}

function encodeUrl(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Decodes base64 to text. Throws if the text is not base64 in this alphabet, or does not decode to valid UTF-8. */
function decodeBase64(text: string, alphabet: 'base64' | 'base64url'): string {
  const bytes = Buffer.from(text, alphabet)
  const again = bytes.toString(alphabet)
  if (again.replaceAll('=', '') !== text.replace(/={1,2}$/, '')) throw new TypeError('not base64')
  if (alphabet === 'base64' && text.length % 4 !== 0) throw new TypeError('not base64')
  return utf8.decode(bytes)
}

function capitalizeText(text: string): string {
  const [first, rest] = splitCodePoints(text, 1)
  return first.toUpperCase() + rest.toLowerCase()
}

function countElements(value: Value): number {
  const plain = toJson(value)
  if (typeof plain === 'string') return countCodePoints(plain)
  if (Array.isArray(plain)) return plain.length
  return isObject(plain) ? Object.keys(plain).length : 0
}

const blocks = [
  ['<script', '</script>'],
  ['<!--', '-->'],
  ['<style', '</style>'],
] as const

/** The standard filters for text (rule E-02). Lengths and positions are counted in code points. */
export const textFilters: Readonly<Record<string, StandardFilter>> = {
  append: defineTwoTextFilter((text, end) => text + end),
  base64_decode: defineTextFilter((text) => decodeBase64(text, 'base64')),
  base64_encode: defineTextFilter((text) => Buffer.from(text).toString('base64')),
  base64_url_safe_decode: defineTextFilter((text) => decodeBase64(text, 'base64url')),
  base64_url_safe_encode: defineTextFilter((text) =>
    Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  ),
  capitalize: defineTextFilter(capitalizeText),
  downcase: defineTextFilter((text) => text.toLowerCase()),
  escape: defineNullableTextFilter(escapeHtml),
  escape_once: defineTextFilter((text) =>
    text.replace(/["><']|&(?!(?:[a-zA-Z]+|#\d+);)/g, (character) => entities[character] ?? character),
  ),
  h: defineNullableTextFilter(escapeHtml),
  lstrip: defineTextFilter(trimStart),
  newline_to_br: defineTextFilter((text) => text.replace(/\r?\n/g, '<br />\n')),
  prepend: defineTwoTextFilter((text, start) => start + text),
  remove: defineReplaceFilter(1, 1, replaceAll),
  remove_first: defineReplaceFilter(1, 1, replaceFirst),
  remove_last: defineReplaceFilter(1, 1, replaceLast),
  replace: defineReplaceFilter(1, 2, replaceAll),
  replace_first: defineReplaceFilter(1, 2, replaceFirst),
  replace_last: defineReplaceFilter(2, 2, replaceLast),
  rstrip: defineTextFilter(trimEnd),
  size: { minArgs: 0, maxArgs: 0, run: countElements },
  slice: { minArgs: 1, maxArgs: 2, run: sliceValue },
  split: defineTwoTextFilter(splitText),
  squish: defineNullableTextFilter((text) => trimEnd(trimStart(text)).replace(/\s+/g, ' ')),
  strip: defineTextFilter((text) => trimEnd(trimStart(text))),
  strip_html: defineTextFilter((text) => stripBlocks(stripBlocks(text, blocks), [['<', '>']])),
  strip_newlines: defineTextFilter((text) => text.replace(/\r?\n/g, '')),
  truncate: {
    minArgs: 0,
    maxArgs: 2,
    run: (value, length = 50, end = '...') =>
      value === null ? null : truncateText(formatValue(value), parseInteger(length), formatValue(end)),
  },
  truncatewords: {
    minArgs: 0,
    maxArgs: 2,
    run: (value, count = 15, end = '...') =>
      value === null ? null : truncateWords(formatValue(value), parseInteger(count), formatValue(end)),
  },
  upcase: defineTextFilter((text) => text.toUpperCase()),
  url_decode: defineNullableTextFilter(decodeUrl),
  url_encode: defineNullableTextFilter(encodeUrl),
}
