import { randomUUID } from 'node:crypto'
import { countCodePoints } from '../../../../../shared/characters.ts'
import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import type { Json } from '../../../../../shared/json.ts'
import { MAX_TOKEN_ID_LENGTH } from '../../../../../shared/schemas/token.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'
import { compileExpression, evaluateTemplate } from '../../../expressions/template.ts'
import type { Context } from '../../../pipeline/context.ts'
import { insertLog } from '../../../pipeline/records.ts'
import { findTokenOfAnyAge } from '../store.ts'
import { toText } from '../types/content.ts'
import { assertNoSensitiveValues } from '../types/sensitive.ts'
import { expireToken } from './expire.ts'

/**
 * Throws `invalid` unless an id set by the caller or by an expression is valid (T-04): 3 to 400 characters, none of
 * `# / \ + ? [ ] | & = % < > { } ^`, no space at either end. Ids are compared as written, so similar characters are
 * different.
 */
export function checkTokenId(id: string, path: string): void {
  const length = countCodePoints(id)
  if (length < 3 || length > MAX_TOKEN_ID_LENGTH) {
    throw createInvalidError(path, `must have 3 to ${MAX_TOKEN_ID_LENGTH} characters`)
  }
  if (/[#/\\+?[\]|&=%<>{}^]/.test(id)) {
    throw createInvalidError(path, 'must not contain any of # / \\ + ? [ ] | & = % < > { } ^')
  }
  // Expressions trim the spaces around an id, so they could never find such a token.
  if (id !== id.trim()) throw createInvalidError(path, 'must not begin or end with a space')
  // SECURITY: lone surrogates cannot be stored or sent in a path, and ids that differ only in them would become the
  // same id.
  if (/\p{Cc}/u.test(id) || !id.isWellFormed())
    throw createInvalidError(path, 'must not contain control characters')
}

const MAX_ID_ATTEMPTS = 5

/**
 * Chooses the id of a new token (rule T-04): a UUID, the caller's id, which was checked before, or the result of its
 * expression. Throws
 * `invalid`, and `conflict` if the id is taken.
 */
export function chooseId(
  context: Context,
  type: TokenType,
  { id, data, made_id }: { id: string | undefined; data: Json; made_id?: string | undefined },
): string {
  if (id === undefined) return made_id === undefined ? newId() : requireFreeId(context, made_id)
  if (!id.includes('{{')) return requireFreeId(context, id)
  const template = compileExpression(context.work, id, 'id')
  for (let attempt = 0; attempt < MAX_ID_ATTEMPTS; attempt++) {
    const value = evaluateTemplate(context.work, template, { data }, 'id')
    if (value === null || value === '')
      throw createInvalidError('id', 'must not yield null or an empty value')
    const text = toText(value)
    checkTokenId(text, 'id')
    // SECURITY: an expression must not carry the plaintext into the id (rule T-05).
    assertNoSensitiveValues(type, data, text, undefined)
    if (!checkIdTaken(context, text)) return text
  }
  return newId()
}

function requireFreeId(context: Context, id: string): string {
  if (checkIdTaken(context, id)) throw new CofferError('conflict', 'A token with this id already exists.')
  return id
}

/** Returns whether an id is taken (T-04). Deletes an expired token with it, unless the clock may be wrong. */
function checkIdTaken(context: Context, id: string): boolean {
  const { db, keyring, now, clock } = context
  const row = findTokenOfAnyAge(db, id)
  if (!row) return false
  if (row.expires_at === null || row.expires_at > now || clock.isFarAhead) return true
  insertLog(db, keyring, [expireToken(context, row)])
  return false
}

/** Ids generated within this many milliseconds of each other share a prefix. */
const BURST_MS = 1

let burstPrefix = ''
let lastAt = Number.NEGATIVE_INFINITY

/**
 * Generates a UUID v4. Ids generated in a burst share their first four digits, so that the id index writes them to
 * neighbouring pages rather than to one page each. The other 106 bits are random.
 */
function newId(): string {
  const id = randomUUID()
  const now = performance.now()
  if (now - lastAt > BURST_MS) burstPrefix = id.slice(0, 4)
  lastAt = now
  return burstPrefix + id.slice(4)
}
