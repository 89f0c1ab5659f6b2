import type { Token } from '../../../../shared/schemas/token.ts'

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The order of the list: primary container, creation, id, all descending (rule L-03). */
export function compareTokens(a: Token, b: Token): number {
  return (
    compareText(b.containers[0] ?? '', a.containers[0] ?? '') ||
    compareText(b.created_at, a.created_at) ||
    compareText(b.id, a.id)
  )
}

/**
 * The rows with a token put where it belongs, in place of the one of the same id. One that belongs after the last row
 * is left to the next page while there is one.
 */
export function placed(rows: readonly Token[], token: Token, hasMore: boolean): readonly Token[] {
  const others = rows.filter((row) => row.id !== token.id)
  const index = others.findIndex((row) => compareTokens(token, row) < 0)
  if (index < 0) return hasMore ? others : [...others, token]
  return others.toSpliced(index, 0, token)
}
