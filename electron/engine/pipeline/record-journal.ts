import { type KeyObject, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { seal, unseal } from '../crypto/envelope.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { LogRecord } from './records.ts'

/** The start of the file, which changes with the structure of a record, so that no version reads another's. */
const MAGIC = Buffer.from('COFFREC1')
const SALT = 32
/** The length of the header: magic, salt, and the serial number of the first record. */
const HEADER = MAGIC.length + SALT + 8
const LENGTH = 4
/** The maximum size of a chunk. A larger one is damaged, because the memory of pending records is limited. */
const MAX_CHUNK_BYTES = 128 * 1024 * 1024
/** A journal larger than this is emptied once the log has all of its records. */
const RESET_BYTES = 64 * 1024

/** A record with its serial number. Serial numbers never repeat or decrease during the life of a vault. */
export type JournalRecord = { readonly record: LogRecord; readonly serial: number }

/**
 * A file next to the database, `vault.db-records`, with log records that no transaction has written yet. Its content
 * survives the end of this process, but not a power cut, because it is not synced. A chunk contains the records of one
 * turn: first its length, then JSON, sealed for this vault and the serial number of its first record.
 */
export class RecordJournal {
  readonly #file: string
  readonly #tenant_id: string
  readonly #keyring: Keyring
  #salt: Buffer = randomBytes(SALT)
  #key: KeyObject
  #descriptor: number | null = null
  /** The offset of the next chunk. */
  #size = 0
  /** The serial number of the last record. */
  #serial: number
  /** Whether there may be invalid bytes after the last chunk. */
  #isRagged = false

  /** `serial` is the serial number of the last journal record in the log. The constructor does not open the file. */
  constructor(file: string, tenant_id: string, keyring: Keyring, serial: number) {
    this.#file = file
    this.#tenant_id = tenant_id
    this.#keyring = keyring
    this.#key = keyring.deriveJournalKey(this.#salt)
    this.#serial = serial
  }

  get serial(): number {
    return this.#serial
  }

  /**
   * Returns the records that an earlier process left and the log does not have. Never throws: passes any damage of
   * the file to `report`, and returns the records before it.
   */
  loadRecords(report: (error: unknown) => void): JournalRecord[] {
    const unwritten: JournalRecord[] = []
    const written = this.#serial
    try {
      if (!fs.existsSync(this.#file)) return unwritten
      const descriptor = this.#openFile()
      this.#isRagged = true
      const { size } = fs.fstatSync(descriptor)
      if (size === 0) return unwritten
      const header = readBytes(descriptor, 0, HEADER, size)
      if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw createAlteredError()
      const salt = header.subarray(MAGIC.length, MAGIC.length + SALT)
      const key = this.#keyring.deriveJournalKey(salt)
      const first = Number(header.readBigUInt64BE(MAGIC.length + SALT))
      let next = first
      for (let at = HEADER; at < size; ) {
        const length = readBytes(descriptor, at, LENGTH, size).readUInt32BE()
        if (length > MAX_CHUNK_BYTES) throw createAlteredError()
        const chunk = readBytes(descriptor, at + LENGTH, length, size)
        const records = JSON.parse(unseal(key, chunk, this.#buildAad(next)).toString()) as LogRecord[]
        for (const record of records) {
          if (next > written) unwritten.push({ record, serial: next })
          next++
        }
        at += LENGTH + length
        if (unwritten.length === 0) continue
        this.#salt = salt
        this.#key = key
        this.#serial = next - 1
        this.#size = at
      }
      this.#isRagged = this.#size < size
      // The database is older than the journal, so the records between them are missing.
      if (first > written + 1) report(createAlteredError())
    } catch (error) {
      report(error)
    }
    return unwritten
  }

  /**
   * Writes records as one chunk, in one system call, and returns the serial number of the first. Throws the system's
   * error if that fails; the file then counts as unchanged.
   */
  appendRecords(records: readonly LogRecord[]): number {
    const descriptor = this.#openFile()
    if (this.#isRagged) this.#truncateTail(descriptor)
    const first = this.#serial + 1
    const sealed = seal(this.#key, Buffer.from(JSON.stringify(records)), this.#buildAad(first))
    const length = Buffer.alloc(LENGTH)
    length.writeUInt32BE(sealed.length)
    const header = this.#size === 0 ? this.#buildHeader(first) : []
    const chunk = Buffer.concat([...header, length, sealed])
    try {
      for (let done = 0; done < chunk.length; ) {
        done += fs.writeSync(descriptor, chunk, done, chunk.length - done, this.#size + done)
      }
    } catch (error) {
      this.#isRagged = true
      throw error
    }
    this.#size += chunk.length
    this.#serial += records.length
    return first
  }

  /** Empties the file if it has grown large. Must only be called when the log has all of its records. */
  resetIfLarge(): void {
    if (this.#size <= RESET_BYTES) return
    this.#size = 0
    this.#isRagged = true
  }

  /** Syncs the file, so that its records survive a power cut before the database can be written. Throws. */
  sync(): void {
    if (this.#descriptor !== null) fs.fdatasyncSync(this.#descriptor)
  }

  /** Closes the file, and deletes it if the log has all of its records. */
  close(isDone: boolean): void {
    if (this.#descriptor === null) return
    fs.closeSync(this.#descriptor)
    this.#descriptor = null
    if (isDone) fs.rmSync(this.#file, { force: true })
  }

  #openFile(): number {
    const { O_RDWR, O_CREAT } = fs.constants
    this.#descriptor ??= fs.openSync(this.#file, O_RDWR | O_CREAT, 0o600)
    return this.#descriptor
  }

  #truncateTail(descriptor: number): void {
    fs.ftruncateSync(descriptor, this.#size)
    this.#isRagged = false
  }

  #buildHeader(first: number): Buffer[] {
    const serial = Buffer.alloc(8)
    serial.writeBigUInt64BE(BigInt(first))
    return [MAGIC, this.#salt, serial]
  }

  /** SECURITY: binds a chunk to its position, so that it cannot be moved, repeated or taken from another vault. */
  #buildAad(serial: number): string {
    return `${this.#tenant_id}|records|${serial}`
  }
}

/** Reads `length` bytes. Throws `damaged` if the file is too short. */
function readBytes(descriptor: number, at: number, length: number, size: number): Buffer {
  if (at + length > size) throw createAlteredError()
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const read = fs.readSync(descriptor, bytes, done, length - done, at + done)
    if (read === 0) throw createAlteredError()
    done += read
  }
  return bytes
}

function createAlteredError(): CofferError {
  return new CofferError('damaged', 'The journal of log records was altered or truncated.')
}
