import { isObject, type Json } from '../../../../shared/json.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import type { PaletteHit } from '../../../../shared/schemas/palette.ts'
import { formatValue } from '../../expressions/value.ts'
import type { Context } from '../../pipeline/context.ts'
import { AnswerBudget, getStoredSize } from '../tokens/read/answer-budget.ts'
import { openData, toToken } from '../tokens/read/present.ts'
import { createConditions, createWordCondition } from '../tokens/search/conditions.ts'
import type { LightRow } from '../tokens/search/find-store.ts'
import {
  countExactly,
  createSearchPlan,
  createWalk,
  type SearchStep,
  walkMatches,
} from '../tokens/search/matches.ts'
import { findToken, type TokenRow } from '../tokens/store.ts'
import { getMetadataPairs } from '../tokens/terms/metadata.ts'
import { foldCase } from '../tokens/terms/terms.ts'
import { decideView, type View, type Viewer } from './viewer.ts'

const MAX_TOKENS = 6
/** How long one request may search, in ms. It tests at least `MIN_STEPS` tokens even if that takes longer. */
const MAX_SEARCH_MS = 20
const MIN_STEPS = 20
/** The maximum length of masked data, which is shown on one line. */
const MAX_NAME_LENGTH = 100

/** Finds the tokens that a text names, like the search of the Tokens screen: first those that have it as a word. */
export function findTokenHits(context: Context, viewer: Viewer, text: string, start: string | undefined) {
  const { db, now } = context
  const number = toCardNumber(text)
  const startedAt = performance.now()
  const find = number === null ? { text } : { last4: number.slice(-4) }
  const plan = createSearchPlan(db, now, createConditions(context, find))
  const wordPlan = createSearchPlan(db, now, [createWordCondition(context, text)])
  function* walkWordsFirst(): Generator<SearchStep> {
    if (start === undefined && wordPlan.candidates)
      for (const { row } of walkMatches(wordPlan, createWalk('newest', undefined)))
        yield { row, position: Number.MAX_SAFE_INTEGER }
    yield* walkMatches(plan, createWalk('newest', start))
  }
  const budget = new AnswerBudget(context)
  const readHit = (light: LightRow): PaletteHit | null => {
    const view = decideView(viewer, light)
    const row = view && findToken(db, light.id, now)
    if (!row || (number !== null && !isCard(context, row, number))) return null
    return toHit(context, view, budget, row, text)
  }
  const hits: PaletteHit[] = []
  let next: string | null = null
  let steps = 0
  for (const { row, position } of walkWordsFirst()) {
    const hit = row && !hits.some(({ id }) => id === row.id) && readHit(row)
    if (hit) hits.push(hit)
    if (hits.length === MAX_TOKENS) break
    if (++steps < MIN_STEPS || performance.now() - startedAt < MAX_SEARCH_MS) continue
    next = JSON.stringify(position)
    break
  }
  const isCounted = viewer === null && start === undefined && number === null
  const total = isCounted ? countExactly(plan) : null
  return { kind: 'token' as const, hits, total, next }
}

/** The card number that a text is, with spaces or without; null for any other text. */
function toCardNumber(text: string): string | null {
  const digits = text.replace(/[ -]/g, '')
  return /^\d{12,19}$/.test(digits) && isLuhnValid(digits) ? digits : null
}

function isCard(context: Context, row: TokenRow, number: string): boolean {
  const data = openData(context, row)
  return (isObject(data) ? data.number : data) === number
}

function toHit(
  context: Context,
  view: View,
  budget: AnswerBudget,
  row: TokenRow,
  text: string,
): PaletteHit | null {
  // No event tells webhooks that tokens were read, because nobody has chosen them yet.
  const token = budget.fitValue(getStoredSize(row), (work) => toToken(context, row, view, work))
  if (!token) return null
  const { id, type, containers, created_at, data } = token
  const pairs = getMetadataPairs(row)
  // SECURITY: redacted data must not be guessed from the texts that find it.
  if (view === 'redact' && !isVisible([id, type, ...containers, ...pairs.flat()], text)) return null
  const pair = findPair(pairs, text)
  const details = [pair && `${pair[0]}: ${pair[1]}`, containers[0]].filter((each) => each !== undefined)
  return { id, type, name: shortenData(data) ?? id, detail: details.join(' · '), at: created_at }
}

function isVisible(texts: readonly string[], text: string): boolean {
  return texts.some((each) => foldCase(each).includes(foldCase(text)))
}

/** Finds the pair that the text names, or else the first one. */
function findPair(pairs: readonly [string, string][], text: string): [string, string] | undefined {
  return pairs.find((pair) => isVisible(pair, text)) ?? pairs[0]
}

/** The data on one line: the number of a card or an account, otherwise the values of an object. */
function shortenData(data: Json | undefined): string | undefined {
  if (data === undefined || data === null) return undefined
  const { number, account_number = number } = isObject(data) ? data : {}
  const shown = account_number ?? (isObject(data) ? Object.values(data) : data)
  const text = Array.isArray(shown) ? shown.map(formatValue).join(' · ') : formatValue(shown)
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text
}
