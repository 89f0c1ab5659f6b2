import { countCodePoints, splitCodePoints } from '../../../../../shared/characters.ts'
import { isObject, type Json, readJson } from '../../../../../shared/json.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import { evaluateStructure } from '../../../expressions/structure.ts'
import { WorkBudget } from '../../../expressions/work-budget.ts'

/** A token's content as stored. */
export type StoredTokenContent = {
  readonly id: string
  readonly type: string
  readonly mask: string | null
  readonly data: Buffer
}

/** The maximum size of sealed data that may be a card, account or identity number, in bytes. */
const MAX_SEALED_BYTES = 2_048
/** The maximum work of evaluating a token's mask. */
const MAX_MASK_WORK = 20_000

const LAST_FOUR_LENGTH = 4

/**
 * Returns the last four characters of a token's number, in upper case, if the token's mask shows them; otherwise
 * null. SECURITY: use it only for the index, which stores a keyed digest of the characters.
 */
export function findLastFour(keyring: Keyring, token: StoredTokenContent): string | null {
  const end = findNumberEnd(keyring, token)
  if (end === null) return null
  // The default mask of every type but `token` shows the last four characters.
  const isVisible = token.mask === null || isShownByMask(readJson(token.mask), end.content, end.last)
  return isVisible ? end.last.toUpperCase() : null
}

/**
 * Returns the characters that `findLastFour` may have returned for this content at any time. An expression in a
 * mask may show them on one day but not on another.
 */
export function findPossibleLastFour(keyring: Keyring, token: StoredTokenContent): string | null {
  return findNumberEnd(keyring, token)?.last.toUpperCase() ?? null
}

function findNumberEnd(
  keyring: Keyring,
  { id, type, mask, data }: StoredTokenContent,
): { readonly content: Json; readonly last: string } | null {
  if (data.length > MAX_SEALED_BYTES || (mask === null && type === 'token')) return null
  const content = readJson(keyring.openValue(data, id, 'data'))
  const number = findNumber(type, content)
  const length = number === null ? 0 : countCodePoints(number)
  if (number === null || length < LAST_FOUR_LENGTH) return null
  const [, last] = splitCodePoints(number, length - LAST_FOUR_LENGTH)
  return { content, last }
}

function findNumber(type: string, data: Json): string | null {
  if (typeof data === 'string') return data
  if (!isObject(data)) return null
  const number =
    type === 'card' || type === 'network_token' ? data.number : type === 'bank' ? data.account_number : null
  return typeof number === 'string' ? number : null
}

/** Whether a string in a token's evaluated mask ends with these characters. */
function isShownByMask(mask: Json, data: Json, last: string): boolean {
  try {
    return endsWith(evaluateStructure(new WorkBudget(MAX_MASK_WORK), mask, { data }), last)
  } catch {
    // The mask exceeds the work budget, or needs a cvc that has been deleted.
    return false
  }
}

function endsWith(masked: Json, last: string): boolean {
  if (typeof masked === 'string') return masked.endsWith(last)
  if (Array.isArray(masked)) return masked.some((each) => endsWith(each, last))
  return isObject(masked) && Object.values(masked).some((each) => endsWith(each, last))
}
