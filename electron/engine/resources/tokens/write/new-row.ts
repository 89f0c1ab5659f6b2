import { normalizeContainers } from '../../../../../shared/containers.ts'
import { checkMetadata } from '../../../../../shared/metadata.ts'
import { parseExpiresAt } from '../../../../../shared/moment.ts'
import { Problems } from '../../../../../shared/problems.ts'
import type { NewToken } from '../../../../../shared/schemas/token.ts'
import { getCreatorId } from '../../../access/actor.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { TokenRow } from '../store.ts'
import { deriveContent, type TokenContent } from '../types/content.ts'
import { hasCvc } from '../types/cvc.ts'
import { assertNoSensitiveValues } from '../types/sensitive.ts'
import { typeRules } from '../types/types.ts'
import { isFingerprinted, toContainerColumns, toContentColumns } from './columns.ts'
import { resolveContent } from './resolve-content.ts'
import { checkTokenId, chooseId } from './token-id.ts'

export type UncheckedToken = NewToken & { readonly made_id?: string | undefined }

/**
 * Checks a new token and chooses its id (rules T-02 to T-09, T-14, T-15). `made_id` is the UUID to use if the input has
 * no id. Throws `invalid`, and `conflict` if the id is taken.
 */
export function checkNewToken(context: Context, input: UncheckedToken) {
  const problems = new Problems()
  const resolved = problems.attemptCheck(() => resolveContent(context, input))
  const metadata = problems.attemptCheck(() => input.metadata && checkMetadata(input.metadata, 'metadata'))
  const containers = problems.attemptCheck(() =>
    input.containers
      ? normalizeContainers(input.containers, 'containers')
      : [resolved ? typeRules[resolved.type].container : '/'],
  ) ?? ['/']
  const expires = problems.attemptCheck(() =>
    input.expires_at === undefined ? null : parseExpiresAt(input.expires_at, context.now, 'expires_at'),
  )
  const literalId = input.id?.includes('{{') ? undefined : input.id
  problems.attemptCheck(() => literalId !== undefined && checkTokenId(literalId, 'id'))
  const { type, data } = resolved ?? problems.throwAll()
  const content: TokenContent = {
    type,
    data,
    metadata: input.metadata ?? {},
    mask: input.mask,
    fingerprint_expression: input.fingerprint_expression,
    search_indexes: input.search_indexes,
  }
  const derived = problems.concludeWith(() => {
    const derived = deriveContent(context.work, content)
    assertNoSensitiveValues(type, data, literalId, metadata)
    return derived
  })
  const id = chooseId(context, type, { ...input, data })
  context.recordPlaintextRead(data)
  return { id, content, containers, derived, metadata, expires }
}

/** Checks a new token and builds its row. Throws like `checkNewToken`. */
export function newTokenRow(context: Context, input: UncheckedToken) {
  const { now, actor } = context
  const { id, content, containers, derived, metadata, expires } = checkNewToken(context, input)
  const { type, data } = content
  const row: TokenRow = {
    id,
    type,
    ...toContainerColumns(containers),
    ...toContentColumns(
      context,
      id,
      content,
      derived,
      isFingerprinted(context.settings, content, input.deduplicate_token),
    ),
    created_at: now,
    metadata: metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
    expires_at: expires?.at ?? null,
    expires_text: expires?.text ?? null,
    cvc_stored_at: hasCvc(type, data) ? now : null,
    created_by: getCreatorId(actor),
    modified_by: null,
    modified_at: null,
  }
  return { row, containers, content: { type, data }, metadata }
}
