import type { ProblemDetails } from '../../../shared/errors.ts'
import { copyUnderMaster, type ErrorTrace, inspectFile } from '../../engine/index.ts'
import { readBackupFile } from '../backups/backup-file.ts'
import { compareBackup } from '../backups/compare-backup.ts'
import { checkBackup, unpackBackup } from '../backups/unpack-backup.ts'
import { makeVerifiedBackup } from '../backups/verified-backup.ts'

/** The long jobs that run in a worker thread, with their own connections. Input and output are plain data. */
export const backgroundJobs = {
  backup: makeVerifiedBackup,
  compareBackup,
  copyUnderMaster,
  inspect: inspectFile,
  readBackup: ({ file }: { file: string }, onBytes: (done: number, total: number) => void) => {
    readBackupFile(file, { onBytes })
  },
  tryBackup: checkBackup,
  unpack: unpackBackup,
} as const

export type BackgroundJobs = typeof backgroundJobs

/** A message from the thread: its progress or its result. */
export type ThreadMessage<Output = unknown> =
  | { readonly done: number; readonly total: number }
  | { readonly output: Output }
  | { readonly problem: ProblemDetails; readonly trace: ErrorTrace }
