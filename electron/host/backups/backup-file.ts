import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { backupInfo } from '../../../shared/schemas/backup.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/index.ts'
import { headerSchema } from '../files/header.ts'

/*
 * A backup is one file: a line with the magic word and the version, a line of JSON (`BackupHead`), the encrypted
 * database, the SHA-256 of all that, and its HMAC under a key derived from the master secret.
 */
const MAGIC = 'COFFER-BACKUP '
const VERSION = 1
const SHA_BYTES = 32
const MAX_HEAD_BYTES = 64 * 1024
const CHUNK_BYTES = 1024 * 1024

const headSchema = z.strictObject({
  made_at: z.string(),
  reason: backupInfo.shape.reason,
  /** The database format: the number of its last migration. */
  format: z.int().min(1),
  database_bytes: z.int().min(1),
  /** The vault's `vault.json` at the time of the backup. Its credentials open the backup. */
  header: headerSchema,
})
export type BackupHead = z.infer<typeof headSchema>

type OpenedBackupFile = {
  readonly head: BackupHead
  readonly descriptor: number
  readonly database_at: number
}
type OnBytes = (done: number, total: number) => void

/** Durably writes a backup of `database` to the new file `target`. Throws `unavailable`, `storage_full`. */
export function writeBackupFile(
  target: string,
  head: BackupHead,
  database: string,
  { master, onBytes = () => {} }: { master: Buffer; onBytes?: OnBytes },
): void {
  const lines = Buffer.from(`${MAGIC}${VERSION}\n${JSON.stringify(headSchema.parse(head))}\n`)
  const digest = createHash('sha256')
  const from = fs.openSync(database, 'r')
  try {
    const to = fs.openSync(target, 'wx', 0o600)
    try {
      const writeBytes = (bytes: Buffer) => {
        digest.update(bytes)
        // writeSync may write only some of the bytes, so it is not used here.
        fs.writeFileSync(to, bytes)
      }
      writeBytes(lines)
      readChunks(from, 0, head.database_bytes, onBytes, writeBytes)
      const sum = digest.digest()
      fs.writeFileSync(to, Buffer.concat([sum, computeSeal(sum, master)]))
      fs.fsyncSync(to)
    } finally {
      fs.closeSync(to)
    }
  } finally {
    fs.closeSync(from)
  }
}

/** Reads a backup's head. Throws `not_found`, `unprocessable` (not a backup, or from a newer Coffer), `damaged`. */
export function readBackupHead(file: string): BackupHead {
  return withBackup(file, ({ head }) => head)
}

/**
 * Reads a whole backup and verifies its checksum and, with `master`, its seal. With `target`, writes the database to
 * that new file. Throws what `readBackupHead` throws. The caller removes a partial `target`.
 */
export function readBackupFile(
  file: string,
  { master, target, onBytes = () => {} }: { master?: Buffer; target?: string; onBytes?: OnBytes } = {},
): BackupHead {
  return withBackup(file, ({ head, descriptor, database_at }) => {
    const digest = createHash('sha256')
    const lines = Buffer.alloc(database_at)
    readFully(descriptor, lines, 0)
    digest.update(lines)
    const to = target === undefined ? undefined : createTargetFile(target)
    try {
      readChunks(descriptor, database_at, head.database_bytes, onBytes, (bytes) => {
        digest.update(bytes)
        if (to !== undefined) fs.writeFileSync(to, bytes)
      })
      if (to !== undefined) fs.fsyncSync(to)
    } finally {
      if (to !== undefined) fs.closeSync(to)
    }
    const end = Buffer.alloc(2 * SHA_BYTES)
    readFully(descriptor, end, database_at + head.database_bytes)
    const sum = digest.digest()
    if (!sum.equals(end.subarray(0, SHA_BYTES))) throw createDamagedBackupError(file, 'its checksum is wrong')
    // SECURITY: anyone can recompute the checksum of an altered backup; only a key of the vault can seal it.
    if (master && !timingSafeEqual(computeSeal(sum, master), end.subarray(SHA_BYTES))) {
      throw createDamagedBackupError(file, 'its seal is wrong')
    }
    return head
  })
}

function withBackup<T>(file: string, use: (opened: OpenedBackupFile) => T): T {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(file, 'r')
    return use(openHead(file, descriptor))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && descriptor === undefined) {
      throw new CofferError('not_found', `There is no ${file}.`)
    }
    throw toStorageError(error, file)
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

function openHead(file: string, descriptor: number): OpenedBackupFile {
  const stat = fs.fstatSync(descriptor)
  if (!stat.isFile()) throw createNotABackupError(file)
  const start = Buffer.alloc(Math.min(stat.size, MAX_HEAD_BYTES))
  readFully(descriptor, start, 0)
  const first = start.indexOf('\n')
  const [, version] = /^COFFER-BACKUP (\d{1,6})$/.exec(start.toString('latin1', 0, Math.max(first, 0))) ?? []
  if (version === undefined) throw createNotABackupError(file)
  if (Number(version) > VERSION) {
    throw new CofferError('unprocessable', `${file} was created by a newer Coffer. Install that version.`)
  }
  const second = start.indexOf('\n', first + 1)
  const head = parseHead(start.toString('utf8', first + 1, Math.max(second, 0)))
  if (!head) throw createDamagedBackupError(file, 'its header cannot be read')
  const expectedBytes = second + 1 + head.database_bytes + 2 * SHA_BYTES
  if (stat.size < expectedBytes) throw createDamagedBackupError(file, 'it is cut off')
  if (stat.size > expectedBytes) throw createDamagedBackupError(file, 'bytes were added at its end')
  return { head, descriptor, database_at: second + 1 }
}

function parseHead(text: string): BackupHead | undefined {
  try {
    return headSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function computeSeal(sum: Buffer, master: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', master, '', 'coffer backup seal v1', 32))
  const seal = createHmac('sha256', key).update(sum).digest()
  key.fill(0)
  return seal
}

function createTargetFile(target: string): number {
  try {
    return fs.openSync(target, 'wx', 0o600)
  } catch (error) {
    throw toStorageError(error, target)
  }
}

function readChunks(
  descriptor: number,
  from: number,
  length: number,
  onBytes: OnBytes,
  use: (bytes: Buffer) => void,
): void {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, length))
  for (let done = 0; done < length; ) {
    const bytes = chunk.subarray(0, Math.min(chunk.length, length - done))
    readFully(descriptor, bytes, from + done)
    use(bytes)
    done += bytes.length
    onBytes(done, length)
  }
}

function readFully(descriptor: number, into: Buffer, position: number): void {
  for (let done = 0; done < into.length; ) {
    const read = fs.readSync(descriptor, into, done, into.length - done, position + done)
    if (read === 0)
      throw new CofferError('damaged', 'The backup became shorter while it was being read. Try again.')
    done += read
  }
}

function createNotABackupError(file: string): CofferError {
  return new CofferError('unprocessable', `${file} is not a Coffer backup. It was not changed.`)
}

function createDamagedBackupError(file: string, how: string): CofferError {
  return new CofferError(
    'damaged',
    `${file} is a damaged backup: ${how}. Nothing was restored from it. Use another backup.`,
  )
}
