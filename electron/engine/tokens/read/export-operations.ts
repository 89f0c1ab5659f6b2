import { counted } from '../../../../shared/counted.ts'
import { readJson } from '../../../../shared/json.ts'
import { type ExportedToken, exportPage, exportQuery } from '../../../../shared/schemas/token-export.ts'
import type { Context } from '../../door/context.ts'
import { operation } from '../../door/operation.ts'
import type { Work } from '../../expressions/work.ts'
import { containersOf, findToken, findTokensAfter, type TokenRow } from '../store.ts'
import { maskOf, openData, transformed } from './present.ts'
import { bytesOf, Room } from './room.ts'

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
  handler(context, { after, size, clear, ids: wanted }) {
    const { db, now } = context
    const ids = wanted ? placesOf(wanted, after, size) : findTokensAfter(db, after, size)
    const room = new Room(context)
    const tokens: ExportedToken[] = []
    let next = ids.length < size ? null : (ids.at(-1)?.seq ?? null)
    let last = after
    for (const { seq, id } of ids) {
      const row = findToken(db, id, now)
      const made = row && room.fit(bytesOf(row), (work) => exported(context, row, clear, work))
      if (made === null) {
        // A page ends early where there is no room for the next token (rule R-03).
        next = last
        break
      }
      if (made) tokens.push(made)
      last = seq
    }
    context.about(null, `${counted(tokens.length, 'token')} ${clear ? 'in clear' : 'masked'}`)
    return { tokens, next }
  },
})

/** The next ids of a selection, each with its place in it, counted from 1. */
function placesOf(ids: readonly string[], after: number, size: number): { seq: number; id: string }[] {
  return ids.slice(after, after + size).map((id, index) => ({ seq: after + index + 1, id }))
}

function exported(context: Context, row: TokenRow, clear: boolean, work: Work): ExportedToken {
  const data = openData(context, row)
  // SECURITY: this alone decides whether the plaintext leaves the vault.
  const shown = transformed(context, work, clear ? 'reveal' : 'mask', data, maskOf(row, data))
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
