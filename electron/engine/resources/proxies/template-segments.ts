import { isNumber, type Json } from '../../../../shared/json.ts'
import { findExpressionEnd } from '../../expressions/split-at-expressions.ts'
import { formatValue } from '../../expressions/value.ts'
import { type ProxyExpression, parseProxyExpression, splitProxyExpressions } from './expressions.ts'

type TemplateSlot = {
  readonly parts: readonly (string | ProxyExpression)[]
  write(values: readonly Json[]): string
}

/** A template, parsed once: plain text, and a slot for each group of expressions. */
export type TemplateSegments = readonly (string | TemplateSlot)[]

/** Lists the expressions of a template, in order. */
export function listExpressions(segments: TemplateSegments): ProxyExpression[] {
  const expressions: ProxyExpression[] = []
  for (const segment of segments) {
    if (typeof segment === 'string') continue
    for (const part of segment.parts) if (typeof part !== 'string') expressions.push(part)
  }
  return expressions
}

/** Replaces each expression with its value. Throws whatever `evaluate` throws. */
export function fillSegments(
  segments: TemplateSegments,
  evaluate: (expression: ProxyExpression) => Json,
): string {
  const evaluatePart = (part: string | ProxyExpression) => (typeof part === 'string' ? part : evaluate(part))
  return segments
    .map((segment) =>
      typeof segment === 'string' ? segment : segment.write(segment.parts.map(evaluatePart)),
    )
    .join('')
}

/** Parses a single expression from the content between its braces. Throws `invalid` at `path`. */
export function parseLoneExpression(inner: string, path: string): TemplateSlot {
  return { parts: [parseProxyExpression(inner, path)], write: joinValues }
}

/** Parses text that is neither JSON nor a form. Throws `invalid` at `path`. */
export function parseTextSegments(text: string, path: string): TemplateSegments {
  return [{ parts: splitProxyExpressions(text, path), write: joinValues }]
}

/** Matches the beginning of an expression in a form, percent-encoded or not. */
export const formOpening = /(?:\{|%7b){2}/gi

/**
 * Parses a form, whose names and values are percent-encoded. Pairs without an expression stay in one piece, because a
 * form can have hundreds of thousands (case X-65). Throws `invalid` at `path`.
 */
export function parseFormSegments(text: string, path: string): TemplateSegments {
  const segments: (string | TemplateSlot)[] = []
  let at = 0
  for (const { index } of text.matchAll(formOpening)) {
    if (index < at) continue
    const start = text.lastIndexOf('&', index) + 1
    const next = text.indexOf('&', index)
    segments.push(text.slice(at, start))
    at = next < 0 ? text.length : next
    for (const side of text.slice(start, at).split(/(=)/)) segments.push(parseFormSide(side, path))
  }
  segments.push(text.slice(at))
  return segments
}

function parseFormSide(side: string, path: string): string | TemplateSlot {
  const decodedSide = decodeFormText(side)
  if (!decodedSide.includes('{{')) return side
  const parts = splitProxyExpressions(decodedSide, path)
  // Encoded only once, for both the sent and the redacted message, because encoding takes most of the time (case
  //
  const encodedLiterals = parts.map((part) => (typeof part === 'string' ? encodeFormText(part) : null))
  return {
    parts,
    write: (values) =>
      values.map((value, at) => encodedLiterals[at] ?? encodeFormText(formatValue(value))).join(''),
  }
}

function encodeFormText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/**
 * Parses JSON, or text that should be JSON. Looks first for a string that consists of one expression, even if the
 * expression contains quotation marks; then for any other string; then for an expression outside strings. SECURITY:
 * each character is scanned a limited number of times, even if a string or an expression is not closed (rule R-03).
 * Throws `invalid` at `path`.
 */
export function parseJsonSegments(text: string, path: string): TemplateSegments {
  const segments: (string | TemplateSlot)[] = []
  let at = 0
  /** Adds a slot for the characters from `from` to `to`, and the plain text before it. */
  const addSlot = (from: number, to: number, slot: TemplateSlot) => {
    segments.push(text.slice(at, from), slot)
    at = to
  }
  const addBareExpression = (open: number): number => {
    const close = findExpressionEnd(text, open + 2)
    // The rest may still contain a string with an expression, which is rejected later.
    if (close < 0) return open + 1
    addSlot(open, close + 2, parseLoneExpression(text.slice(open + 2, close), path))
    return close + 2
  }
  let open = text.indexOf('{{')
  for (let from = 0; open >= 0; open = open < from ? text.indexOf('{{', from) : open) {
    const quote = text.indexOf('"', from)
    if (quote < 0 || open < quote) {
      from = addBareExpression(open)
      continue
    }
    const lone = findLoneExpression(text, quote)
    if (lone) {
      addSlot(quote, lone.end, createValueSlot(decodeJsonString(lone.inner), path))
      from = lone.end
      continue
    }
    const end = findStringEnd(text, quote)
    if (end < 0) {
      for (; open >= 0; open = text.indexOf('{{', from)) from = addBareExpression(open)
      break
    }
    if (open < end) {
      const parts = splitProxyExpressions(decodeJsonString(text.slice(quote + 1, end)), path)
      addSlot(quote, end + 1, { parts, write: (values) => JSON.stringify(joinValues(values)) })
    }
    from = end + 1
  }
  segments.push(text.slice(at))
  return segments
}

const spaces = /\s*/y

function skipSpaces(text: string, at: number): number {
  spaces.lastIndex = at
  spaces.test(text)
  return spaces.lastIndex
}

/** Finds the end of a string at its quotation mark, and its expression; null unless it is just one expression. */
function findLoneExpression(text: string, quote: number): { inner: string; end: number } | null {
  const open = skipSpaces(text, quote + 1)
  if (!text.startsWith('{{', open)) return null
  const close = findExpressionEnd(text, open + 2)
  if (close < 0) return null
  const end = skipSpaces(text, close + 2)
  return text[end] === '"' ? { inner: text.slice(open + 2, close), end: end + 1 } : null
}

/** Finds the end of the string that starts at a quotation mark; -1 if it is not closed. */
function findStringEnd(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1)
  while (end >= 0) {
    let escapes = end
    while (text[escapes - 1] === '\\') escapes--
    if ((end - escapes) % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** Decodes the content of a JSON string; invalid content is returned unchanged. */
function decodeJsonString(content: string): string {
  if (!content.includes('\\')) return content
  try {
    return String(JSON.parse(`"${content}"`))
  } catch {
    // The content is not a JSON string, because a body may be any text.
    return content
  }
}

/** Creates the slot of a JSON string that consists of one expression. Throws `invalid` at `path`. */
function createValueSlot(inner: string, path: string): TemplateSlot {
  const expression = parseProxyExpression(inner, path)
  return { parts: [expression], write: isConverted(expression) ? formatConvertedValue : formatJsonValue }
}

/** Whether a filter converts the value to a number or a boolean, which is then one in JSON too (rule G-05). */
function isConverted({ source }: ProxyExpression): boolean {
  return /\|\s*to_(?:number|boolean)\b/.test(source.replace(/"[^"]*"|'[^']*'/g, ''))
}

function formatConvertedValue(values: readonly Json[]): string {
  const [value = null] = values
  return isNumber(value) ? String(value) : JSON.stringify(value)
}

function formatJsonValue([value = null]: readonly Json[]): string {
  return isNumber(value) || typeof value === 'boolean' ? `"${value}"` : JSON.stringify(value)
}

function joinValues(values: readonly Json[]): string {
  return values.map(formatValue).join('')
}

function decodeFormText(side: string): string {
  try {
    return decodeURIComponent(side.replaceAll('+', ' '))
  } catch {
    // The text contains a percent sign that encodes nothing.
    return side
  }
}
