import type { RuleTransform } from '../../../../../shared/schemas/rule.ts'
import type { CreatedToken, Token, TokenExtras } from '../../../../../shared/schemas/token.ts'
import { decideAccess, describeGrant, getWeakerTransform, type Subject } from '../../../access/access.ts'
import type { Context } from '../../../pipeline/context.ts'
import { createDeletedSinceError } from '../../../pipeline/idempotency.ts'
import { addExtras, toReference, toToken } from '../read/present.ts'
import { toSubject } from '../read/require-token.ts'
import { findToken, type TokenRow } from '../store.ts'

/** What is stored about a token that a request created, changed or found, to replay the response (rule A-12). */
export type TokenReplay = {
  readonly id: string
  /** The time of the token's last change before the response was sent, in epoch ms. */
  readonly modified_at: number | null
  readonly modified_by: string | null
  /**
   * The token that the request would have created. Set only if the request found an existing duplicate instead (rule
   * T-10).
   */
  readonly asked?: Subject
  /** The `_extras` of the response. Absent for an update, and if an earlier version created or found the token. */
  readonly extras?: TokenExtras
}

/** The `_extras` of a response with a duplicate that stayed unchanged (rules T-10, T-13). */
const unchangedDuplicate: TokenExtras = { deduplicated: true, deduplication_behavior: 'read_existing' }

/** The replay data of an update: the token, and the id of the one that it would duplicate (T-13). */
export type TokenUpdateReplay = { readonly token: TokenReplay; readonly original?: string }

/** Returns the replay data of a token (rule A-12). */
export function toTokenReplay({ id, modified_at, modified_by }: TokenRow): TokenReplay {
  return { id, modified_at, modified_by }
}

/** Presents a duplicate, limited to its identifying members if the caller may not read it (T-10, T-13). */
export function presentDuplicate(
  context: Context,
  existing: TokenRow,
  extras: TokenExtras = unchangedDuplicate,
): CreatedToken {
  const read = decideAccess(context.actor, 'token:read', toSubject(existing), 'any')
  context.setRecordEntity(
    existing.id,
    `deduplicated; ${read ? describeGrant(read, 'token:read') : 'shown without data'}`,
  )
  const presented = read ? toToken(context, existing, read.transform) : toReference(context, existing)
  return addExtras(presented, extras)
}

/**
 * Presents a token that an earlier request created or found, limited to what the caller may create and read now (rule
 * Throws `forbidden`, and `conflict` if the token no longer exists.
 */
export function presentCreatedToken(context: Context, replayData: TokenReplay): CreatedToken {
  const row = requireExistingToken(context, replayData.id)
  if (replayData.asked) {
    context.requireAccess('token:create', replayData.asked, 'all')
    return presentDuplicate(context, row, replayData.extras)
  }
  const { transform } = context.requireAccess('token:create', toSubject(row), 'all')
  return presentWrittenToken(context, row, replayData, transform)
}

/**
 * Presents a token that an earlier request updated, limited to what the caller may update and read now (rule A-12).
 * Throws `forbidden`, and `conflict` if the token no longer exists.
 */
export function presentUpdatedToken(context: Context, { token, original }: TokenUpdateReplay): CreatedToken {
  const row = requireExistingToken(context, token.id)
  const { transform } = context.requireAccess('token:update', toSubject(row), 'all')
  if (original === undefined) return presentWrittenToken(context, row, token, transform)
  return presentDuplicate(context, requireExistingToken(context, original))
}

function requireExistingToken({ db, now }: Context, id: string): TokenRow {
  const row = findToken(db, id, now)
  if (!row) throw createDeletedSinceError()
  return row
}

/**
 * SECURITY: permission to create or update lets callers see what they wrote themselves. Later changes by others are
 * shown only to callers who may read the token; other callers see only its id, type, containers and creation.
 */
function presentWrittenToken(
  context: Context,
  row: TokenRow,
  replayData: TokenReplay,
  transform: RuleTransform,
): Token {
  const _extras = replayData.extras ?? { deduplicated: false }
  if (row.modified_at === replayData.modified_at && row.modified_by === replayData.modified_by) {
    return addExtras(toToken(context, row, transform), _extras)
  }
  const read = decideAccess(context.actor, 'token:read', toSubject(row), 'any')
  if (read) return addExtras(toToken(context, row, getWeakerTransform(transform, read.transform)), _extras)
  const { id, tenant_id, type, containers, created_by, created_at } = toToken(context, row, 'redact')
  return { id, tenant_id, type, containers, ...(created_by && { created_by }), created_at, _extras }
}
