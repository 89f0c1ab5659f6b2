import { isLuhnValid } from '../../../../../shared/luhn.ts'
import { maskNumbers } from '../../../pipeline/log-id.ts'
import { REDACTED } from '../secrets.ts'

/** The maximum number of secrets per exchange. Searching for each takes time (rule R-03). */
const MAX_SECRETS = 120
/** Secrets of at least this length are also found with punctuation between their characters, and in encoded form. */
const MIN_LONG_LENGTH = 6
/** A secret with at least 12 digits may be a card number. Any 8 consecutive digits of it are redacted too. */
const MIN_CARD_DIGITS = 12
const CARD_PART_DIGITS = 8

/** Decoded text, with the start and the end of each of its characters in the original text. */
type DecodedText = { readonly text: string; readonly from: readonly number[]; readonly to: readonly number[] }
type CharacterRange = readonly [from: number, to: number]

/**
 * Redacts the secrets of an exchange in every common form (rule G-07): unchanged, in another case, grouped
 * differently, escaped up to twice as in JSON, HTML or a URL, in base64 or in hexadecimal. SECURITY: a value
 * computed from a secret in any other way, or a part of a secret, is not recognized.
 */
export class SecretRedactor {
  readonly #short: readonly string[]
  readonly #plain: readonly string[]
  readonly #stripped: readonly string[]
  readonly #bytes: readonly string[]
  readonly #exact: readonly string[]
  /** The number of characters at the end of truncated text that may be the start of a secret. */
  readonly #margin: number
  /** Whether there are too many secrets to search for. If so, nothing may be shown. */
  readonly hasTooManySecrets: boolean

  constructor(secrets: readonly string[]) {
    const different = [...new Set(secrets)].filter((text) => text !== '')
    this.hasTooManySecrets = different.length > MAX_SECRETS
    const all = this.hasTooManySecrets ? [] : different
    const parts = all.flatMap(listCardParts)
    this.#short = all.filter((text) => text.length < 3)
    const folded = [...all.filter((text) => text.length >= 3), ...parts].map(foldCase)
    this.#plain = [...new Set(folded)]
    this.#stripped = [...new Set(folded.map(stripMarks))].filter((text) => text.length >= MIN_LONG_LENGTH)
    const long = all.filter((text) => text.length >= MIN_LONG_LENGTH)
    this.#bytes = [...new Set(long.map((text) => toByteString(foldCase(text))))]
    this.#exact = all
      .filter((text) => text.length >= 3)
      .map((text) => Buffer.from(text).toString('base64').replace(/=+$/, ''))
    this.#margin = 64 + 6 * Math.max(0, ...all.map((text) => text.length))
  }

  /** Redacts every secret in a string, and masks possible card numbers. */
  redact(text: string): string {
    return cleanText(replaceRanges(text, this.#findRanges(text), text.length))
  }

  /** Like `redact`, but for truncated text. Drops the end of the text, because it may contain the start of a secret. */
  redactPrefix(text: string): string {
    const end = Math.max(0, text.length - this.#margin)
    const redacted = cleanText(replaceRanges(text, this.#findRanges(text), end))
    return redacted.replace(/(?:\p{Nd}[^\p{L}\p{Nd}]{0,3})+$/u, '')
  }

  #findRanges(text: string): CharacterRange[] {
    const ranges: CharacterRange[] = []
    let decoded = toDecodedText(text)
    for (let depth = 0; depth < 3; depth++) {
      this.#findIn(decoded, ranges)
      const next = decodeEscapes(decoded)
      if (next.text === decoded.text) break
      decoded = next
    }
    for (const each of this.#short) findShort(text, each, ranges)
    return ranges
  }

  #findIn(view: DecodedText, ranges: CharacterRange[]): void {
    const lower = foldCase(view.text)
    for (const each of this.#plain) findText({ ...view, text: lower }, each, ranges)
    for (const each of this.#exact) findText(view, each, ranges)
    const stripped = stripDecoded({ ...view, text: lower })
    for (const each of this.#stripped) findText(stripped, each, ranges)
    for (const [pattern, encoding, offsets] of encodings) {
      for (const { index, 0: run } of view.text.matchAll(pattern)) {
        if (this.#isEncoded(run, encoding, offsets)) ranges.push(toOriginalRange(view, index, run.length))
      }
    }
  }

  #isEncoded(run: string, encoding: 'base64' | 'hex', offsets: number): boolean {
    for (let offset = 0; offset < offsets; offset++) {
      const bytes = foldCase(Buffer.from(run.slice(offset), encoding).toString('latin1'))
      if (this.#bytes.some((each) => bytes.includes(each)) || hasCardNumber(bytes)) return true
    }
    return false
  }
}

const encodings = [
  [/[A-Za-z0-9+/_-]{8,}={0,2}/g, 'base64', 4],
  [/(?:[0-9a-f]{2}){6,}/gi, 'hex', 2],
] as const

function hasCardNumber(text: string): boolean {
  return (text.match(/(?<!\d)\d{13,19}(?!\d)/g) ?? []).some(isLuhnValid)
}

/** Masks long numbers, and removes control characters that could garble the display, except line breaks and tabs. */
function cleanText(text: string): string {
  return maskNumbers(text.replace(/[^\P{Cc}\n\r\t]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd'))
}

/** Converts a string to lower case, unless that changes its length, so that positions stay the same. */
function foldCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

/** Returns the UTF-8 bytes of a string as a string with one character per byte. */
function toByteString(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function stripMarks(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '')
}

/** Lists every 8 consecutive digits of a possible card number. */
function listCardParts(text: string): string[] {
  const digits = /^[\d\s.-]+$/.test(text) ? text.replace(/\D/g, '') : ''
  if (digits.length < MIN_CARD_DIGITS) return []
  return Array.from({ length: digits.length - CARD_PART_DIGITS + 1 }, (_, at) =>
    digits.slice(at, at + CARD_PART_DIGITS),
  )
}

function toDecodedText(text: string): DecodedText {
  const from = Array.from({ length: text.length }, (_, at) => at)
  return { text, from, to: from.map((at) => at + 1) }
}

const escapes =
  /(?:%[c-f][0-9a-f](?:%[89ab][0-9a-f])+)|%[0-7][0-9a-f]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrtbf"'\\/]|&#\d{1,7};|&#x[0-9a-f]{1,6};|&(?:amp|lt|gt|quot|apos|nbsp);|\+/gi
const namedEscapes: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&nbsp;': ' ',
  '+': ' ',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\b': '\b',
  '\\f': '\f',
}

function decodeEscape(written: string): string {
  const known = namedEscapes[written.toLowerCase()]
  if (known !== undefined) return known
  if (/^%[c-f]/i.test(written)) return Buffer.from(written.replaceAll('%', ''), 'hex').toString()
  if (/^%|^\\x/i.test(written))
    return String.fromCharCode(Number.parseInt(written.slice(written[0] === '%' ? 1 : 2), 16))
  if (/^\\u/i.test(written)) return String.fromCharCode(Number.parseInt(written.slice(2), 16))
  if (/^&#x/i.test(written)) return decodeCodePoint(Number.parseInt(written.slice(3), 16))
  if (written.startsWith('&#')) return decodeCodePoint(Number.parseInt(written.slice(2), 10))
  return written.slice(1)
}

function decodeCodePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

function decodeEscapes(view: DecodedText): DecodedText {
  const { text } = view
  const result = new DecodedTextBuilder(view)
  let at = 0
  for (const { index, 0: written } of text.matchAll(escapes)) {
    result.copyRange(at, index)
    result.addDecoded(decodeEscape(written), index, index + written.length)
    at = index + written.length
  }
  result.copyRange(at, text.length)
  return result
}

/** Keeps only letters and digits, so that a secret with other separators is found too. */
function stripDecoded(view: DecodedText): DecodedText {
  const result = new DecodedTextBuilder(view)
  for (const { index, 0: run } of view.text.matchAll(/[\p{L}\p{N}]+/gu))
    result.copyRange(index, index + run.length)
  return result
}

class DecodedTextBuilder implements DecodedText {
  text = ''
  readonly from: number[] = []
  readonly to: number[] = []
  readonly #of: DecodedText

  constructor(of: DecodedText) {
    this.#of = of
  }

  copyRange(start: number, end: number): void {
    this.text += this.#of.text.slice(start, end)
    for (let at = start; at < end; at++) {
      this.from.push(this.#of.from[at] ?? 0)
      this.to.push(this.#of.to[at] ?? 0)
    }
  }

  /** Adds the decoded form of the characters from `start` to `end`. */
  addDecoded(meaning: string, start: number, end: number): void {
    this.text += meaning
    for (let at = 0; at < meaning.length; at++) {
      this.from.push(this.#of.from[start] ?? 0)
      this.to.push(this.#of.to[end - 1] ?? 0)
    }
  }
}

function toOriginalRange({ from, to }: DecodedText, index: number, length: number): CharacterRange {
  return [from[index] ?? 0, to[index + length - 1] ?? 0]
}

function findText(view: DecodedText, needle: string, ranges: CharacterRange[]): void {
  for (let at = view.text.indexOf(needle); at >= 0; at = view.text.indexOf(needle, at + needle.length))
    ranges.push(toOriginalRange(view, at, needle.length))
}

/** Finds a secret of one or two characters only where it is a complete value, such as a member or a parameter. */
function findShort(text: string, needle: string, ranges: CharacterRange[]): void {
  const before = /[\s"'=:>,[({]/
  const after = /[\s"'&<,\])};]/
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const end = at + needle.length
    if ((at === 0 || before.test(text[at - 1] ?? '')) && (end === text.length || after.test(text[end] ?? '')))
      ranges.push([at, end])
  }
}

function replaceRanges(text: string, ranges: readonly CharacterRange[], end: number): string {
  let result = ''
  let at = 0
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (from >= end) break
    if (to <= at) continue
    if (from >= at) result += text.slice(at, from) + REDACTED
    at = to
  }
  return at < end ? result + text.slice(at, end) : result
}
