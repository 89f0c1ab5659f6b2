import type { InvitationStatus } from '../../../../../shared/schemas/member.ts'
import { recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { deleteById, listRows } from '../../crud.ts'

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

/** Stores a new invitation (rule M-01). */
export function insertInvitation(db: Database, row: InvitationRow): void {
  sql(
    db,
    `INSERT INTO invitation (${columns})
     VALUES (@id, @email, @role, @expires_at, @created_by, @created_at, @modified_by, @modified_at)`,
  ).run(row)
  recordChange(db, 'invitation', 'created', row.id)
}

/** Returns an invitation, expired or not, or undefined. */
export function findInvitation(db: Database, id: string): InvitationRow | undefined {
  return sql<InvitationRow>(db, `SELECT ${columns} FROM invitation WHERE id = ?`).get(id)
}

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

/** Stores the new expiry of an invitation, and who changed it. */
export function renewInvitation(db: Database, row: InvitationRow): void {
  sql(db, 'UPDATE invitation SET expires_at = ?, modified_by = ?, modified_at = ? WHERE id = ?').run(
    row.expires_at,
    row.modified_by,
    row.modified_at,
    row.id,
  )
  recordChange(db, 'invitation', 'updated', row.id)
}

/** Deletes an invitation, if it exists. */
export function deleteInvitation(db: Database, id: string): void {
  deleteById(db, 'invitation', id)
}
