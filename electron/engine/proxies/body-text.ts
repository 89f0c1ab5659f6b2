import { isUtf8 } from 'node:buffer'
import { createInvalidError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { ProxyExpression } from './expressions.ts'
import {
  fillSegments,
  parseFormSegments,
  parseJsonSegments,
  parseLoneExpression,
  parseTextSegments,
  type TemplateSegments,
} from './template-segments.ts'

/** How a body writes its values, which decides how a value is written into it. `binary` is no UTF-8 text. */
export type BodyFormat = 'json' | 'form' | 'text' | 'binary'

/** The form of a body of this content type. */
export function getBodyFormat(contentType: string | undefined): BodyFormat {
  const [type = ''] = (contentType ?? '').split(';', 1)
  const name = type.trim().toLowerCase()
  if (name === 'application/json' || name.endsWith('+json')) return 'json'
  return name === 'application/x-www-form-urlencoded' ? 'form' : 'text'
}

/** The form of these bytes: that of their content type, unless they are no text. */
export function detectBodyFormat(bytes: Buffer, contentType: string | undefined): BodyFormat {
  return isUtf8(bytes) ? getBodyFormat(contentType) : 'binary'
}

/**
 * An expression in a binary body, such as a form with a photo in it: of printable characters, without a brace inside.
 * Two braces are there by chance in every 64 KiB; what does not look like an expression is not one.
 */
const binaryExpression = /\{\{(?=\s*[^\s|}])(?<inner>[\t\r\n\x20-z|}~]{1,1000}?)\}\}/g

/** The most expressions in one text. SECURITY: looking for the end of each of them costs time. */
const MAX_EXPRESSIONS = 100

/**
 * Cuts a text at its expressions (rule G-05). In JSON, a string that is one expression becomes the value's own JSON, and
 * a number in it stays a string; inside longer strings values are escaped. In a form, names and values are decoded first
 * and encoded again. Throws `invalid` at `path`.
 */
export function parseSegments(text: string, format: BodyFormat, path: string): TemplateSegments {
  if (!hasExpression(text, format)) return [text]
  const count =
    format === 'binary' ? (text.match(binaryExpression)?.length ?? 0) : text.split('{{').length - 1
  if (count > MAX_EXPRESSIONS) throw createInvalidError(path, `has more than ${MAX_EXPRESSIONS} expressions`)
  if (format === 'binary') return parseBinarySegments(text, path)
  if (format === 'form') return parseFormSegments(text, path)
  return format === 'json' ? parseJsonSegments(text, path) : parseTextSegments(text, path)
}

/** Returns a text with each expression replaced by its value. Throws as `piecesOf` does, and what `evaluate` throws. */
export function replaceExpressions(
  text: string,
  format: BodyFormat,
  path: string,
  evaluate: (expression: ProxyExpression) => Json,
): string {
  return fillSegments(parseSegments(text, format, path), evaluate)
}

/** Whether a text has an expression that `replaceExpressions` would evaluate. */
export function hasExpression(text: string, format: BodyFormat): boolean {
  if (format === 'binary') return text.search(binaryExpression) >= 0
  return text.includes('{{') || (format === 'form' && /%7b(%7b|\{)|\{%7b/i.test(text))
}

/** The bytes of a body as text, and back: bytes that are no UTF-8 are kept as they are. */
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
  // Of each match, the split also yields what is between the braces.
  return text
    .split(binaryExpression)
    .map((segment, at) => (at % 2 === 0 ? segment : parseLoneExpression(segment, path)))
}
