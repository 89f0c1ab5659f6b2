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

/** The loaded rows of a list, which follow each other. `above` is how many rows are above them. */
export type LoadedRows = { readonly rows: readonly Token[]; readonly above: number }

/** Updates the loaded rows for a token that was created or changed, wherever it is in the list. */
export function placeInRows(
  { rows, above }: LoadedRows,
  token: Token,
  { sort, hasMore, isNew }: { sort: TokenSort; hasMore: boolean; isNew: boolean },
): LoadedRows {
  const isKnown = rows.some((row) => row.id === token.id)
  const [first] = rows
  const mayMove = !isKnown || sort === 'container'
  if (above === 0 || !first || !mayMove || !isBefore(token, first, sort))
    return { rows: insertInOrder(rows, token, hasMore, sort), above }
  return {
    rows: rows.filter((row) => row.id !== token.id),
    above: above + Number(isNew || isKnown),
  }
}

/** Rows of a list read again that are new. Below the last loaded row, they are also those of the next page. */
export function findNewRows(
  { rows, next }: { rows: readonly Token[]; next: string | null },
  data: readonly Token[],
): readonly Token[] {
  const known = new Set(rows.map(({ id }) => id))
  const end = next === null ? -1 : data.findLastIndex(({ id }) => known.has(id))
  return data.slice(0, end < 0 ? data.length : end).filter(({ id }) => !known.has(id))
}

/**
 * The index of the first row that was created until a time, if newer rows are above it; null otherwise, or if it is
 * not loaded. The rows are newest first.
 */
export function findSeenRow({ rows, above }: LoadedRows, since: number): number | null {
  const index = above > 0 ? -1 : rows.findIndex(({ created_at }) => Date.parse(created_at) <= since)
  return index > 0 ? index : null
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
