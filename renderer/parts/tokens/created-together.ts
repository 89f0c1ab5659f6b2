import type { CreatedTogether } from '../../../shared/find.ts'

const [BETWEEN, WITHIN, BASE] = ['_', '.', 36] as const

/**
 * Formats calls that created tokens as a query parameter. Each call is written as its differences from the
 * previous call, in base 36.
 */
export function formatCreated(calls: readonly CreatedTogether[]): string {
  let before = { last: 0, at: 0 }
  return calls
    .map((call) => {
      const numbers = [call.first - before.last, call.last - call.first, call.at - before.at]
      before = call
      return numbers.map((each) => each.toString(BASE)).join(WITHIN)
    })
    .join(BETWEEN)
}

/** Parses the query parameter that `formatCreated` returns. Returns an empty list if it is invalid. */
export function parseCreated(text: string): CreatedTogether[] {
  let before = { last: 0, at: 0 }
  const calls = text.split(BETWEEN).map((each) => {
    const [after = Number.NaN, more = Number.NaN, later = Number.NaN] = each
      .split(WITHIN)
      .map((number) => Number.parseInt(number, BASE))
    const first = before.last + after
    before = { last: first + more, at: before.at + later }
    return { first, ...before }
  })
  return calls.every((call) => Object.values(call).every(Number.isSafeInteger)) ? calls : []
}

export function countCreated(calls: readonly CreatedTogether[]): number {
  return calls.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}
