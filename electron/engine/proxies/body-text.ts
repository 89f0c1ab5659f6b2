import { isUtf8 } from 'node:buffer'
import { invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { textOf } from '../expressions/value.ts'
import { expressionOf, type ProxyExpression, partsOf } from './expressions.ts'

/** How a body writes its values, which decides how a value is written into it. `binary` is no UTF-8 text. */
export type Form = 'json' | 'form' | 'text' | 'binary'

/** The form of a body of this content type. */
export function formOf(contentType: string | undefined): Form {
  const [type = ''] = (contentType ?? '').split(';', 1)
  const name = type.trim().toLowerCase()
  if (name === 'application/json' || name.endsWith('+json')) return 'json'
  return name === 'application/x-www-form-urlencoded' ? 'form' : 'text'
}

/** The form of these bytes: that of their content type, unless they are no text. */
export function formOfBytes(bytes: Buffer, contentType: string | undefined): Form {
  return isUtf8(bytes) ? formOf(contentType) : 'binary'
}

type Evaluate = (expression: ProxyExpression) => Json

/**
 * An expression in a binary body, such as a form with a photo in it: of printable characters, without a brace inside.
 * Two braces are there by chance in every 64 KiB; what does not look like an expression is not one.
 */
const amongBytes = /\{\{(?=\s*[^\s|}])(?<inner>[\t\r\n\x20-z|}~]{1,1000}?)\}\}/g

/** The most expressions in one text. SECURITY: looking for the end of each of them costs time. */
const MOST = 100

/**
 * Returns a text with each expression replaced by its value (rule G-05). In JSON, a string that is one expression
 * becomes the value's own JSON, and a number in it stays a string; inside longer strings values are escaped. In a form,
 * names and values are decoded first and encoded again. Throws `invalid` at `path`, and what `evaluate` throws.
 */
export function replaceExpressions(text: string, form: Form, path: string, evaluate: Evaluate): string {
  if (!hasExpression(text, form)) return text
  const count = form === 'binary' ? (text.match(amongBytes)?.length ?? 0) : text.split('{{').length - 1
  if (count > MOST) throw invalid(path, `has more than ${MOST} expressions`)
  if (form === 'binary')
    return text.replace(amongBytes, (_, inner: string) => textOf(evaluate(expressionOf(inner, path))))
  if (form === 'form') return inForm(text, path, evaluate)
  return form === 'json' ? inJson(text, path, evaluate) : inText(text, path, evaluate)
}

/** Whether a text has an expression that `replaceExpressions` would evaluate. */
export function hasExpression(text: string, form: Form): boolean {
  if (form === 'binary') return text.search(amongBytes) >= 0
  return text.includes('{{') || (form === 'form' && /%7b(%7b|\{)|\{%7b/i.test(text))
}

/** The bytes of a body as text, and back: bytes that are no UTF-8 are kept as they are. */
export function bodyText(bytes: Buffer): {
  text: string
  bytesOf(text: string): Buffer
  inserted(value: string): string
} {
  if (isUtf8(bytes)) {
    return { text: bytes.toString(), bytesOf: (text) => Buffer.from(text), inserted: (value) => value }
  }
  return {
    text: bytes.toString('latin1'),
    bytesOf: (text) => Buffer.from(text, 'latin1'),
    inserted: (value) => Buffer.from(value).toString('latin1'),
  }
}

function inText(text: string, path: string, evaluate: Evaluate): string {
  return partsOf(text, path)
    .map((part) => (typeof part === 'string' ? part : textOf(evaluate(part))))
    .join('')
}

/**
 * In this order: a string that is one expression, quotation marks inside included; a string; an expression by itself.
 * SECURITY: a string that nothing ends reaches to the end of the text, so that it is read once and not from each of its
 * quotation marks (rule R-03).
 */
const piece =
  /"\s*\{\{(?<lone>[^}]*(?:\}(?!\})[^}]*)*)\}\}\s*"|(?<string>"(?:[^"\\]|\\[\s\S])*(?:"|(?<open>\\?$)))|\{\{(?<bare>[^}]*(?:\}(?!\})[^}]*)*)\}\}/g
/** An expression by itself. */
const bareExpression = /\{\{([^}]*(?:\}(?!\})[^}]*)*)\}\}/g

function inJson(text: string, path: string, evaluate: Evaluate): string {
  const inPlace = (expression: string) => textOf(evaluate(expressionOf(expression, path)))
  return text.replace(piece, (match, lone?: string, string?: string, open?: string, bare?: string) => {
    if (lone !== undefined) return written(evaluate(expressionOf(decoded(lone), path)))
    if (bare !== undefined) return inPlace(bare)
    if (open !== undefined) return match.replace(bareExpression, (_, inner: string) => inPlace(inner))
    if (string === undefined || !string.includes('{{')) return match
    return JSON.stringify(inText(decoded(string.slice(1, -1)), path, evaluate))
  })
}

function written(value: Json): string {
  return typeof value === 'number' || typeof value === 'boolean' ? `"${value}"` : JSON.stringify(value)
}

/** The content of a JSON string; as it is where it is none. */
function decoded(content: string): string {
  if (!content.includes('\\')) return content
  try {
    return String(JSON.parse(`"${content}"`))
  } catch {
    // Not JSON after all: a body may be any text.
    return content
  }
}

function inForm(text: string, path: string, evaluate: Evaluate): string {
  return text
    .split('&')
    .map((pair) => (hasExpression(pair, 'form') ? inPair(pair, path, evaluate) : pair))
    .join('&')
}

function inPair(pair: string, path: string, evaluate: Evaluate): string {
  return pair
    .split('=')
    .map((side) => {
      const plain = plainOf(side)
      return plain.includes('{{') ? encodeURIComponent(inText(plain, path, evaluate).toWellFormed()) : side
    })
    .join('=')
}

function plainOf(side: string): string {
  try {
    return decodeURIComponent(side.replaceAll('+', ' '))
  } catch {
    // A percent sign that encodes nothing.
    return side
  }
}
