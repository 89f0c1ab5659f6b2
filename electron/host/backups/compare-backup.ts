import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { countDeletedSince, type DeletedSince } from '../../engine/files/deleted-since.ts'
import { unpackBackup } from './unpack-backup.ts'

export type Comparison = {
  readonly file: string
  readonly master: Buffer
  /** The vault as it is now, and its master secret. */
  readonly database: string
  readonly present: Buffer
  readonly now: number
}

/** Unpacks a backup into a temporary folder and counts what it holds that the vault no longer does. */
export function compareBackup(
  { file, master, database, present, now }: Comparison,
  onProgress?: (done: number, total: number) => void,
): DeletedSince {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-compare-'))
  try {
    const target = path.join(folder, 'vault.db')
    unpackBackup({ file, master, target }, onProgress)
    const then = { database: target, master }
    return countDeletedSince({ then, today: { database, master: present }, now })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
