import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { type Database, openConnection } from './open.ts'

export type CheckpointCommand = 'move' | 'close'
/** `failed` is the error code of SQLite or the system. */
export type CheckpointReply = 'moved' | { readonly failed: string }

export type CheckpointWorkerData = {
  readonly file: string
  readonly ino: number
  readonly dev: number
  readonly key: Uint8Array
  /** Set to 1 once the connection is closed, or could not be opened. */
  readonly closed: Int32Array
}

const { file, ino, dev, key, closed } = workerData as CheckpointWorkerData
const postReply = (message: CheckpointReply) => parentPort?.postMessage(message)

function openVaultFile(): Database | null {
  try {
    const db = openConnection(file, Buffer.from(key.buffer, key.byteOffset, key.byteLength), (opened) => {
      opened.pragma('synchronous = FULL')
      // A connection uses the log only after it has read from the database.
      opened.pragma('schema_version')
    })
    const now = fs.statSync(file)
    if (now.ino === ino && now.dev === dev) return db
    // SECURITY: never write to another file that took the vault's place.
    db.close()
    postReply({ failed: 'ENOENT' })
  } catch (error) {
    postReply({ failed: getErrorCode(error) })
  } finally {
    // SECURITY: from here on, only SQLite holds the key, until this connection is closed.
    key.fill(0)
  }
  return null
}

const db = openVaultFile()
if (db)
  parentPort?.on('message', (command: CheckpointCommand) =>
    command === 'close' ? closeThread() : moveLog(db),
  )
else closeThread()

function moveLog(db: Database): void {
  try {
    db.pragma('wal_checkpoint(PASSIVE)')
    postReply('moved')
  } catch (error) {
    postReply({ failed: getErrorCode(error) })
  }
}

function closeThread(): void {
  try {
    db?.close()
  } finally {
    Atomics.store(closed, 0, 1)
    Atomics.notify(closed, 0)
    parentPort?.close()
  }
}

function getErrorCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return String(cause?.code ?? code)
}
