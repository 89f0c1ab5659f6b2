import { readJson } from '../../../../shared/json.ts'
import { type ExportedToken, exportPage, exportQuery } from '../../../../shared/schemas/token-export.ts'
import type { Context } from '../../door/context.ts'
import { operation } from '../../door/operation.ts'
import { containersOf, findTokensAfter, type TokenRow } from '../store.ts'
import { maskOf, openData, transformed } from './present.ts'

export const exportMany = operation({
  summary: 'Export tokens for a file of the owner, masked or in clear; the log records it',
  route: null,
  permission: 'owner',
  entity: 'token',
  // A write, so that the record is on disk before the plaintext is returned.
  effect: 'write',
  status: 200,
  input: exportQuery,
  output: exportPage,
  handler(context, { after, size, clear }) {
    const rows = findTokensAfter(context.db, after, context.now, size)
    context.about(null, `${rows.length} tokens ${clear ? 'in clear' : 'masked'}`)
    const last = rows.at(-1)
    return {
      tokens: rows.map((row) => exported(context, row, clear)),
      next: rows.length < size || !last ? null : last.seq,
    }
  },
})

function exported(context: Context, row: TokenRow, clear: boolean): ExportedToken {
  const data = openData(context, row)
  // SECURITY: this alone decides whether the plaintext leaves the vault.
  const shown = transformed(context, clear ? 'reveal' : 'mask', data, maskOf(row, data))
  return {
    id: row.id,
    type: row.type,
    ...(shown !== undefined && { data: shown }),
    ...(row.mask !== null && { mask: readJson(row.mask) }),
    containers: containersOf(row),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
    ...(row.search_indexes !== null && { search_indexes: JSON.parse(row.search_indexes) }),
    ...(row.fingerprint_expression !== null && { fingerprint_expression: row.fingerprint_expression }),
    ...(row.expires_text !== null && { expires_at: row.expires_text }),
  }
}
