import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { seal, unseal } from './envelope.ts'
import { isAnySealedUnderOther } from './sealed-columns.ts'

type KeyPurpose = 'data' | 'fingerprint' | 'index' | 'cursor' | 'log'
const INSERT_KEY = 'INSERT INTO key (purpose, version, wrapped, created_at) VALUES (?, ?, ?, ?)'
const purposes: readonly KeyPurpose[] = ['data', 'fingerprint', 'index', 'cursor', 'log']
/** The stored seal count is raised in steps of this size, so a crash makes it too high by at most one step. */
const STEP = 65_536

/** Derives the key of the database file from the master secret: 32 bytes, which the caller must zero. */
export function deriveDatabaseKey(master: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', 'coffer database key v1', 32))
}

function deriveWrappingKey(master: Buffer): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', master, '', 'coffer wrapping key v1', 32))
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** Derives the key that seals the count of a vault's commits, in the file next to the database. */
export function deriveCountKey(master: Buffer): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', master, '', 'coffer commit count key v1', 32))
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** Generates the random keys of a new vault and stores them, wrapped under the master secret. */
export function createKeys(db: Database, master: Buffer, tenant_id: string, now: number): void {
  const wrapping = deriveWrappingKey(master)
  const insert = db.prepare(INSERT_KEY)
  for (const purpose of purposes) {
    const bytes = randomBytes(32)
    insert.run(purpose, 1, seal(wrapping, bytes, buildKeyAad(tenant_id, purpose, 1)), now)
    bytes.fill(0)
  }
}

/**
 * Adds the log key to a vault of an older format. The new key equals the index key, because the existing digests in the
 * log were computed with that key. Does nothing if there is a log key.
 */
export function createLogKey(db: Database, master: Buffer, tenant_id: string, now: number): void {
  const keys = readWrappedKeys(db)
  const index = keys.findLast(({ purpose }) => purpose === 'index')
  if (!index || keys.some(({ purpose }) => purpose === 'log')) return
  const wrapping = deriveWrappingKey(master)
  const bytes = unseal(wrapping, index.wrapped, buildKeyAad(tenant_id, 'index', index.version))
  db.prepare(INSERT_KEY).run('log', 1, seal(wrapping, bytes, buildKeyAad(tenant_id, 'log', 1)), now)
  bytes.fill(0)
}

/** Replaces keys, except data keys, under which values are sealed; the caller recomputes their digests. */
export function renewKeys(
  db: Database,
  master: Buffer,
  tenant_id: string,
  renewed: readonly Exclude<KeyPurpose, 'data' | 'log'>[],
  now: number,
): void {
  const wrapping = deriveWrappingKey(master)
  for (const purpose of renewed) {
    const version =
      1 + Math.max(...readWrappedKeys(db).map((key) => (key.purpose === purpose ? key.version : 0)))
    const bytes = randomBytes(32)
    db.prepare('DELETE FROM key WHERE purpose = ?').run(purpose)
    db.prepare(INSERT_KEY).run(
      purpose,
      version,
      seal(wrapping, bytes, buildKeyAad(tenant_id, purpose, version)),
      now,
    )
    bytes.fill(0)
  }
}

/** Rewraps all keys under another master secret. */
export function rewrapKeys(db: Database, masters: { from: Buffer; to: Buffer }, tenant_id: string): void {
  const from = deriveWrappingKey(masters.from)
  const to = deriveWrappingKey(masters.to)
  const update = db.prepare('UPDATE key SET wrapped = ? WHERE purpose = ? AND version = ?')
  db.transaction(() => {
    for (const { purpose, version, wrapped } of readWrappedKeys(db)) {
      const aad = buildKeyAad(tenant_id, purpose, version)
      const bytes = unseal(from, wrapped, aad)
      update.run(seal(to, bytes, aad), purpose, version)
      bytes.fill(0)
    }
  })()
}

type WrappedKey = { purpose: KeyPurpose; version: number; wrapped: Buffer }

function readWrappedKeys(db: Database): WrappedKey[] {
  return db.prepare('SELECT purpose, version, wrapped FROM key ORDER BY version').all() as WrappedKey[]
}

function buildKeyAad(tenant_id: string, purpose: string, version: number): string {
  return `${tenant_id}|key|${purpose}|${version}`
}

/** A vault's database with the keys of its values. */
export type VaultStorage = { readonly db: Database; readonly keyring: Keyring }

/** The vault's unwrapped keys and the operations on them. Plaintext keys exist nowhere else. */
export class Keyring {
  readonly #tenant_id: string
  readonly #data = new Map<number, KeyObject>()
  readonly #single = new Map<KeyPurpose, KeyObject>()
  #current = 0
  /** The version of the newest data key, as the header of each value that it seals. */
  #header = Buffer.alloc(4)
  /** How many values the newest data key has sealed. May be too high, but is never too low. */
  #seals = 0
  /** The count that the file is known to contain. */
  #storedSeals = 0

  /** Unwraps all keys. Throws a Node error if the master secret does not open them. */
  constructor(db: Database, master: Buffer, tenant_id: string) {
    this.#tenant_id = tenant_id
    const wrapping = deriveWrappingKey(master)
    for (const row of readWrappedKeys(db)) {
      const bytes = unseal(wrapping, row.wrapped, buildKeyAad(tenant_id, row.purpose, row.version))
      const key = createSecretKey(bytes)
      bytes.fill(0)
      if (row.purpose === 'data') {
        this.#setCurrent(row.version, key)
      } else this.#single.set(row.purpose, key)
    }
    // A file that is opened only for inspection may have an older format, without this count.
    const isCounted =
      db.prepare("SELECT 1 FROM pragma_table_info('key') WHERE name = 'seals'").get() !== undefined
    this.#seals = isCounted ? this.#readSeals(db) : 0
    this.#storedSeals = this.#seals
  }

  #readSeals(db: Database): number {
    const count = "SELECT seals FROM key WHERE purpose = 'data' AND version = ?"
    return Number(sql(db, count).pluck().get(this.#current) ?? 0)
  }

  /** The tenant id of the vault to which the keys belong. */
  get tenant_id(): string {
    return this.#tenant_id
  }

  /** How many values the newest data key has sealed. The count is exact unless the program was killed. */
  get seals(): number {
    return this.#seals
  }

  /**
   * Counts the seals of a transaction, at its end. SECURITY: the stored count is never below the number of seals in the
   * file, even if the program is killed or a transaction is rolled back. To ensure this, the count is raised in
   * advance, and a raised count is trusted only once a later transaction has read it from the file.
   */
  countSeals(db: Database): void {
    if (this.#seals <= this.#storedSeals) return
    const inFile = this.#readSeals(db)
    if (inFile >= this.#seals) this.#storedSeals = inFile
    else this.#writeSeals(db, this.#seals + STEP)
  }

  /** Writes the exact count, in place of the one that was raised in advance. */
  writeExactSeals(db: Database): void {
    if (this.#readSeals(db) === this.#seals) return
    this.#writeSeals(db, this.#seals)
    this.#storedSeals = this.#seals
  }

  #writeSeals(db: Database, seals: number): void {
    sql(db, "UPDATE key SET seals = ? WHERE purpose = 'data' AND version = ?").run(seals, this.#current)
  }

  #setCurrent(version: number, key: KeyObject): void {
    this.#data.set(version, key)
    this.#current = version
    this.#header = Buffer.alloc(4)
    this.#header.writeUInt32BE(version)
  }

  #getKey(purpose: KeyPurpose): KeyObject {
    const key = this.#single.get(purpose)
    if (!key) throw new CofferError('internal', `The vault has no ${purpose} key.`)
    return key
  }

  #computeDigest(purpose: KeyPurpose, value: string | Buffer, bytes: number): Buffer {
    // As text first, because Node allocates memory of its own for each digest in bytes.
    const digest = createHmac('sha256', this.#getKey(purpose)).update(value).digest('binary')
    return Buffer.from(digest.slice(0, bytes), 'binary')
  }

  /** Seals a value of one row and column under the newest data key: key version (4 bytes), then the envelope. */
  sealValue(plaintext: string | Buffer, row: string, column: string): Buffer {
    const key = this.#data.get(this.#current)
    if (!key) throw new CofferError('internal', 'The vault has no data key.')
    const aad = `${this.#tenant_id}|${row}|${column}|${this.#current}`
    this.#seals++
    return seal(key, plaintext, aad, this.#header)
  }

  /** Opens a value that `sealValue` sealed for the same row and column. Returns it as text. */
  openValue(sealed: Buffer, row: string, column: string): string {
    const bytes = this.openBytes(sealed, row, column)
    const text = bytes.toString()
    // SECURITY: a string cannot be wiped, but this buffer can.
    bytes.fill(0)
    return text
  }

  /** Opens a value that `sealValue` sealed for the same row and column. Returns its bytes. */
  openBytes(sealed: Buffer, row: string, column: string): Buffer {
    const version = sealed.readUInt32BE(0)
    const key = this.#data.get(version)
    if (!key) throw new CofferError('internal', 'The data key of this value is missing.')
    return unseal(key, sealed.subarray(4), `${this.#tenant_id}|${row}|${column}|${version}`)
  }

  /** Reseals a value under the newest data key; returns null if it is sealed under that key already. */
  reseal(sealed: Buffer, row: string, column: string): Buffer | null {
    if (sealed.readUInt32BE(0) === this.#current) return null
    return this.sealValue(this.openBytes(sealed, row, column), row, column)
  }

  /** The version of the data key that seals new values. */
  get dataKeyVersion(): number {
    return this.#current
  }

  /** The number of data keys under which values may be sealed: more than one while the data key is being rotated. */
  get dataKeyCount(): number {
    return this.#data.size
  }

  /** Generates a new data key, stores it wrapped, and uses it for new seals. */
  addDataKey(db: Database, master: Buffer, now: number): void {
    const version = this.#current + 1
    const bytes = randomBytes(32)
    const wrapped = seal(deriveWrappingKey(master), bytes, buildKeyAad(this.#tenant_id, 'data', version))
    const key = createSecretKey(bytes)
    bytes.fill(0)
    db.prepare(INSERT_KEY).run('data', version, wrapped, now)
    this.#setCurrent(version, key)
    this.#seals = 0
    this.#storedSeals = 0
  }

  /** Deletes all data keys but the newest. Throws `internal`, deleting none, if a value is sealed under another. */
  dropOldDataKeys(db: Database): void {
    db.transaction(() => {
      // SECURITY: values sealed under a removed key are lost.
      if (isAnySealedUnderOther(db, this.#current)) {
        throw new CofferError(
          'internal',
          'A value is still encrypted with an old data key. No key was deleted.',
        )
      }
      db.prepare("DELETE FROM key WHERE purpose = 'data' AND version <> ?").run(this.#current)
    }).immediate()
    for (const version of this.#data.keys()) if (version !== this.#current) this.#data.delete(version)
  }

  /** Returns the fingerprint of a type's evaluated expression (rule T-09): a keyed digest of 32 bytes. */
  computeFingerprint(type: string, value: string): Buffer {
    // As a string if possible, because that costs less.
    if (value.isWellFormed()) return this.#computeDigest('fingerprint', `${type}\0${value}`, 32)
    const bytes = Buffer.concat([Buffer.from(`${type}\0`), toDistinctBytes(value)])
    return this.#computeDigest('fingerprint', bytes, 32)
  }

  /** Returns the 16-byte digest of a search index value, stored and searched instead of the value (rule L-09). */
  computeIndexDigest(value: string): Buffer {
    return this.#computeDigest('index', toDistinctBytes(value), 16)
  }

  /** Derives the key of a journal of log records. The salt is random, so that no two journals share a key. */
  deriveJournalKey(salt: Buffer): KeyObject {
    const bytes = Buffer.from(hkdfSync('sha256', this.#getKey('log'), salt, 'coffer record journal v1', 32))
    const key = createSecretKey(bytes)
    bytes.fill(0)
    return key
  }

  /** Returns the 16-byte digest of a metadata pair, by which tokens with the pair are found (rules L-02, L-06). */
  computePairDigest(pair: string): Buffer {
    return this.#computeDigest('index', `metadata\0${pair}`, 16)
  }

  /** Returns the 8-byte digest of a mask's last four characters, by which tokens with these characters are found. */
  computeLastFourDigest(last_four: string): Buffer {
    const bytes = Buffer.concat([Buffer.from('last four\0'), toDistinctBytes(last_four)])
    return this.#computeDigest('index', bytes, 8)
  }

  /** Returns a digest of an id that the log masks, so that masked ids can be told apart (rule O-05). 6 bytes. */
  computeLogIdDigest(id: string): Buffer {
    return this.#computeDigest('log', toDistinctBytes(`log id\0${id}`), 6)
  }

  /** Returns the chain digest of `records` after the digest `before`, which covers all earlier records. 32 bytes. */
  computeChainDigest(before: Buffer, records: string): Buffer {
    return createHmac('sha256', this.#getKey('log'))
      .update('log chain\0')
      .update(before)
      .update(records)
      .digest()
  }

  /** Returns an opaque cursor that only this vault can read, and only for the same `scope` (rule L-04). */
  sealCursor(position: string, scope: string): string {
    return seal(this.#getKey('cursor'), Buffer.from(position), scope).toString('base64url')
  }

  /** Returns the position in a cursor, or null if it is damaged or was created for another scope. */
  openCursor(cursor: string, scope: string): string | null {
    const sealed = Buffer.from(cursor, 'base64url')
    // Decoding skips characters that are not base64, so a cursor with something appended would pass.
    if (sealed.toString('base64url') !== cursor) return null
    try {
      return unseal(this.#getKey('cursor'), sealed, scope).toString()
    } catch {
      // The cursor was altered, or belongs to another list or vault.
      return null
    }
  }
}

/** Returns bytes that differ for different strings. SECURITY: UTF-8 encodes all lone surrogates alike. */
function toDistinctBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text)
  // No UTF-8 text begins with this byte.
  return Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf16le')])
}

/** Returns the 32-byte digest of an application key, which is stored in place of the key (rule A-03). */
export function computeKeyDigest(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
