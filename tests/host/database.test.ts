import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Migration, migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { CofferError } from '../../shared/errors.ts'

const key = randomBytes(32)
let folder: string
let file: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  file = path.join(folder, 'vault.db')
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Returns every file of the folder with its content. */
function readDatabaseFiles(): Record<string, string> {
  const names = fs.readdirSync(folder).filter((name) => !name.endsWith('-shm'))
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name), 'base64')]))
}

function createFilledDatabase(target = file, secret = key, rows = 500) {
  const db = openDatabase(target, secret, { create: true })
  db.exec('CREATE TABLE note (text TEXT NOT NULL) STRICT')
  const insert = db.prepare('INSERT INTO note VALUES (?)')
  for (let row = 0; row < rows; row++) insert.run('canary-5555-'.repeat(20))
  return db
}

function catchOpenError(secret = key): CofferError {
  const before = readDatabaseFiles()
  let thrown: unknown
  try {
    openDatabase(file, secret, { create: false }).close()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(CofferError)
  expect(readDatabaseFiles()).toEqual(before)
  return thrown as CofferError
}

test('X-23 database and write-ahead log contain no plaintext, and only the owner has access', () => {
  const db = createFilledDatabase()
  for (const end of ['', '-wal']) {
    const content = fs.readFileSync(file + end)
    expect(content.includes('canary')).toBe(false)
    expect(content.includes('SQLite format 3')).toBe(false)
    if (process.platform !== 'win32') expect(fs.statSync(file + end).mode & 0o077).toBe(0)
  }
  db.close()
  expect(fs.readFileSync(file).includes('canary')).toBe(false)
})

test('a reopened database uses WAL, full sync, secure deletion and AEGIS-256', () => {
  createFilledDatabase().close()
  const db = openDatabase(file, key, { create: false })
  const names = ['journal_mode', 'synchronous', 'secure_delete', 'temp_store', 'foreign_keys', 'cipher']
  const values = names.map((name) => db.pragma(name, { simple: true }))
  expect(values).toEqual(['wal', 2, 1, 2, 1, 'aegis'])
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(12000)
  expect(db.pragma('algorithm', { simple: true })).toBe('aegis-256')
  db.close()
})

test('X-28 create rejects an existing file, and open rejects a missing one', () => {
  createFilledDatabase().close()
  const before = readDatabaseFiles()
  expect(() => openDatabase(file, key, { create: true })).toThrow(/already exists/)
  expect(readDatabaseFiles()).toEqual(before)
  const missing = path.join(folder, 'other.db')
  expect(() => openDatabase(missing, key, { create: false })).toThrow(/There is no vault file/)
  expect(fs.existsSync(missing)).toBe(false)
})

test("X-28 an unencrypted SQLite file in the vault's place is rejected and not changed", () => {
  const plain = new DatabaseSync(file)
  plain.exec('CREATE TABLE note (text TEXT)')
  plain.close()
  const error = catchOpenError()
  expect(error.code).toBe('damaged')
  expect(error.message).toMatch(/unencrypted SQLite file/)
})

test('X-26 after a crash, a wrong key is rejected, and the right key reads every row', () => {
  const db = createFilledDatabase()
  const crashed = path.join(folder, 'crashed')
  fs.mkdirSync(crashed)
  for (const end of ['', '-wal']) fs.copyFileSync(file + end, path.join(crashed, `vault.db${end}`))
  db.close()
  folder = crashed
  file = path.join(crashed, 'vault.db')
  expect(catchOpenError(randomBytes(32)).message).toMatch(/does not open with this key/)
  const again = openDatabase(file, key, { create: false })
  expect(again.prepare('SELECT count(*) FROM note').pluck().get()).toBe(500)
  again.close()
  fs.rmSync(path.dirname(crashed), { recursive: true })
})

test.each([
  ['to nothing', () => 0],
  ['to ten bytes', () => 10],
  ['to one page', () => 4096],
  ['to half', (size: number) => Math.floor(size / 8192) * 4096],
  ['by one page', (size: number) => size - 4096],
  ['by one byte', (size: number) => size - 1],
])('X-26 a database file truncated %s is rejected and not changed', (_name, length) => {
  createFilledDatabase().close()
  fs.truncateSync(file, length(fs.statSync(file).size))
  const error = catchOpenError()
  expect(error.code).toBe('damaged')
  expect(error.message).toMatch(/restore a backup/i)
})

test('X-26 a database whose first writes were only in a missing write-ahead log is rejected', () => {
  const db = createFilledDatabase()
  const copy = fs.readFileSync(file)
  db.close()
  fs.writeFileSync(file, copy)
  expect(catchOpenError().message).toMatch(/write-ahead log/)
})

test("X-26 another vault's log is rejected, and the vault opens without it", () => {
  createFilledDatabase().close()
  const other = path.join(folder, 'other.db')
  const db = createFilledDatabase(other, randomBytes(32))
  fs.copyFileSync(`${other}-wal`, `${file}-wal`)
  db.close()
  expect(catchOpenError().code).toBe('damaged')
  fs.rmSync(`${file}-wal`)
  openDatabase(file, key, { create: false }).close()
})

test('X-26 a flipped byte anywhere is rejected or leaves the data unchanged', () => {
  createFilledDatabase(file, key, 40).close()
  const good = fs.readFileSync(file)
  for (let at = 0; at < good.length; at += 97) {
    const bad = Buffer.from(good)
    bad.writeUInt8(bad.readUInt8(at) ^ 0x10, at)
    fs.writeFileSync(file, bad)
    try {
      const db = openDatabase(file, key, { create: false })
      try {
        const texts = db.prepare('SELECT DISTINCT text FROM note').pluck().all()
        expect(texts).toEqual(['canary-5555-'.repeat(20)])
      } finally {
        db.close()
      }
    } catch (error) {
      expect((error as { code: string }).code).toMatch(/^(damaged|SQLITE_CORRUPT)/)
    }
  }
})

const first: Migration = { version: 1, name: 'first', up: (db) => db.exec('CREATE TABLE a (x TEXT) STRICT') }
const second: Migration = {
  version: 2,
  name: 'second',
  up: (db) => db.exec('CREATE TABLE b (x TEXT) STRICT'),
}
const failingMigration: Migration = {
  version: 2,
  name: 'failing',
  up: (db) => {
    db.exec('CREATE TABLE c (x TEXT) STRICT')
    throw new Error('no further')
  },
}

test('migrations run once, in order, each in a transaction, after a backup', () => {
  const steps: number[][] = []
  const options = { beforeMigrating: (_db: unknown, from: number, to: number) => steps.push([from, to]) }
  const db = openDatabase(file, key, { create: true })
  migrateDatabase(db, [first], options)
  expect(steps).toEqual([])
  expect(() => migrateDatabase(db, [first, failingMigration], options)).toThrow('no further')
  expect(db.pragma('user_version', { simple: true })).toBe(1)
  migrateDatabase(db, [first, second], options)
  migrateDatabase(db, [first, second], options)
  expect(steps).toEqual([
    [1, 2],
    [1, 2],
  ])
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()
  expect(tables).toEqual(['a', 'b'])
  expect(db.pragma('user_version', { simple: true })).toBe(2)
  expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
  db.close()
})

test('a failed backup stops the migration', () => {
  const db = openDatabase(file, key, { create: true })
  migrateDatabase(db, [first])
  const beforeMigrating = () => {
    throw new Error('no backup')
  }
  expect(() => migrateDatabase(db, [first, second], { beforeMigrating })).toThrow('no backup')
  expect(db.pragma('user_version', { simple: true })).toBe(1)
  db.close()
})

test('X-29 a vault of a newer format is rejected without a write', () => {
  const db = openDatabase(file, key, { create: true })
  migrateDatabase(db, [first, second])
  db.close()
  const before = readDatabaseFiles()
  const old = openDatabase(file, key, { create: false })
  expect(() => migrateDatabase(old, [first])).toThrow(/Install the newer Coffer/)
  old.close()
  expect(readDatabaseFiles()).toEqual(before)
})
