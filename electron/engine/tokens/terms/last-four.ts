import { cut, lengthOf } from '../../../../shared/characters.ts'
import { isObject, type Json, readJson } from '../../../../shared/json.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import { evaluateStructure } from '../../expressions/structure.ts'
import { Work } from '../../expressions/work.ts'

/** A token's content as stored. */
export type Content = {
  readonly id: string
  readonly type: string
  readonly mask: string | null
  readonly data: Buffer
}

/** Sealed data of more bytes is no card, account or identity number. */
const LONGEST = 2_048
/** The work of evaluating a token's own mask. */
const MOST_WORK = 20_000

/** How many characters of a value are found by. */
const SHOWN = 4

/**
 * Returns the last four characters of a token's number, in upper case, if its mask shows them; otherwise null.
 * SECURITY: for the index alone, which keeps a keyed digest.
 */
export function lastFourOf(keyring: Keyring, token: Content): string | null {
  const end = endOf(keyring, token)
  if (end === null) return null
  // The default mask of every other type shows the last four characters.
  const isFound = token.mask === null || isShown(readJson(token.mask), end.content, end.last)
  return isFound ? end.last.toUpperCase() : null
}

/**
 * Returns what `lastFourOf` may have returned for this content at any time: an expression in a mask may show something
 * else on another day.
 */
export function everLastFourOf(keyring: Keyring, token: Content): string | null {
  return endOf(keyring, token)?.last.toUpperCase() ?? null
}

function endOf(
  keyring: Keyring,
  { id, type, mask, data }: Content,
): { readonly content: Json; readonly last: string } | null {
  if (data.length > LONGEST || (mask === null && type === 'token')) return null
  const content = readJson(keyring.openValue(data, id, 'data'))
  const number = numberOf(type, content)
  const length = number === null ? 0 : lengthOf(number)
  if (number === null || length < SHOWN) return null
  const [, last] = cut(number, length - SHOWN)
  return { content, last }
}

function numberOf(type: string, data: Json): string | null {
  if (typeof data === 'string') return data
  if (!isObject(data)) return null
  const number = type === 'card' ? data.number : type === 'bank' ? data.account_number : null
  return typeof number === 'string' ? number : null
}

/** Whether a text in a token's own mask ends with these characters. */
function isShown(mask: Json, data: Json, last: string): boolean {
  try {
    return endsWith(evaluateStructure(new Work(MOST_WORK), mask, { data }), last)
  } catch {
    // A mask that takes longer, or whose cvc is gone.
    return false
  }
}

function endsWith(shown: Json, last: string): boolean {
  if (typeof shown === 'string') return shown.endsWith(last)
  if (Array.isArray(shown)) return shown.some((each) => endsWith(each, last))
  return isObject(shown) && Object.values(shown).some((each) => endsWith(each, last))
}
