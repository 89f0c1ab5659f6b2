import { cut, lengthOf } from '../../../../shared/characters.ts'
import { computable, isObject } from '../../../../shared/json.ts'
import { MAX_STEP, tooMuch } from '../bounds.ts'
import { jsonOf, textOf, type Value } from '../value.ts'
import type { Standard } from './standard-filter.ts'

const BLANK = '\0\t\n\v\f\r '
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function ofText(run: (text: string) => Value): Standard {
  return { least: 0, most: 0, run: (value) => run(textOf(value)) }
}

/** `ofText` for filters that leave null alone. */
function orNull(run: (text: string) => Value): Standard {
  return { least: 0, most: 0, run: (value) => (value === null ? null : run(textOf(value))) }
}

function withText(run: (text: string, other: string) => Value): Standard {
  return { least: 1, most: 1, run: (value, other = null) => run(textOf(value), textOf(other)) }
}

function replacing(
  least: 1 | 2,
  most: 1 | 2,
  replace: (text: string, pattern: string, by: string) => string,
): Standard {
  const run: Standard['run'] = (value, pattern = null, by = '') =>
    replace(textOf(value), textOf(pattern), textOf(by))
  return { least, most, run }
}

function replaceAll(text: string, pattern: string, by: string): string {
  const parts = pattern === '' ? ['', ...text, ''] : text.split(pattern)
  if (text.length + parts.length * by.length > MAX_STEP + by.length) throw tooMuch()
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

// Not by regular expression, which would scan a long run of blanks again and again.
function withoutStart(text: string): string {
  let at = 0
  while (at < text.length && BLANK.includes(text.charAt(at))) at++
  return text.slice(at)
}

function withoutEnd(text: string): string {
  let at = text.length
  while (at > 0 && BLANK.includes(text.charAt(at - 1))) at--
  return text.slice(0, at)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** A text without everything between each opener and its closer. Scans the text once per pair. */
function withoutBlocks(text: string, pairs: readonly (readonly [string, string])[]): string {
  const open = new Map(pairs)
  let kept = ''
  let at = 0
  for (let next = text.indexOf('<'); next >= 0; next = text.indexOf('<', next)) {
    const end = endOfBlock(text, next, open)
    if (end < 0) next++
    else {
      kept += text.slice(at, next)
      at = next = end
    }
  }
  return kept + text.slice(at)
}

function endOfBlock(text: string, at: number, open: Map<string, string>): number {
  for (const [opener, closer] of open) {
    if (!text.startsWith(opener, at)) continue
    const end = text.indexOf(closer, at + opener.length)
    if (end >= 0) return end + closer.length
    open.delete(opener)
  }
  return -1
}

/** The words of a text; the last one is empty if the text ends with blanks. */
function wordsOf(text: string): string[] {
  return withoutStart(text).split(/[\0\t\n\v\f\r ]+/)
}

function splitBy(text: string, separator: string): string[] {
  const parts = separator === ' ' ? wordsOf(text) : separator === '' ? [...text] : text.split(separator)
  while (parts.at(-1) === '') parts.pop()
  return parts
}

function wholeNumber(value: Value): number {
  const text = textOf(computable(value))
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new TypeError('not a whole number')
  return Number(text)
}

/** The start and end of a part of something with this length; null if it begins outside. */
function rangeOf(length: number, start: number, count: number): [number, number] | null {
  const from = start < 0 ? length + start : start
  return from < 0 || from > length || count < 0 ? null : [from, Math.min(length, from + count)]
}

function sliced(value: Value, start: Value = null, count: Value = null): Value {
  const [from, many] = [wholeNumber(start), count === null ? 1 : wholeNumber(count)]
  if (Array.isArray(value)) {
    const range = rangeOf(value.length, from, many)
    return range ? value.slice(...range) : []
  }
  const text = textOf(value)
  const range = rangeOf(lengthOf(text), from, many)
  return range ? cut(cut(text, range[1])[0], range[0])[1] : ''
}

function truncated(text: string, length: number, end: string): string {
  if (lengthOf(text) <= length) return text
  return cut(text, Math.max(0, length - lengthOf(end)))[0] + end
}

function truncatedWords(text: string, count: number, end: string): string {
  const words = wordsOf(text)
  const most = Math.max(1, count)
  return words.length <= most ? text : words.slice(0, most).join(' ') + end
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function urlDecoded(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[\da-fA-F]{2})+/g, (bytes) => utf8.decode(Buffer.from(bytes.replaceAll('%', ''), 'hex')))
}

function urlEncoded(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The text in base64. Throws if it is not base64 of this alphabet, or does not decode to text. */
function base64Decoded(text: string, alphabet: 'base64' | 'base64url'): string {
  const bytes = Buffer.from(text, alphabet)
  const again = bytes.toString(alphabet)
  if (again.replaceAll('=', '') !== text.replace(/={1,2}$/, '')) throw new TypeError('not base64')
  if (alphabet === 'base64' && text.length % 4 !== 0) throw new TypeError('not base64')
  return utf8.decode(bytes)
}

function capitalized(text: string): string {
  const [first, rest] = cut(text, 1)
  return first.toUpperCase() + rest.toLowerCase()
}

function sizeOf(value: Value): number {
  const plain = jsonOf(value)
  if (typeof plain === 'string') return lengthOf(plain)
  if (Array.isArray(plain)) return plain.length
  return isObject(plain) ? Object.keys(plain).length : 0
}

const blocks = [
  ['<script', '</script>'],
  ['<!--', '-->'],
  ['<style', '</style>'],
] as const

/** The standard filters of texts (rule E-02). Lengths and positions are counted in code points. */
export const textFilters: Readonly<Record<string, Standard>> = {
  append: withText((text, end) => text + end),
  base64_decode: ofText((text) => base64Decoded(text, 'base64')),
  base64_encode: ofText((text) => Buffer.from(text).toString('base64')),
  base64_url_safe_decode: ofText((text) => base64Decoded(text, 'base64url')),
  base64_url_safe_encode: ofText((text) =>
    Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  ),
  capitalize: ofText(capitalized),
  downcase: ofText((text) => text.toLowerCase()),
  escape: orNull(escaped),
  escape_once: ofText((text) =>
    text.replace(/["><']|&(?!(?:[a-zA-Z]+|#\d+);)/g, (character) => entities[character] ?? character),
  ),
  h: orNull(escaped),
  lstrip: ofText(withoutStart),
  newline_to_br: ofText((text) => text.replace(/\r?\n/g, '<br />\n')),
  prepend: withText((text, start) => start + text),
  remove: replacing(1, 1, replaceAll),
  remove_first: replacing(1, 1, replaceFirst),
  remove_last: replacing(1, 1, replaceLast),
  replace: replacing(1, 2, replaceAll),
  replace_first: replacing(1, 2, replaceFirst),
  replace_last: replacing(2, 2, replaceLast),
  rstrip: ofText(withoutEnd),
  size: { least: 0, most: 0, run: sizeOf },
  slice: { least: 1, most: 2, run: sliced },
  split: withText(splitBy),
  squish: orNull((text) => withoutEnd(withoutStart(text)).replace(/\s+/g, ' ')),
  strip: ofText((text) => withoutEnd(withoutStart(text))),
  strip_html: ofText((text) => withoutBlocks(withoutBlocks(text, blocks), [['<', '>']])),
  strip_newlines: ofText((text) => text.replace(/\r?\n/g, '')),
  truncate: {
    least: 0,
    most: 2,
    run: (value, length = 50, end = '...') =>
      value === null ? null : truncated(textOf(value), wholeNumber(length), textOf(end)),
  },
  truncatewords: {
    least: 0,
    most: 2,
    run: (value, count = 15, end = '...') =>
      value === null ? null : truncatedWords(textOf(value), wholeNumber(count), textOf(end)),
  },
  upcase: ofText((text) => text.toUpperCase()),
  url_decode: orNull(urlDecoded),
  url_encode: orNull(urlEncoded),
}
