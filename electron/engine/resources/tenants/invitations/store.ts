import type { InvitationStatus } from '../../../../../shared/schemas/member.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { defineTable, listRows } from '../../crud.ts'

export type InvitationRow = {
  id: string
  email: string
  role: string
  expires_at: number
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

const columns = 'id, email, role, expires_at, created_by, created_at, modified_by, modified_at'
/** An invitation has expired once `expires_at` is reached. */
const matching = "@status IS NULL OR iif(expires_at > @now, 'PENDING', 'EXPIRED') = @status"

/** Stores, finds, renews and deletes invitations, expired or not (rule M-01). */
export const {
  insertRow: insertInvitation,
  findRow: findInvitation,
  updateRow: renewInvitation,
  deleteRow: deleteInvitation,
} = defineTable<InvitationRow>('invitation', columns, 'expires_at, modified_by, modified_at')

export type InvitationFilter = { readonly status: InvitationStatus | null; readonly now: number }

/** Returns the number of invitations with a status; null means any status. */
export function countInvitations(db: Database, filter: InvitationFilter): number {
  return Number(sql(db, `SELECT count(*) FROM invitation WHERE ${matching}`).pluck().get(filter))
}

const listed = { table: 'invitation', columns, matching, order: 'seq DESC' } as const

/** Returns a page of the invitations with a status, newest first, and the number of all. */
export function listInvitations(
  db: Database,
  filter: InvitationFilter,
  limit: number,
  offset: number,
): { rows: InvitationRow[]; total: number } {
  return listRows(db, listed, filter, limit, offset)
}
