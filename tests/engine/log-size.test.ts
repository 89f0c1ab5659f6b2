import fs from 'node:fs'
import { expect, test } from 'vitest'
import { getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { countRows, withDatabase } from '../rows.ts'
import { openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const day = 24 * 60 * 60 * 1000
const MIB = 1024 * 1024

/** Adds log records in their stored form to the file of a closed vault. */
function fillLog(vault: TestVault, records: number, note = 'n'.repeat(300)): void {
  withDatabase(vault, (db) => {
    const insert = db.prepare(
      `INSERT INTO log (at, actor_type, operation, entity_type, entity_id, status, trace_id, duration_us, note)
       VALUES (?, 'application', 'tokens.get', 'token', ?, 200, ?, 1, ?)`,
    )
    db.transaction(() => {
      for (let at = 0; at < records; at++) insert.run(vault.clock.ms + at, `id-${at}`, `trace-${at}`, note)
      db.prepare(
        `INSERT INTO log_count VALUES ('token', 0, ?) ON CONFLICT DO UPDATE SET records = records + excluded.records`,
      ).run(records)
    })()
    db.pragma('wal_checkpoint(PASSIVE)')
  })
}

test('X-50 the file shrinks gradually after retention', async () => {
  const vault = openVault()
  await vault.owner.tokens.create({ id: 'kept', type: 'token', data: 'x' })
  fillLog(vault, 12_000, 'n'.repeat(1300))
  const before = fs.statSync(vault.file).size
  expect(before).toBeGreaterThan(15 * MIB)
  vault.clock.advance(120 * day)
  vault.engine.clock.acceptTime()
  const { block } = await measureLongestBlock(() => vault.engine.sweeper.sweep())
  expect(block).toBeLessThan(getMaxBlock(block))
  expect(countRows(vault).log).toBeLessThan(10)
  // The checkpoint thread may be running, and this checkpoint does not wait for it, so try repeatedly.
  const checkpointAndMeasure = () => {
    withDatabase(vault, (db) => db.pragma('wal_checkpoint(PASSIVE)'))
    return fs.statSync(vault.file).size
  }
  await expect.poll(checkpointAndMeasure).toBeLessThan(before / 3)
  withDatabase(vault, (db) => expect(db.pragma('integrity_check', { simple: true })).toBe('ok'))
  vault.reopen()
  expect((await vault.owner.tokens.reveal({ id: 'kept' })).data).toBe('x')
})

test('X-50 a file of an older version can shrink once it has been opened', async () => {
  const vault = openVault()
  await vault.owner.tokens.create({ id: 'kept', type: 'token', data: 'x' })
  vault.engine.close()
  const readVacuumMode = () => withDatabase(vault, (db) => db.pragma('auto_vacuum', { simple: true }))
  withDatabase(vault, (db) => {
    db.pragma('journal_mode = DELETE')
    db.pragma('auto_vacuum = NONE')
    db.exec('VACUUM')
  })
  expect(readVacuumMode()).toBe(0)
  vault.reopen()
  expect((await vault.owner.tokens.reveal({ id: 'kept' })).data).toBe('x')
  expect(readVacuumMode()).toBe(2)
})

test('X-50 the log retains only the newest records, as many as the setting allows', async () => {
  const vault = openVault()
  fillLog(vault, 3000)
  await vault.owner.tenants.update({ name: 'Test', settings: { log_retention_records: '1000' } })
  await vault.engine.sweeper.sweep()
  expect(countRows(vault).log).toBe(1000)
  const { data, pagination } = await vault.owner.logs.list({ size: 5000 })
  expect(pagination.total_items).toBe(1000)
  const oldest = data.toSorted((a, b) => Number(a.id) - Number(b.id))[0]
  expect(oldest?.entity_id).toBe('id-2001')
  expect(data.map(({ action }) => action)).toContain('tenants.update')
  await vault.engine.sweeper.sweep()
  expect(countRows(vault).log).toBe(1000)
})

test('X-50 R-02 log_retention_records outside 1,000 to 100,000,000 is rejected', async () => {
  const vault = openVault()
  for (const bad of ['0', '999', '100000001', 'many']) {
    const settings = { log_retention_records: bad }
    await expect(vault.owner.tenants.update({ name: 'Test', settings })).rejects.toThrow()
  }
})
