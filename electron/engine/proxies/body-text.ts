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
 * Replaces the expressions of a JSON text, in this order: a string that is one expression, quotation marks inside it
 * included; those within a string; one by itself. SECURITY: a string that nothing ends reaches to the end of the text,
 * so that it is read once and not from each of its quotation marks (rule R-03).
 */
function inJson(text: string, path: string, evaluate: Evaluate): string {
  const done: string[] = []
  let next = 0
  let isOpen = false
  const put = (start: number, end: number, value: string) => {
    done.push(text.slice(next, start), value)
    next = end
  }
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', next)) {
    const close = text.indexOf('}}', open + 2)
    const around: Around | null = isOpen ? null : stringAround(text, next, open)
    const lone = around && close >= 0 ? endOfLone(text, around.start, open, close) : null
    if (around && lone !== null) {
      const inner = decoded(text.slice(open + 2, close))
      put(around.start, lone, written(evaluate(expressionOf(inner, path))))
    } else if (around && around.end !== null) {
      const content = decoded(text.slice(around.start + 1, around.end - 1))
      put(around.start, around.end, JSON.stringify(inText(content, path, evaluate)))
    } else {
      isOpen ||= around !== null
      if (close < 0) put(open, open + 2, '{{')
      else put(open, close + 2, textOf(evaluate(expressionOf(text.slice(open + 2, close), path))))
    }
  }
  return done.join('') + text.slice(next)
}

const QUOTE = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)

/** A JSON string around a place of a text. Its end is null where nothing ends it. */
type Around = { readonly start: number; readonly end: number | null }

/**
 * The JSON string around a place of a text, which is read from a place outside of strings; null if there is none.
 * Character by character: a body may have 100,000 strings.
 */
function stringAround(text: string, from: number, place: number): Around | null {
  for (let at = from; at < place; at++) {
    if (text.charCodeAt(at) !== QUOTE) continue
    const end = endOfString(text, at)
    if (end === null || end > place) return { start: at, end }
    at = end - 1
  }
  return null
}

function endOfString(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return null
}

/** The end of a string that is one expression and space around it; null if there is more in it. */
function endOfLone(text: string, start: number, open: number, close: number): number | null {
  if (text.slice(start + 1, open).trim() !== '') return null
  space.lastIndex = close + 2
  space.test(text)
  return text[space.lastIndex] === '"' ? space.lastIndex + 1 : null
}
const space = /\s*/y

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
