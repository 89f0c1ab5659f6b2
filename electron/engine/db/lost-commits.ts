import type { CommitCountState } from './commit-count.ts'
import { computeTotal } from './commit-count.ts'
import type { CommitCountRow } from './commit-count-row.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** Answered commits that would be lost if the vault were opened in its current state. */
export type CommitLoss = {
  readonly commits: number
  readonly exactness: 'exactly' | 'up to' | 'at least'
  /** What is wrong, as a sentence without its period. */
  readonly reason: string
  /** Whether the vault can be opened only without its log, whose pages are of another file, or older than the file. */
  readonly without_log: boolean
}

/** The total that is stored outside the vault's folder. */
export type PersistedTotal = { readonly id: string; readonly total: number }

type CommitEvidence = {
  readonly count: CommitCountState | null | 'damaged'
  readonly log: WriteAheadLog | null
  /** Undefined if never counted; null if it cannot be read. A foreign log (`isForeign`) is not used for reading. */
  readonly row: CommitCountRow | undefined | null
  readonly persistedTotal: PersistedTotal | undefined
}

/** Whether the log may not be used at all: its pages belong to another file, or are older than the file's. */
export function isForeign({ count, log }: Pick<CommitEvidence, 'count' | 'log'>): boolean {
  return findLogLoss(count === 'damaged' ? null : count, log)?.without_log === true
}

/** Returns what opening would lose; null if every answered commit is present. */
export function findCommitLoss({ count, log, row, persistedTotal }: CommitEvidence): CommitLoss | null {
  // A damaged count may be a new one that a power cut interrupted before the database had a row for it, so it is
  // treated like no count.
  const sound = count === 'damaged' ? null : count
  const logLoss = findLogLoss(sound, log)
  const usableLog = logLoss?.without_log ? null : log
  const losses = [
    logLoss,
    findRowLoss(sound, usableLog, row),
    findPersistedLoss(sound, usableLog, persistedTotal),
  ]
  const actualLosses = losses.filter((each) => each !== null)
  const [largest] = actualLosses.sort((a, b) => b.commits - a.commits)
  if (!largest) return null
  return { ...largest, without_log: actualLosses.some(({ without_log }) => without_log) }
}

function findLogLoss(count: CommitCountState | null, log: WriteAheadLog | null): CommitLoss | null {
  if (!count) return findBadFrameLoss(log)
  const { closed, generation, frames, commits } = count
  if (closed || (generation !== '' && log && !isSameOrNextGeneration(generation, log.generation)))
    return findForeignLoss(count, log)
  if (generation === '') return findBadFrameLoss(log)
  if (!log) return findMissingLoss(count)
  if (log.generation !== generation || log.frames >= frames) return findBadFrameLoss(log)
  const reason = log.bad_frame
    ? `The write-ahead log is damaged at frame ${log.bad_frame} of ${frames}`
    : `The write-ahead log ends at frame ${log.frames} of ${frames}`
  if (isCompleteWithoutLog(count)) return createLoss(0, 'exactly', reason, true)
  return createLoss(commits - log.commits, 'exactly', reason, false)
}

function isCompleteWithoutLog({ closed, moved, frames }: CommitCountState): boolean {
  return closed || moved === frames
}

function findForeignLoss(count: CommitCountState, log: WriteAheadLog | null): CommitLoss | null {
  if (!log || log.frames === 0) return null
  const foreign = 'The write-ahead log next to the vault is not from the last state of the vault'
  if (isCompleteWithoutLog(count)) return createLoss(0, 'exactly', foreign, true)
  return createLoss(count.commits, count.moved === 0 ? 'exactly' : 'up to', foreign, true)
}

function findMissingLoss(count: CommitCountState): CommitLoss | null {
  if (isCompleteWithoutLog(count)) return null
  const missing = 'The write-ahead log of the vault is missing or its first bytes are damaged'
  return createLoss(count.commits, count.moved === 0 ? 'exactly' : 'up to', missing, false)
}

/**
 * Returns the loss if more than one commit follows a bad frame. A power cut can leave only one unfinished commit at the
 * end of the log, so calls were answered for the other commits.
 */
function findBadFrameLoss(log: WriteAheadLog | null): CommitLoss | null {
  if (!log || log.bad_frame === null || log.unusable < 2) return null
  return createLoss(log.unusable, 'up to', `The write-ahead log is damaged at frame ${log.bad_frame}`, false)
}

/** Whether `other` is the same generation of a log or one that SQLite started soon after it. */
function isSameOrNextGeneration(generation: string, other: string): boolean {
  const parseSalt = (salts: string) => Number.parseInt(salts.slice(0, 8), 16)
  if (other === generation) return true
  const steps = (parseSalt(other) - parseSalt(generation)) >>> 0
  return steps > 0 && steps < 65536
}

function findRowLoss(
  count: CommitCountState | null,
  log: WriteAheadLog | null,
  row: CommitEvidence['row'],
): CommitLoss | null {
  if (row === null) return null
  const total = computeTotal(count, log)
  if (!row) {
    if (!count || count.row === 0) return null
    return createLoss(total, 'up to', 'The file vault.db is older than the count of its commits', false)
  }
  if (!count)
    return createLoss(0, 'at least', 'The count of commits (vault.db-commits) is missing or damaged', false)
  if (!count.id.equals(row.id) || row.total > total) {
    const reason = 'The count of commits (vault.db-commits) is not from the last state of this vault'
    return createLoss(0, 'at least', reason, false)
  }
  if (row.total >= count.row) return null
  const reason = 'The file vault.db is older than the count of its commits'
  return createLoss(total - row.total, row.at_close ? 'exactly' : 'up to', reason, false)
}

function findPersistedLoss(
  count: CommitCountState | null,
  log: WriteAheadLog | null,
  persistedTotal: CommitEvidence['persistedTotal'],
): CommitLoss | null {
  if (!persistedTotal) return null
  const total = count && count.id.toString('hex') === persistedTotal.id ? computeTotal(count, log) : 0
  if (total >= persistedTotal.total) return null
  return createLoss(
    persistedTotal.total - total,
    'at least',
    'The keychain has a record of later commits than this folder contains',
    false,
  )
}

function createLoss(
  commits: number,
  exactness: CommitLoss['exactness'],
  reason: string,
  without_log: boolean,
): CommitLoss {
  return { commits, exactness, reason, without_log }
}
