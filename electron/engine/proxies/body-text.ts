import { isUtf8 } from 'node:buffer'
import { invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { ProxyExpression } from './expressions.ts'
import { filledIn, inPlace, type Pieces, piecesOfForm, piecesOfJson, piecesOfText } from './pieces.ts'

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

/**
 * An expression in a binary body, such as a form with a photo in it: of printable characters, without a brace inside.
 * Two braces are there by chance in every 64 KiB; what does not look like an expression is not one.
 */
const amongBytes = /\{\{(?=\s*[^\s|}])(?<inner>[\t\r\n\x20-z|}~]{1,1000}?)\}\}/g

/** The most expressions in one text. SECURITY: looking for the end of each of them costs time. */
const MOST = 100

/**
 * Cuts a text at its expressions (rule G-05). In JSON, a string that is one expression becomes the value's own JSON, and
 * a number in it stays a string; inside longer strings values are escaped. In a form, names and values are decoded first
 * and encoded again. Throws `invalid` at `path`.
 */
export function piecesOf(text: string, form: Form, path: string): Pieces {
  if (!hasExpression(text, form)) return [text]
  const count = form === 'binary' ? (text.match(amongBytes)?.length ?? 0) : text.split('{{').length - 1
  if (count > MOST) throw invalid(path, `has more than ${MOST} expressions`)
  if (form === 'binary') return piecesOfBinary(text, path)
  if (form === 'form') return piecesOfForm(text, path)
  return form === 'json' ? piecesOfJson(text, path) : piecesOfText(text, path)
}

/** Returns a text with each expression replaced by its value. Throws as `piecesOf` does, and what `evaluate` throws. */
export function replaceExpressions(
  text: string,
  form: Form,
  path: string,
  evaluate: (expression: ProxyExpression) => Json,
): string {
  return filledIn(piecesOf(text, form, path), evaluate)
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

function piecesOfBinary(text: string, path: string): Pieces {
  // Of each match, the split also yields what is between the braces.
  return text.split(amongBytes).map((piece, at) => (at % 2 === 0 ? piece : inPlace(piece, path)))
}
