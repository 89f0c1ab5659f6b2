import type { Reference, ReferenceTree } from '../protocol.ts'
import { parseExpiry, toExpiryText } from './cards/expiry.ts'
import { formatExpiry } from './cards/expiry-format.ts'
import { type FieldProblem, toDigits } from './field.ts'
import type { FieldName } from './field-names.ts'

type Tree = { readonly [member: string]: unknown }

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isReference(value: unknown): value is Reference {
  return isTree(value) && typeof value.correlationId === 'string' && typeof value.path === 'string'
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function toExpiryDateText(month: unknown, year: unknown): string | undefined {
  const [monthText, yearText] = [toText(month), toText(year)]
  return monthText === undefined || yearText === undefined ? undefined : toExpiryText(monthText, yearText)
}

/**
 * Returns the text of each input of an element for a static or resolved value. Ignores parts with a wrong
 * type.
 */
export function toFieldTexts(
  parts: readonly FieldName[],
  value: unknown,
): { readonly [part in FieldName]?: string } {
  const texts: { [part in FieldName]?: string } = {}
  const setText = (part: FieldName, text: string | undefined) => {
    if (text !== undefined) texts[part] = text
  }
  const tree = isTree(value) ? value : {}
  if (parts.length > 1) {
    setText('number', toText(tree.number))
    setText('expiration', toExpiryDateText(tree.expiration_month, tree.expiration_year))
    setText('code', toText(tree.cvc))
    return texts
  }
  for (const part of parts) {
    setText(
      part,
      part === 'expiration' && isTree(value) ? toExpiryDateText(tree.month, tree.year) : toText(value),
    )
  }
  return texts
}

/** Replaces the references in a tree by their values, and leaves out anything else. */
export async function resolveReferences(
  tree: ReferenceTree,
  resolve: (reference: Reference) => Promise<unknown>,
): Promise<unknown> {
  if (isReference(tree)) return resolve(tree)
  if (!isTree(tree)) return undefined
  const members = Object.entries(tree).flatMap(([member, reference]) =>
    isReference(reference) ? [resolve(reference).then((value) => [member, value] as const)] : [],
  )
  return Object.fromEntries(await Promise.all(members))
}

export type FieldValue = {
  problem: null | FieldProblem | { [part: string]: FieldProblem }
  value?: unknown
  revealed?: boolean
}

/**
 * The value of an expiration date in a payload. `method` selects its month, its year, or the date in
 * `format`; without a method, the value is the date as `MM/yy`.
 */
export function readExpiry(text: string, method: string | undefined, format: string | undefined): FieldValue {
  const expiry = parseExpiry(text)
  if (!expiry) return { problem: 'incomplete' }
  if (method === 'month' || method === 'year') return { problem: null, value: expiry[method] }
  if (method !== 'format') return { problem: null, value: formatExpiry(expiry, 'MM/yy') }
  try {
    return { problem: null, value: formatExpiry(expiry, format ?? '') }
  } catch {
    return { problem: 'invalid' }
  }
}

/** The value of a card in a payload: its parts, or the problem of each. */
export function readCard(
  parts: readonly { part: FieldName; text: string; problem: FieldProblem | null }[],
): FieldValue {
  const problems: { [part: string]: FieldProblem } = {}
  const value: { [member: string]: unknown } = {}
  for (const { part, text, problem } of parts) {
    const expiry = part === 'expiration' ? parseExpiry(text) : undefined
    if (part === 'number') value.number = toDigits(text)
    else if (part === 'code') value.cvc = text
    else if (expiry) Object.assign(value, { expiration_month: expiry.month, expiration_year: expiry.year })
    if (!problem) continue
    if (part === 'expiration')
      Object.assign(problems, { expiration_month: problem, expiration_year: problem })
    else problems[part === 'code' ? 'cvc' : part] = problem
  }
  return Object.keys(problems).length > 0 ? { problem: problems } : { problem: null, value }
}
