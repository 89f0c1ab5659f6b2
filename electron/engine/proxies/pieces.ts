import { isNumber, type Json } from '../../../shared/json.ts'
import { endOfExpression } from '../expressions/split.ts'
import { textOf } from '../expressions/value.ts'
import { expressionOf, type ProxyExpression, partsOf } from './expressions.ts'

/** A place in a text: what is evaluated for it, between plain parts, and how the values are written there. */
type Place = {
  readonly parts: readonly (string | ProxyExpression)[]
  write(values: readonly Json[]): string
}

/** A text, cut once: plain pieces, and the places of its expressions. */
export type Pieces = readonly (string | Place)[]

/** The expressions of a text, in order. */
export function expressionsOf(pieces: Pieces): ProxyExpression[] {
  const found: ProxyExpression[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') continue
    for (const part of piece.parts) if (typeof part !== 'string') found.push(part)
  }
  return found
}

/** The text with each expression replaced by its value. Throws what `evaluate` throws. */
export function filledIn(pieces: Pieces, evaluate: (expression: ProxyExpression) => Json): string {
  const value = (part: string | ProxyExpression) => (typeof part === 'string' ? part : evaluate(part))
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : piece.write(piece.parts.map(value))))
    .join('')
}

/** An expression by itself, given by what is between its braces. Throws `invalid` at `path`. */
export function inPlace(inner: string, path: string): Place {
  return { parts: [expressionOf(inner, path)], write: joined }
}

/** The pieces of a plain text. Throws `invalid` at `path`. */
export function piecesOfText(text: string, path: string): Pieces {
  return [{ parts: partsOf(text, path), write: joined }]
}

/** The pieces of a form, whose names and values are encoded. Throws `invalid` at `path`. */
export function piecesOfForm(text: string, path: string): Pieces {
  const pieces: (string | Place)[] = []
  for (const pair of text.split('&')) {
    if (pieces.length > 0) pieces.push('&')
    if (!/\{|%7b/i.test(pair)) pieces.push(pair)
    else for (const piece of pair.split(/(=)/)) pieces.push(sideOf(piece, path))
  }
  return pieces
}

function sideOf(side: string, path: string): string | Place {
  const plain = plainOf(side)
  if (!plain.includes('{{')) return side
  const parts = partsOf(plain, path)
  // Encoded once for what is sent and what is shown: it takes longer than all else (case X-65).
  const fixed = parts.map((part) => (typeof part === 'string' ? encoded(part) : null))
  return {
    parts,
    write: (values) => values.map((value, at) => fixed[at] ?? encoded(textOf(value))).join(''),
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/**
 * The pieces of JSON, or of what should be. In this order: a string that is one expression, quotation marks inside
 * included; a string; an expression by itself. SECURITY: each character is looked at a bounded number of times, also
 * where nothing ends a string or an expression (rule R-03). Throws `invalid` at `path`.
 */
export function piecesOfJson(text: string, path: string): Pieces {
  const pieces: (string | Place)[] = []
  let at = 0
  /** Takes the text from one place to another as an expression, with what is plain before it. */
  const put = (from: number, to: number, place: Place) => {
    pieces.push(text.slice(at, from), place)
    at = to
  }
  const bare = (open: number): number => {
    const close = endOfExpression(text, open + 2)
    // What is left may still be a string with an expression in it, which is then refused.
    if (close < 0) return open + 1
    put(open, close + 2, inPlace(text.slice(open + 2, close), path))
    return close + 2
  }
  let open = text.indexOf('{{')
  for (let from = 0; open >= 0; open = open < from ? text.indexOf('{{', from) : open) {
    const quote = text.indexOf('"', from)
    if (quote < 0 || open < quote) {
      from = bare(open)
      continue
    }
    const lone = loneIn(text, quote)
    if (lone) {
      put(quote, lone.end, { parts: [expressionOf(decoded(lone.inner), path)], write: written })
      from = lone.end
      continue
    }
    const end = endOfString(text, quote)
    if (end < 0) {
      for (; open >= 0; open = text.indexOf('{{', from)) from = bare(open)
      break
    }
    if (open < end) {
      const parts = partsOf(decoded(text.slice(quote + 1, end)), path)
      put(quote, end + 1, { parts, write: (values) => JSON.stringify(joined(values)) })
    }
    from = end + 1
  }
  pieces.push(text.slice(at))
  return pieces
}

const spaces = /\s*/y

function afterSpaces(text: string, at: number): number {
  spaces.lastIndex = at
  spaces.test(text)
  return spaces.lastIndex
}

/** The string that begins at a quotation mark, if it is one expression. */
function loneIn(text: string, quote: number): { inner: string; end: number } | null {
  const open = afterSpaces(text, quote + 1)
  if (!text.startsWith('{{', open)) return null
  const close = endOfExpression(text, open + 2)
  if (close < 0) return null
  const end = afterSpaces(text, close + 2)
  return text[end] === '"' ? { inner: text.slice(open + 2, close), end: end + 1 } : null
}

/** Where the string that begins at a quotation mark ends; -1 if nothing ends it. */
function endOfString(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1)
  while (end >= 0) {
    let escapes = end
    while (text[escapes - 1] === '\\') escapes--
    if ((end - escapes) % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
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

function written([value = null]: readonly Json[]): string {
  return isNumber(value) || typeof value === 'boolean' ? `"${value}"` : JSON.stringify(value)
}

function joined(values: readonly Json[]): string {
  return values.map(textOf).join('')
}

function plainOf(side: string): string {
  try {
    return decodeURIComponent(side.replaceAll('+', ' '))
  } catch {
    // A percent sign that encodes nothing.
    return side
  }
}
