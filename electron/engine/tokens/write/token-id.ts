import { randomUUID } from 'node:crypto'
import { lengthOf } from '../../../../shared/characters.ts'
import { CofferError, invalid } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { TokenType } from '../../../../shared/token-types.ts'
import type { Context } from '../../door/context.ts'
import { insertLog } from '../../door/records.ts'
import { compile, evaluate } from '../../expressions/template.ts'
import { findTokenOfAnyAge } from '../store.ts'
import { textOf } from '../types/content.ts'
import { refuseSensitive } from '../types/sensitive.ts'
import { expireToken } from './expire.ts'

/**
 * Throws `invalid` unless an id chosen by the caller, or made by an expression, may be one (T-04):
 * 3 to 400 characters, none of `# / \ + ? [ ] | & = % < > { } ^`. Compared as written: no folding of look-alikes.
 */
export function checkTokenId(id: string, path: string): void {
  const length = lengthOf(id)
  if (length < 3 || length > 400) throw invalid(path, 'must have 3 to 400 characters')
  if (/[#/\\+?[\]|&=%<>{}^]/.test(id)) {
    throw invalid(path, 'must not contain any of # / \\ + ? [ ] | & = % < > { } ^')
  }
  // SECURITY: a lone surrogate cannot be stored or put in a path, and two of them would meet as one id.
  if (/\p{Cc}/u.test(id) || !id.isWellFormed()) throw invalid(path, 'must not contain control characters')
}

const ALIAS_TRIES = 5

/** The id of a new token (rule T-04): a UUID, a literal, or an expression over the data. Throws 400, and 409 for one that is taken. */
export function chooseId(
  context: Context,
  type: TokenType,
  { id, data, made_id }: { id: string | undefined; data: Json; made_id?: string | undefined },
): string {
  if (id === undefined) return made_id === undefined ? randomUUID() : requireFree(context, made_id)
  if (!id.includes('{{')) {
    checkTokenId(id, 'id')
    refuseSensitive(type, data, id, undefined)
    return requireFree(context, id)
  }
  const template = compile(id, 'id')
  for (let attempt = 0; attempt < ALIAS_TRIES; attempt++) {
    const value = evaluate(template, { data }, 'id')
    if (value === null || value === '') throw invalid('id', 'must not give null or an empty value')
    const text = textOf(value)
    checkTokenId(text, 'id')
    // SECURITY: an expression must not carry the plaintext into the id (rule T-05).
    refuseSensitive(type, data, text, undefined)
    if (!isTaken(context, text)) return text
  }
  return randomUUID()
}

function requireFree(context: Context, id: string): string {
  if (isTaken(context, id)) throw new CofferError('conflict', 'A token with this id exists already.')
  return id
}

/** Whether an id is taken (rule T-04). An expired token that waits to be deleted makes room at once. */
function isTaken(context: Context, id: string): boolean {
  const { db, keyring, now } = context
  const row = findTokenOfAnyAge(db, id)
  if (!row) return false
  if (row.expires_at === null || row.expires_at > now) return true
  insertLog(db, keyring, [expireToken(context, row)])
  return false
}
