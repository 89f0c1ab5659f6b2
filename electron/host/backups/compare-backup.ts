import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { RestoreCounts } from '../../../shared/restore-counts.ts'
import { countDeletedSince } from '../../engine/index.ts'
import { unpackBackup } from './unpack-backup.ts'

export type Comparison = {
  readonly file: string
  readonly master: Buffer
  /**
   * The current database file of the vault. `present` is its current master secret, and `master` that of the backup.
   */
  readonly database: string
  readonly present: Buffer
  readonly now: number
}

/** Unpacks a backup into a temporary folder and counts its items that have since been deleted from the vault. */
export function compareBackup(
  { file, master, database, present, now }: Comparison,
  onProgress?: (done: number, total: number) => void,
): RestoreCounts {
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
