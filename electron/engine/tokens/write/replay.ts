import type { Transform } from '../../../../shared/schemas/rule.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { decide, explain, type Subject, weaker } from '../../access/access.ts'
import type { Context } from '../../door/context.ts'
import { goneSince } from '../../door/idempotency.ts'
import { toReference, toToken } from '../read/present.ts'
import { subjectOf } from '../read/require-token.ts'
import { findToken, type TokenRow } from '../store.ts'

/** What is kept of a token that a request created, changed or found, for a repeated one (rule A-12). */
export type KeptToken = {
  readonly id: string
  /** Its last change when that request was answered. */
  readonly modified_at: number | null
  readonly modified_by: string | null
  /** What the request would have created, if it found this token instead (rule T-10). */
  readonly asked?: Subject
}

/** What an update keeps (rule A-12): its token, and the one it would have duplicated (rule T-13). */
export type KeptUpdate = { readonly token: KeptToken; readonly original?: string }

/** Returns what is kept of a token (rule A-12). */
export function keptToken({ id, modified_at, modified_by }: TokenRow): KeptToken {
  return { id, modified_at, modified_by }
}

/** Presents the duplicate that was found, only by what identifies it if the caller may not read it (T-10, T-13). */
export function showDuplicate(context: Context, existing: TokenRow): CreatedToken {
  const read = decide(context.actor, 'token:read', subjectOf(existing), 'any')
  context.about(existing.id, `deduplicated; ${read ? explain(read, 'token:read') : 'shown without data'}`)
  const shown = read ? toToken(context, existing, read.transform) : toReference(context, existing)
  return { ...shown, _extras: { deduplicated: true } }
}

/**
 * Presents a token that an earlier request created or found, by what the caller may create and see now (rule A-12).
 * Throws `forbidden`, and `conflict` if the token is gone.
 */
export function showCreated(context: Context, kept: KeptToken): CreatedToken {
  const row = stillThere(context, kept.id)
  if (kept.asked) {
    context.require('token:create', kept.asked, 'all')
    return showDuplicate(context, row)
  }
  const { transform } = context.require('token:create', subjectOf(row), 'all')
  return showWritten(context, row, kept, transform)
}

/** As `showCreated`, for a token that an earlier request updated. */
export function showUpdated(context: Context, { token, original }: KeptUpdate): CreatedToken {
  const row = stillThere(context, token.id)
  const { transform } = context.require('token:update', subjectOf(row), 'all')
  if (original === undefined) return showWritten(context, row, token, transform)
  return showDuplicate(context, stillThere(context, original))
}

function stillThere({ db, now }: Context, id: string): TokenRow {
  const row = findToken(db, id, now)
  if (!row) throw goneSince()
  return row
}

/**
 * SECURITY: permission to create or update shows callers what they wrote themselves. Later changes by others are shown
 * only to those who may read the token; the rest see no more than its identity.
 */
function showWritten(context: Context, row: TokenRow, kept: KeptToken, transform: Transform): Token {
  const _extras = { deduplicated: false }
  if (row.modified_at === kept.modified_at && row.modified_by === kept.modified_by) {
    return { ...toToken(context, row, transform), _extras }
  }
  const read = decide(context.actor, 'token:read', subjectOf(row), 'any')
  if (read) return { ...toToken(context, row, weaker(transform, read.transform)), _extras }
  const { id, tenant_id, type, containers, created_by, created_at } = toToken(context, row, 'redact')
  return { id, tenant_id, type, containers, ...(created_by && { created_by }), created_at, _extras }
}
