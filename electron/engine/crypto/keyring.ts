import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Database } from '../db/open.ts'
import { seal, unseal } from './envelope.ts'
import { isAnySealedUnderOther } from './sealed-columns.ts'

type Purpose = 'data' | 'fingerprint' | 'index' | 'cursor'
const INSERT_KEY = 'INSERT INTO key (purpose, version, wrapped, created_at) VALUES (?, ?, ?, ?)'
const purposes: readonly Purpose[] = ['data', 'fingerprint', 'index', 'cursor']

/** Derives the key of the database file from the master secret. 32 bytes; the caller zeroes them. */
export function databaseKey(master: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', 'coffer database key v1', 32))
}

function wrappingKey(master: Buffer): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', master, '', 'coffer wrapping key v1', 32))
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** Derives the key that seals the count of a vault's commits, in the file beside the database. */
export function countKey(master: Buffer): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', master, '', 'coffer commit count key v1', 32))
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** Generates the random keys of a new vault and stores them wrapped under the master secret. */
export function createKeys(db: Database, master: Buffer, tenant_id: string, now: number): void {
  const wrapping = wrappingKey(master)
  const insert = db.prepare(INSERT_KEY)
  for (const purpose of purposes) {
    const bytes = randomBytes(32)
    insert.run(purpose, 1, seal(wrapping, bytes, aadOfKey(tenant_id, purpose, 1)), now)
    bytes.fill(0)
  }
}

/** Rewraps all keys under another master secret. */
export function rewrapKeys(db: Database, masters: { from: Buffer; to: Buffer }, tenant_id: string): void {
  const from = wrappingKey(masters.from)
  const to = wrappingKey(masters.to)
  const update = db.prepare('UPDATE key SET wrapped = ? WHERE purpose = ? AND version = ?')
  db.transaction(() => {
    for (const { purpose, version, wrapped } of wrappedKeys(db)) {
      const aad = aadOfKey(tenant_id, purpose, version)
      const bytes = unseal(from, wrapped, aad)
      update.run(seal(to, bytes, aad), purpose, version)
      bytes.fill(0)
    }
  })()
}

type WrappedKey = { purpose: Purpose; version: number; wrapped: Buffer }

function wrappedKeys(db: Database): WrappedKey[] {
  return db.prepare('SELECT purpose, version, wrapped FROM key ORDER BY version').all() as WrappedKey[]
}

function aadOfKey(tenant_id: string, purpose: string, version: number): string {
  return `${tenant_id}|key|${purpose}|${version}`
}

/** The vault's unwrapped keys and the operations on them. Plaintext keys exist nowhere else. */
export class Keyring {
  readonly #tenant_id: string
  readonly #data = new Map<number, KeyObject>()
  readonly #single = new Map<Purpose, KeyObject>()
  #current = 0

  /** Unwraps all keys; throws 500 if the master secret does not open them. */
  constructor(db: Database, master: Buffer, tenant_id: string) {
    this.#tenant_id = tenant_id
    const wrapping = wrappingKey(master)
    for (const row of wrappedKeys(db)) {
      const bytes = unseal(wrapping, row.wrapped, aadOfKey(tenant_id, row.purpose, row.version))
      const key = createSecretKey(bytes)
      bytes.fill(0)
      if (row.purpose === 'data') {
        this.#data.set(row.version, key)
        this.#current = row.version
      } else this.#single.set(row.purpose, key)
    }
  }

  #key(purpose: Purpose): KeyObject {
    const key = this.#single.get(purpose)
    if (!key) throw new CofferError('internal', `The vault has no ${purpose} key.`)
    return key
  }

  /** Seals a value of one row and column under the newest data key: key version (4 bytes), then the envelope. */
  sealValue(plaintext: string, row: string, column: string): Buffer {
    const key = this.#data.get(this.#current)
    if (!key) throw new CofferError('internal', 'The vault has no data key.')
    const version = Buffer.alloc(4)
    version.writeUInt32BE(this.#current)
    const aad = `${this.#tenant_id}|${row}|${column}|${this.#current}`
    return Buffer.concat([version, seal(key, Buffer.from(plaintext), aad)])
  }

  /** Opens a value that `sealValue` made for the same row and column. */
  openValue(sealed: Buffer, row: string, column: string): string {
    const version = sealed.readUInt32BE(0)
    const key = this.#data.get(version)
    if (!key) throw new CofferError('internal', 'The data key of this value is missing.')
    return unseal(key, sealed.subarray(4), `${this.#tenant_id}|${row}|${column}|${version}`).toString()
  }

  /** The same value under the newest data key, or null if it already is. */
  reseal(sealed: Buffer, row: string, column: string): Buffer | null {
    if (sealed.readUInt32BE(0) === this.#current) return null
    return this.sealValue(this.openValue(sealed, row, column), row, column)
  }

  /** How many data keys values may be sealed under: more than one while the data key is being rotated. */
  get dataKeys(): number {
    return this.#data.size
  }

  /** Generates a new data key, stores it wrapped, and seals with it from now on. */
  addDataKey(db: Database, master: Buffer, now: number): void {
    const version = this.#current + 1
    const bytes = randomBytes(32)
    const wrapped = seal(wrappingKey(master), bytes, aadOfKey(this.#tenant_id, 'data', version))
    const key = createSecretKey(bytes)
    bytes.fill(0)
    db.prepare(INSERT_KEY).run('data', version, wrapped, now)
    this.#data.set(version, key)
    this.#current = version
  }

  /** Removes all data keys but the newest; throws 500 and removes none if a value is still sealed under one of them. */
  dropOldDataKeys(db: Database): void {
    db.transaction(() => {
      // SECURITY: values sealed under a removed key are lost.
      if (isAnySealedUnderOther(db, this.#current)) {
        throw new CofferError(
          'internal',
          'A value is still sealed under an old data key. Nothing was removed.',
        )
      }
      db.prepare("DELETE FROM key WHERE purpose = 'data' AND version <> ?").run(this.#current)
    }).immediate()
    for (const version of this.#data.keys()) if (version !== this.#current) this.#data.delete(version)
  }

  /** The fingerprint of a type's evaluated expression (rule T-09): a keyed digest of 32 bytes. */
  fingerprint(type: string, value: string): Buffer {
    return createHmac('sha256', this.#key('fingerprint')).update(`${type}\0`).update(bytesOf(value)).digest()
  }

  /** The digest under which a search index value is stored and found (rule L-09). 16 bytes. */
  indexDigest(value: string): Buffer {
    return createHmac('sha256', this.#key('index')).update(bytesOf(value)).digest().subarray(0, 16)
  }

  /** The key of a journal of log records. The salt is random, so that no two journals share a key. */
  journalKey(salt: Buffer): KeyObject {
    const bytes = Buffer.from(hkdfSync('sha256', this.#key('cursor'), salt, 'coffer record journal v1', 32))
    const key = createSecretKey(bytes)
    bytes.fill(0)
    return key
  }

  /** An opaque cursor that only this vault can read, and only for the same `scope` (rule L-04). */
  sealCursor(position: string, scope: string): string {
    return seal(this.#key('cursor'), Buffer.from(position), scope).toString('base64url')
  }

  /** The position inside a cursor, or null if it is damaged or was made for another scope. */
  openCursor(cursor: string, scope: string): string | null {
    const sealed = Buffer.from(cursor, 'base64url')
    // Decoding skips characters that are not base64, so a cursor with something appended would pass.
    if (sealed.toString('base64url') !== cursor) return null
    try {
      return unseal(this.#key('cursor'), sealed, scope).toString()
    } catch {
      // Altered, or of another list or vault.
      return null
    }
  }
}

/** Bytes that differ for different texts. SECURITY: UTF-8 encodes every lone surrogate as the same character. */
function bytesOf(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text)
  // No UTF-8 text begins with this byte.
  return Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf16le')])
}

/** The digest under which an application key is stored and found (rule A-03). 32 bytes. */
export function keyDigest(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
