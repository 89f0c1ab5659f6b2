import type { TokenSort } from '../../../../shared/find.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { comparePositions, type Position } from '../../../../shared/token-order.ts'

function toPosition({ containers, created_at, id }: Token): Position {
  return [containers[0] ?? '', Date.parse(created_at), id]
}

/** Compares tokens in the vault's list order (rule L-03). */
export function compareTokens(a: Token, b: Token): number {
  return comparePositions(toPosition(a), toPosition(b))
}

/**
 * Inserts a token in order, replacing the row with the same id. A token that sorts after the last row is
 * omitted if there is another page.
 */
export function insertInOrder(
  rows: readonly Token[],
  token: Token,
  hasMore: boolean,
  sort: TokenSort = 'container',
): readonly Token[] {
  const known = rows.findIndex((row) => row.id === token.id)
  // An update never changes the creation time, so the position stays.
  if (known >= 0 && sort !== 'container') return rows.with(known, token)
  const rest = rows.filter((row) => row.id !== token.id)
  const index = rest.findIndex((row) => isBefore(token, row, sort))
  if (index < 0) return hasMore ? rest : [...rest, token]
  return rest.toSpliced(index, 0, token)
}

/**
 * Whether a token comes before a row. If both were created in the same millisecond, the token is newer,
 * because it arrived later.
 */
function isBefore(token: Token, row: Token, sort: TokenSort): boolean {
  if (sort === 'container') return compareTokens(token, row) < 0
  const difference = Date.parse(token.created_at) - Date.parse(row.created_at)
  return sort === 'newest' ? difference >= 0 : difference < 0
}
