import type { Transform } from '../../../../shared/schemas/rule.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { decide, type Subject, weaker } from '../../access/access.ts'
import type { Context } from '../../door/context.ts'
import { goneSince } from '../../door/idempotency.ts'
import { toOriginal, toReference, toToken } from '../read/present.ts'
import { subjectOf } from '../read/require-token.ts'
import { findToken, type TokenRow } from '../store.ts'

/** What is kept of a token that a request made, changed or found, to show it again (rule A-12). */
export type KeptToken = {
  readonly id: string
  /** Its last change as that request left it. */
  readonly modified_at: number | null
  readonly modified_by: string | null
  /** What the request asked to make, where it found this token in its place (rule T-10). */
  readonly asked?: Subject
}

/** What an update keeps (rule A-12): the token it was for, and the one it would have equalled (rule T-13). */
export type KeptUpdate = { readonly token: KeptToken; readonly original?: string }

export function keptToken({ id, modified_at, modified_by }: TokenRow): KeptToken {
  return { id, modified_at, modified_by }
}

/** A token in whose place another was asked for (rules T-10, T-13), as `unreadable` where the caller may not read it. */
export function showDuplicate<T extends CreatedToken>(
  context: Context,
  existing: TokenRow,
  unreadable: (context: Context, row: TokenRow) => T,
): Token | T {
  context.about(existing.id, 'deduplicated')
  const read = decide(context.actor, 'token:read', subjectOf(existing), 'any')
  const shown = read ? toToken(context, existing, read.transform) : unreadable(context, existing)
  return { ...shown, _extras: { deduplicated: true } }
}

/**
 * A token that an earlier request made or found, as the caller may make and see it now (rule A-12). Throws 403, and
 * 409 where it is gone.
 */
export function showCreated(context: Context, kept: KeptToken): CreatedToken {
  const row = stillThere(context, kept.id)
  if (kept.asked) {
    context.require('token:create', kept.asked, 'all')
    return showDuplicate(context, row, toReference)
  }
  const { transform } = context.require('token:create', subjectOf(row), 'all')
  return showWritten(context, row, kept, transform)
}

/** As `showCreated`, for a token that an earlier request changed. */
export function showUpdated(context: Context, { token, original }: KeptUpdate): Token {
  const row = stillThere(context, token.id)
  const { transform } = context.require('token:update', subjectOf(row), 'all')
  if (original === undefined) return showWritten(context, row, token, transform)
  return showDuplicate(context, stillThere(context, original), toOriginal)
}

function stillThere({ db, now }: Context, id: string): TokenRow {
  const row = findToken(db, id, now)
  if (!row) throw goneSince()
  return row
}

/**
 * SECURITY: to create or to update shows the caller what it has just written itself. What somebody wrote since is shown
 * only as the caller may read it; where it may not, the token's identity alone.
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
