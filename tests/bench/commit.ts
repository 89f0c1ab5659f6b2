import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { createKeys, Keyring } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { insertLog } from '../../electron/engine/pipeline/records.ts'
import { insertToken } from '../../electron/engine/resources/tokens/store.ts'
import { computeMedian } from './measure.ts'

/** Measures storing one token and its log record in its own commit, in microseconds. */
export function measureCommit(folder: string, commits: number): number {
  const db = openDatabase(path.join(folder, 'commit.db'), randomBytes(32), { create: true })
  migrateDatabase(db, migrations)
  const master = randomBytes(32)
  createKeys(db, master, 'bench', Date.now())
  const keyring = new Keyring(db, master, 'bench')
  const times: number[] = []
  for (let round = 0; round < commits; round++) {
    const [id, created_at] = [randomUUID(), Date.now()]
    const started = performance.now()
    db.exec('BEGIN IMMEDIATE')
    insertToken(
      { db, keyring },
      { ...row, id, created_at, data: randomBytes(104), fingerprint: randomBytes(32) },
    )
    insertLog(db, keyring, [{ ...record, entity_id: id, at: created_at, trace_id: randomUUID() }])
    db.exec('COMMIT')
    times.push(1000 * (performance.now() - started))
  }
  db.close()
  return computeMedian(times)
}

const row = {
  type: 'card',
  container: '/pci/high/',
  containers: null,
  mask: null,
  metadata: null,
  search_indexes: null,
  index_digests: null,
  fingerprint_expression: null,
  expires_at: null,
  expires_text: null,
  cvc_stored_at: null,
  created_by: null,
  modified_by: null,
  modified_at: null,
} as const

const record = {
  actor_type: 'application',
  actor_id: null,
  operation: 'tokens.create',
  entity_type: 'token',
  entity_ids: [],
  status: 201,
  note: 'mask, by rule 1 on / (token:create)',
  duration_us: 100,
} as const
