import { isUtf8 } from 'node:buffer'
import { createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { ProxyExpression } from './expressions.ts'
import {
  fillSegments,
  formOpening,
  parseFormSegments,
  parseJsonSegments,
  parseLoneExpression,
  parseTextSegments,
  type TemplateSegments,
} from './template-segments.ts'

/** The format of a body, which decides how values are written into it. `binary` means bytes that are not UTF-8. */
export type BodyFormat = 'json' | 'form' | 'text' | 'binary'

/** Returns the format of bodies with this content type; `text` by default. */
export function getBodyFormat(contentType: string | undefined): BodyFormat {
  const [type = ''] = (contentType ?? '').split(';', 1)
  const name = type.trim().toLowerCase()
  if (name === 'application/json' || name.endsWith('+json')) return 'json'
  return name === 'application/x-www-form-urlencoded' ? 'form' : 'text'
}

/** Returns the format of a body: that of its content type, or `binary` if the bytes are not UTF-8 text. */
export function detectBodyFormat(bytes: Buffer, contentType: string | undefined): BodyFormat {
  return isUtf8(bytes) ? getBodyFormat(contentType) : 'binary'
}

/**
 * Matches an expression in a binary body, such as a form with a photo: printable characters without an opening
 * brace among them. Random bytes contain two braces in a row about every 64 KiB, so anything that does not look
 * like an expression is left unchanged.
 */
const binaryExpression = /\{\{(?=\s*[^\s|}])(?<inner>[\t\r\n\x20-z|}~]{1,1000}?)\}\}/g

/** Matches the beginning of an expression. */
const openings: Readonly<Record<BodyFormat, RegExp>> = {
  json: /\{\{/g,
  form: formOpening,
  text: /\{\{/g,
  binary: binaryExpression,
}

/** The maximum number of expressions in a body or header. SECURITY: finding the end of each takes time. */
const MAX_EXPRESSIONS = 100

/**
 * Splits a body or a header at its expressions (rule G-05). In JSON, a string that consists of one expression is
 * replaced by the JSON of the value, except that a number stays a string unless `to_number` converted it; in longer
 * strings, values are escaped. In a form, names and values are decoded first and encoded again. Throws `invalid` at
 * `path`.
 */
export function parseSegments(text: string, format: BodyFormat, path: string): TemplateSegments {
  if (!hasExpression(text, format)) return [text]
  const count = text.match(openings[format])?.length ?? 0
  if (count > MAX_EXPRESSIONS) throw createInvalidError(path, `has more than ${MAX_EXPRESSIONS} expressions`)
  if (format === 'binary') return parseBinarySegments(text, path)
  if (format === 'form') return parseFormSegments(text, path)
  return format === 'json' ? parseJsonSegments(text, path) : parseTextSegments(text, path)
}

/** Replaces each expression in a string with its value. Throws like `parseSegments`, and whatever `evaluate` throws. */
export function replaceExpressions(
  text: string,
  format: BodyFormat,
  path: string,
  evaluate: (expression: ProxyExpression) => Json,
): string {
  return fillSegments(parseSegments(text, format, path), evaluate)
}

/** Whether a string contains an expression that `replaceExpressions` would evaluate. */
export function hasExpression(text: string, format: BodyFormat): boolean {
  if (format === 'binary') return text.search(binaryExpression) >= 0
  return format === 'form' ? text.search(formOpening) >= 0 : text.includes('{{')
}

/** Decodes a body to text, and returns how to encode it again. Bytes that are not UTF-8 survive the round trip. */
export function decodeBody(bytes: Buffer): {
  text: string
  encodeText(text: string): Buffer
  encodeValue(value: string): string
} {
  if (isUtf8(bytes)) {
    return { text: bytes.toString(), encodeText: (text) => Buffer.from(text), encodeValue: (value) => value }
  }
  return {
    text: bytes.toString('latin1'),
    encodeText: (text) => Buffer.from(text, 'latin1'),
    encodeValue: (value) => Buffer.from(value).toString('latin1'),
  }
}

function parseBinarySegments(text: string, path: string): TemplateSegments {
  // `split` also returns the capture group of each match: the content between the braces.
  return text
    .split(binaryExpression)
    .map((segment, at) => (at % 2 === 0 ? segment : parseLoneExpression(segment, path)))
}
