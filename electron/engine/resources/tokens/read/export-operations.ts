import { formatCount } from '../../../../../shared/format-count.ts'
import { readJson } from '../../../../../shared/json.ts'
import { type ExportedToken, exportPage, exportQuery } from '../../../../../shared/schemas/token-export.ts'
import type { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { findToken, findTokensAfter, getContainers, type TokenRow } from '../store.ts'
import { AnswerBudget, getStoredSize } from './answer-budget.ts'
import { applyTransform, openData, resolveMask } from './present.ts'

export const exportMany = defineOperation({
  summary: "Export tokens to the owner's file, masked or as plaintext; the log records it",
  entity: 'token',
  // Declared as a write, so that the log record is on disk before the plaintext is returned.
  effect: 'write',
  input: exportQuery,
  output: exportPage,
  handler(context, { after, size, clear, ids: selected }) {
    const { db, now } = context
    const ids = selected ? numberIds(selected, after, size) : findTokensAfter(db, after, size)
    const budget = new AnswerBudget(context)
    const tokens: ExportedToken[] = []
    let next = ids.length < size ? null : (ids.at(-1)?.seq ?? null)
    let last = after
    for (const { seq, id } of ids) {
      const row = findToken(db, id, now)
      const exportedToken =
        row && budget.fitValue(getStoredSize(row), (work) => exportToken(context, row, clear, work))
      if (exportedToken === null) {
        // The page ends early if the next token exceeds the budget (rule R-03).
        next = last
        break
      }
      if (exportedToken) tokens.push(exportedToken)
      last = seq
    }
    context.setRecordEntity(
      null,
      `${formatCount(tokens.length, 'token')} ${clear ? 'in plaintext' : 'masked'}`,
    )
    return { tokens, next }
  },
})

/** Returns the next `size` ids of a selection, each with its position, counted from 1. */
function numberIds(ids: readonly string[], after: number, size: number): { seq: number; id: string }[] {
  return ids.slice(after, after + size).map((id, index) => ({ seq: after + index + 1, id }))
}

function exportToken(context: Context, row: TokenRow, clear: boolean, work: WorkBudget): ExportedToken {
  const data = openData(context, row)
  // SECURITY: `clear` alone decides whether plaintext leaves the vault.
  const visibleData = applyTransform(context, work, clear ? 'reveal' : 'mask', data, resolveMask(row, data))
  return {
    id: row.id,
    type: row.type,
    ...(visibleData !== undefined && { data: visibleData }),
    ...(row.mask !== null && { mask: readJson(row.mask) }),
    containers: getContainers(row),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
    ...(row.search_indexes !== null && { search_indexes: JSON.parse(row.search_indexes) }),
    ...(row.fingerprint_expression !== null && { fingerprint_expression: row.fingerprint_expression }),
    ...(row.expires_text !== null && { expires_at: row.expires_text }),
  }
}
