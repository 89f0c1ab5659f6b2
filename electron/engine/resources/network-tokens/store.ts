import type { NetworkTokenStatus } from '../../../../shared/schemas/network-token.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { defineTable } from '../crud.ts'

export type NetworkTokenRow = {
  id: string
  /** Of the number of the card. */
  fingerprint: Buffer
  /** Sealed JSON of `NetworkTokenContent`. */
  content: Buffer
  status: NetworkTokenStatus
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

const editable = 'status, modified_by, modified_at'
const columns = `id, fingerprint, content, created_by, created_at, ${editable}`

/** Stores, finds, updates and deletes network tokens (rule Z-03). */
export const {
  insertRow: insertNetworkToken,
  findRow: findNetworkToken,
  updateRow: updateNetworkToken,
  deleteRow: deleteNetworkToken,
} = defineTable<NetworkTokenRow>('network_token', columns, editable)

/** Returns the network token of the card whose number has this fingerprint, or undefined. */
export function findNetworkTokenOfCard(db: Database, fingerprint: Buffer): NetworkTokenRow | undefined {
  return sql<NetworkTokenRow>(db, `SELECT ${columns} FROM network_token WHERE fingerprint = ?`).get(
    fingerprint,
  )
}

export function listNetworkTokenIds(db: Database): string[] {
  return sql<string>(db, 'SELECT id FROM network_token ORDER BY created_at, rowid').pluck().all()
}
