import type { Reference, ReferenceTree } from '../protocol.ts'
import { expiryOf, expiryText } from './cards/expiry.ts'
import { formatExpiry } from './cards/expiry-format.ts'
import { digitsOf, type Problem } from './field.ts'
import type { PartName } from './part.ts'

type Tree = { readonly [member: string]: unknown }

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isReference(value: unknown): value is Reference {
  return isTree(value) && typeof value.correlationId === 'string' && typeof value.path === 'string'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function dateOf(month: unknown, year: unknown): string | undefined {
  const [monthText, yearText] = [textOf(month), textOf(year)]
  return monthText === undefined || yearText === undefined ? undefined : expiryText(monthText, yearText)
}

/** The texts that a static or resolved value gives the inputs of an element; what is of a wrong type gives none. */
export function textsOf(
  parts: readonly PartName[],
  value: unknown,
): { readonly [part in PartName]?: string } {
  const texts: { [part in PartName]?: string } = {}
  const set = (part: PartName, text: string | undefined) => {
    if (text !== undefined) texts[part] = text
  }
  const tree = isTree(value) ? value : {}
  if (parts.length > 1) {
    set('number', textOf(tree.number))
    set('expiration', dateOf(tree.expiration_month, tree.expiration_year))
    set('code', textOf(tree.cvc))
    return texts
  }
  for (const part of parts) {
    set(part, part === 'expiration' && isTree(value) ? dateOf(tree.month, tree.year) : textOf(value))
  }
  return texts
}

/** The tree with what its references stand for; anything else in it is left out. */
export async function resolved(
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

export type Read = {
  problem: null | Problem | { [part: string]: Problem }
  value?: unknown
  revealed?: boolean
}

/** What an expiration date gives to a payload, as a method or bare. */
export function readExpiry(text: string, method: string | undefined, format: string | undefined): Read {
  const expiry = expiryOf(text)
  if (!expiry) return { problem: 'incomplete' }
  if (method === 'month' || method === 'year') return { problem: null, value: expiry[method] }
  if (method !== 'format') return { problem: null, value: formatExpiry(expiry, 'MM/yy') }
  try {
    return { problem: null, value: formatExpiry(expiry, format ?? '') }
  } catch {
    return { problem: 'invalid' }
  }
}

/** What a card gives to a payload: its parts, or what is wrong with each. */
export function readCard(parts: readonly { part: PartName; text: string; problem: Problem | null }[]): Read {
  const problems: { [part: string]: Problem } = {}
  const value: { [member: string]: unknown } = {}
  for (const { part, text, problem } of parts) {
    const expiry = part === 'expiration' ? expiryOf(text) : undefined
    if (part === 'number') value.number = digitsOf(text)
    else if (part === 'code') value.cvc = text
    else if (expiry) Object.assign(value, { expiration_month: expiry.month, expiration_year: expiry.year })
    if (!problem) continue
    if (part === 'expiration')
      Object.assign(problems, { expiration_month: problem, expiration_year: problem })
    else problems[part === 'code' ? 'cvc' : part] = problem
  }
  return Object.keys(problems).length > 0 ? { problem: problems } : { problem: null, value }
}
