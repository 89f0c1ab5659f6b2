import { randomUUID } from 'node:crypto'
import { CofferError, invalid } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { Problems } from '../../../../shared/problems.ts'
import type { NewToken } from '../../../../shared/schemas/token.ts'
import type { Settings } from '../../../../shared/settings.ts'
import { tokenTypes } from '../../../../shared/token-types.ts'
import { creatorId } from '../../access/actor.ts'
import { normalizeContainers } from '../../access/containers.ts'
import type { Context } from '../../door/context.ts'
import { compile, evaluate } from '../../expressions/template.ts'
import type { TokenRow } from '../store.ts'
import { type Derived, deriveContent, type TokenContent, textOf } from '../types/content.ts'
import { hasCvc } from '../types/cvc.ts'
import { refuseSensitive } from '../types/sensitive.ts'
import { isTokenType, rulesOf, type TokenType } from '../types/types.ts'
import { isDeduplicated } from './duplicate.ts'
import { isTaken } from './expire.ts'
import { parseExpiresAt } from './expires-at.ts'
import { checkMetadata } from './metadata.ts'
import { checkTokenId } from './token-id.ts'

/** A token type by name; throws 400 for one that does not exist (rule T-02). */
export function requireType(value: string): TokenType {
  if (!isTokenType(value)) throw invalid('type', `must be one of ${tokenTypes.join(', ')}`)
  return value
}

/** Whether a token is given a fingerprint (rule T-09). */
export function isFingerprinted(
  settings: Settings,
  content: TokenContent,
  deduplicate_token: boolean | null | undefined,
): boolean {
  return (
    settings.fingerprint_tokens === 'true' ||
    content.fingerprint_expression !== undefined ||
    isDeduplicated(settings, deduplicate_token)
  )
}

/** The columns that seal a content and find it again, by a fingerprint too where `with_fingerprint`. */
export function contentColumns(
  { keyring }: Pick<Context, 'keyring'>,
  id: string,
  content: TokenContent,
  { fingerprinted, index_values }: Derived,
  with_fingerprint: boolean,
) {
  return {
    data: keyring.sealValue(JSON.stringify(content.data), id, 'data'),
    mask: content.mask === undefined ? null : JSON.stringify(content.mask),
    fingerprint_expression: content.fingerprint_expression ?? null,
    fingerprint: with_fingerprint ? keyring.fingerprint(content.type, fingerprinted) : null,
    search_indexes: content.search_indexes ? JSON.stringify(content.search_indexes) : null,
    index_digests:
      index_values.length > 0 ? Buffer.concat(index_values.map((value) => keyring.indexDigest(value))) : null,
  }
}

/** The columns of a token's containers, the primary one first. */
export function containerColumns(containers: readonly string[]) {
  return {
    container: containers[0] as string,
    containers: containers.length > 1 ? JSON.stringify(containers) : null,
  }
}

/**
 * The row of a new token, everything checked but its id's uniqueness (rules T-02 to T-09, T-14, T-15). `made_id` is a
 * UUID to take where it brings no id.
 */
export function newTokenRow(
  context: Context,
  input: Omit<NewToken, 'type' | 'data'> & { type: string; data: Json; made_id?: string | undefined },
): { row: TokenRow; containers: string[] } {
  const { now, actor } = context
  const type = requireType(input.type)
  const problems = new Problems()
  const metadata = problems.attempt(() => input.metadata && checkMetadata(input.metadata, 'metadata'))
  const containers = problems.attempt(() =>
    input.containers ? normalizeContainers(input.containers, 'containers') : [rulesOf[type].container],
  ) ?? ['/']
  const expires = problems.attempt(() =>
    input.expires_at === undefined ? null : parseExpiresAt(input.expires_at, now, 'expires_at'),
  )
  const content: TokenContent = {
    type,
    data: input.data,
    metadata: input.metadata ?? {},
    mask: input.mask,
    fingerprint_expression: input.fingerprint_expression,
    search_indexes: input.search_indexes,
  }
  const derived = problems.attempt(() => deriveContent(content))
  problems.throwIfAny()
  const id = chooseId(context, type, input)
  refuseSensitive(type, input.data, input.id === undefined ? undefined : id, metadata)
  const row: TokenRow = {
    id,
    type,
    ...containerColumns(containers),
    ...contentColumns(
      context,
      id,
      content,
      derived ?? deriveContent(content),
      isFingerprinted(context.settings, content, input.deduplicate_token),
    ),
    created_at: now,
    metadata: metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
    expires_at: expires?.at ?? null,
    expires_text: expires?.text ?? null,
    cvc_stored_at: hasCvc(type, input.data) ? now : null,
    created_by: creatorId(actor),
    modified_by: null,
    modified_at: null,
  }
  return { row, containers }
}

const ALIAS_TRIES = 5

/** The id of a new token (rule T-04): a UUID, a literal, or an expression over the data. */
function chooseId(
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
