import fs from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey, Keyring } from '../../electron/engine/crypto/keyring.ts'
import { type Database, openDatabase } from '../../electron/engine/db/open.ts'
import { inspectFile } from '../../electron/engine/files/inspect-file.ts'
import { findTenantId } from '../../electron/engine/resources/tenants/store.ts'
import { toFirstFormat } from '../first-format.ts'
import { openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const day = 24 * 60 * 60 * 1000

/** Opens a vault and fills its log with creates, reads and rejected calls, in separate or shared writes. */
async function fillVault(count = 30): Promise<TestVault> {
  const vault = openVault()
  const app = await vault.application({ permissions: ['token:create', 'token:read'] })
  for (let at = 0; at < count; at++) {
    const { id } = await app.client.tokens.create({ type: 'token', data: `value ${at}` })
    await app.client.tokens.get({ id })
    if (at % 3 === 0) vault.engine.outcomes.flushLog()
  }
  await app.client.tokens.remove({ id: 'nothing' }).catch(() => {})
  const payload = { a: { type: 'token', data: 'one' }, b: { type: 'token', data: 'two' } }
  await app.client.tokens.tokenize({ payload })
  vault.engine.outcomes.flushLog()
  return vault
}

const checkVault = ({ file, master }: Pick<TestVault, 'file' | 'master'>) =>
  inspectFile({ database: file, master }).log

/** Changes the closed file, as an attacker who has its key could. */
function tamperWithFile({ file, master }: TestVault, change: (db: Database) => void): void {
  const db = openDatabase(file, deriveDatabaseKey(master), { create: false })
  db.pragma('foreign_keys = OFF')
  try {
    change(db)
  } finally {
    db.close()
  }
}

test('O-05 the chain is intact after calls and a restart', async () => {
  const vault = await fillVault()
  const before = checkVault(vault)
  expect(before).toEqual({ records: expect.any(Number), unchecked: 0, broken: null })
  expect(before?.records).toBeGreaterThan(60)
  vault.reopen()
  await vault.owner.tokens.create({ type: 'token', data: 'later' })
  expect(checkVault(vault)).toEqual({ records: (before?.records ?? 0) + 1, unchecked: 0, broken: null })
})

test.each<[string, (db: Database) => void]>([
  ['altered', (db) => db.exec('UPDATE log SET status = 200, note = NULL WHERE status >= 400')],
  ['altered in its time', (db) => db.exec('UPDATE log SET at = at + 1 WHERE seq = 20')],
  ['removed from the middle', (db) => db.exec('DELETE FROM log WHERE seq = 20')],
  [
    'removed with its row of the chain',
    (db) =>
      db.exec(`DELETE FROM log WHERE seq IN (SELECT first FROM log_chain WHERE first = last AND first > 3 LIMIT 1);
      DELETE FROM log_chain WHERE first = last AND first NOT IN (SELECT seq FROM log) AND first > 0`),
  ],
  ['removed from the end', (db) => db.exec('DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)')],
  [
    'removed from the end with the chain',
    (db) =>
      db.exec(`DELETE FROM log WHERE seq >= (SELECT max(first) FROM log_chain);
      DELETE FROM log_chain WHERE first = (SELECT max(first) FROM log_chain)`),
  ],
  [
    'added at the end',
    (db) =>
      db.exec(`INSERT INTO log (at, actor_type, operation, entity_type, status, trace_id, duration_us)
      VALUES (1, 'owner', 'tokens.get', 'token', 200, 'x', 1)`),
  ],
  [
    'swapped with another',
    (db) =>
      db.exec(`UPDATE log SET seq = -20 WHERE seq = 20; UPDATE log SET seq = 20 WHERE seq = 22;
      UPDATE log SET seq = 22 WHERE seq = -20`),
  ],
])('O-05 a record that was %s is detected', async (_name, change) => {
  const vault = await fillVault()
  tamperWithFile(vault, change)
  expect(checkVault(vault)?.broken).toEqual({ first: expect.any(Number), last: expect.any(Number) })
})

test('O-05 an entity added to a record, or removed, is detected', async () => {
  const vault = await fillVault()
  tamperWithFile(vault, (db) => {
    expect(
      db.prepare('DELETE FROM log_entity WHERE seq = (SELECT max(seq) FROM log_entity)').run().changes,
    ).toBe(2)
  })
  expect(checkVault(vault)?.broken).not.toBeNull()
})

test('O-05 records swapped in from an older copy are detected', async () => {
  const vault = await fillVault()
  vault.engine.close()
  const older = `${vault.file}.older`
  fs.copyFileSync(vault.file, older)
  vault.reopen()
  for (let at = 0; at < 30; at++) await vault.owner.tokens.create({ type: 'token', data: 'more' })
  vault.engine.close()
  // Put the older copy's rows of this table into the current file.
  const old = openDatabase(older, deriveDatabaseKey(vault.master), { create: false })
  const rows = old.prepare('SELECT * FROM log_chain').raw().all()
  old.close()
  tamperWithFile(vault, (db) => {
    db.exec('DELETE FROM log_chain')
    const insert = db.prepare('INSERT INTO log_chain VALUES (?, ?, ?, ?)')
    for (const row of rows as unknown[][]) insert.run(row)
  })
  expect(checkVault(vault)?.broken).toMatchObject({ first: expect.any(Number) })
})

test('O-05 records deleted by retention are not reported, and shorten the chain', async () => {
  const vault = await fillVault(200)
  vault.clock.advance(100 * day)
  vault.engine.clock.acceptTime()
  for (let at = 0; at < 5; at++) await vault.owner.tokens.create({ type: 'token', data: 'later' })
  await vault.engine.sweeper.sweep()
  const log = checkVault(vault)
  expect(log).toMatchObject({ unchecked: 0, broken: null })
  expect(log?.records).toBeLessThan(20)
  tamperWithFile(vault, (db) => {
    const links = Number(db.prepare('SELECT count(*) FROM log_chain').pluck().get())
    expect(links).toBeLessThan(20)
    // Delete the oldest remaining record without updating the chain, as retention would.
    db.exec('DELETE FROM log WHERE seq = (SELECT min(seq) FROM log)')
  })
  expect(checkVault(vault)?.broken).not.toBeNull()
})

test('O-05 a write partly deleted by retention is reported as unchecked, not as broken', async () => {
  const vault = await fillVault()
  tamperWithFile(vault, (db) => {
    const link = db
      .prepare('SELECT first FROM log_chain WHERE last > first ORDER BY first LIMIT 1')
      .pluck()
      .get()
    db.prepare('DELETE FROM log WHERE seq = ?').run(link)
    db.prepare('UPDATE log_chain SET gone = gone + 1 WHERE first = ?').run(link)
  })
  const log = checkVault(vault)
  expect(log?.broken).toBeNull()
  expect(log?.unchecked).toBeGreaterThan(0)
})

test('O-05 the chain of an older vault starts with its next record', async () => {
  const vault = await fillVault()
  const { records = 0 } = checkVault(vault) ?? {}
  vault.engine.close()
  toFirstFormat(vault)
  expect(checkVault(vault)).toBeNull()
  vault.reopen()
  await vault.owner.tokens.create({ type: 'token', data: 'later' })
  expect(checkVault(vault)).toEqual({ records: 1, unchecked: records, broken: null })
  vault.clock.advance(100 * day)
  vault.engine.clock.acceptTime()
  await vault.owner.tokens.create({ type: 'token', data: 'much later' })
  await vault.engine.sweeper.sweep()
  expect(checkVault(vault)).toMatchObject({ unchecked: 0, broken: null })
})

test('the seal count is exact after a clean close, and never too low after a kill', async () => {
  const vault = openVault()
  const readSeals = (file = vault.file) => {
    const db = openDatabase(file, deriveDatabaseKey(vault.master), { create: false })
    const found = new Keyring(db, vault.master, findTenantId(db)).seals
    db.close()
    return found
  }
  for (let at = 0; at < 10; at++) await vault.owner.tokens.create({ type: 'token', data: 'x' })
  expect(vault.engine.lifecycle.seals).toBe(10)
  // Copy the file and its write-ahead log without a clean close, as after kill -9.
  const killed = `${vault.file}.killed`
  for (const end of ['', '-wal']) fs.copyFileSync(vault.file + end, killed + end)
  expect(readSeals(killed)).toBeGreaterThanOrEqual(10)
  expect(readSeals(killed)).toBeLessThan(100_000)
  vault.reopen()
  expect(vault.engine.lifecycle.seals).toBe(10)
  await vault.engine.lifecycle.rotateDataKey(vault.master)
  expect(vault.engine.lifecycle.seals).toBe(10)
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  vault.reopen()
  expect(vault.engine.lifecycle.seals).toBe(11)
})

test('a seal count is written again after its transaction was rolled back', async () => {
  const vault = openVault()
  const refused = vault.owner.tokens.create({ type: 'token', data: 'x', metadata: { a: 'x'.repeat(3000) } })
  await refused.catch(() => {})
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  onTestFinished(() => void db.close())
  const keyring = new Keyring(db, vault.master, vault.engine.tenant_id)
  const readSeals = () => new Keyring(db, vault.master, vault.engine.tenant_id).seals
  db.exec('BEGIN')
  keyring.sealValue('x', 'row', 'data')
  keyring.countSeals(db)
  db.exec('ROLLBACK')
  expect(readSeals()).toBe(0)
  db.exec('BEGIN')
  keyring.sealValue('x', 'row', 'data')
  keyring.countSeals(db)
  db.exec('COMMIT')
  expect(readSeals()).toBeGreaterThanOrEqual(2)
})

test('the seal count of an older vault is estimated from its records', async () => {
  const vault = await fillVault()
  vault.engine.close()
  toFirstFormat(vault)
  vault.reopen()
  expect(vault.engine.lifecycle.seals).toBeGreaterThanOrEqual(32)
})
