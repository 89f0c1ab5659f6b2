import type { Counted } from './commit-count.ts'
import { totalWith } from './commit-count.ts'
import type { CommitCountRow } from './commit-count-row.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** Answered commits that opening a vault as it is would lose. */
export type Loss = {
  readonly commits: number
  readonly exactness: 'exactly' | 'up to' | 'at least'
  /** What is wrong, as a sentence without its full stop. */
  readonly reason: string
  /** The vault can only be opened without its log, whose pages do not belong to the file or are older than it. */
  readonly without_log: boolean
}

/** The total that something outside the folder remembers. */
export type KeptTotal = { readonly id: string; readonly total: number }

type Facts = {
  readonly count: Counted | null | 'damaged'
  readonly log: WriteAheadLog | null
  /** Undefined where the database was never counted; null where it cannot be read. Read without a foreign log. */
  readonly row: CommitCountRow | undefined | null
  readonly kept: KeptTotal | undefined
}

/** Whether the log may not be used at all: the pages in it are not those of this file, or older than the file's. */
export function isForeign({ count, log }: Pick<Facts, 'count' | 'log'>): boolean {
  return lossOfLog(count === 'damaged' ? null : count, log)?.without_log === true
}

/** What opening would lose; null where every answered commit is there. */
export function lossOf({ count, log, row, kept }: Facts): Loss | null {
  // A count that was begun when the power failed, before the database knew of it, holds nothing yet.
  const sound = count === 'damaged' ? null : count
  const ofLog = lossOfLog(sound, log)
  const own = ofLog?.without_log ? null : log
  const losses = [ofLog, lossOfRow(sound, own, row), lossOfKept(sound, own, kept)]
  const found = losses.filter((each) => each !== null)
  const [largest] = found.sort((a, b) => b.commits - a.commits)
  if (!largest) return null
  return { ...largest, without_log: found.some(({ without_log }) => without_log) }
}

function lossOfLog(count: Counted | null, log: WriteAheadLog | null): Loss | null {
  if (!count) return lossOfBadFrame(log)
  const { closed, generation, frames, commits, moved } = count
  const isWholeWithout = closed || moved === frames
  const foreign = 'The write-ahead log beside the vault is not the one it was left with'
  if (closed || (generation !== '' && log && !follows(generation, log.generation))) {
    if (!log || log.frames === 0) return null
    if (isWholeWithout) return loss(0, 'exactly', foreign, true)
    return loss(commits, moved === 0 ? 'exactly' : 'up to', foreign, true)
  }
  if (generation === '') return lossOfBadFrame(log)
  if (!log) {
    if (isWholeWithout) return null
    const missing = 'The write-ahead log of the vault is missing or its first bytes are damaged'
    return loss(commits, moved === 0 ? 'exactly' : 'up to', missing, false)
  }
  if (log.generation === generation && log.frames < frames) {
    const reason = log.bad_frame
      ? `The write-ahead log is damaged at frame ${log.bad_frame} of ${frames}`
      : `The write-ahead log ends at frame ${log.frames}, and had ${frames}`
    if (isWholeWithout) return loss(0, 'exactly', reason, true)
    return loss(commits - log.commits, 'exactly', reason, false)
  }
  return lossOfBadFrame(log)
}

/** A power cut can leave one unfinished commit at the end of the log. More than one after a bad frame was answered. */
function lossOfBadFrame(log: WriteAheadLog | null): Loss | null {
  if (!log || log.bad_frame === null || log.unusable < 2) return null
  return loss(log.unusable, 'up to', `The write-ahead log is damaged at frame ${log.bad_frame}`, false)
}

/** Whether `later` is the same generation of a log or one that SQLite began soon after it. */
function follows(generation: string, later: string): boolean {
  const salt = (of: string) => Number.parseInt(of.slice(0, 8), 16)
  if (later === generation) return true
  const steps = (salt(later) - salt(generation)) >>> 0
  return steps > 0 && steps < 65536
}

function lossOfRow(count: Counted | null, log: WriteAheadLog | null, row: Facts['row']): Loss | null {
  if (row === null) return null
  const total = totalWith(count, log)
  if (!row) {
    if (!count || count.row === 0) return null
    return loss(total, 'up to', 'The file vault.db is older than the count of its commits', false)
  }
  if (!count)
    return loss(0, 'at least', 'The count of commits (vault.db-commits) is missing or damaged', false)
  if (!count.id.equals(row.id) || row.total > total) {
    const reason = 'The count of commits (vault.db-commits) is not the one this vault was left with'
    return loss(0, 'at least', reason, false)
  }
  if (row.total >= count.row) return null
  const reason = 'The file vault.db is older than the count of its commits'
  return loss(total - row.total, row.at_close ? 'exactly' : 'up to', reason, false)
}

function lossOfKept(count: Counted | null, log: WriteAheadLog | null, kept: Facts['kept']): Loss | null {
  if (!kept) return null
  const total = count && count.id.toString('hex') === kept.id ? totalWith(count, log) : 0
  if (total >= kept.total) return null
  return loss(
    kept.total - total,
    'at least',
    'The keychain knows of later commits than this folder holds',
    false,
  )
}

function loss(commits: number, exactness: Loss['exactness'], reason: string, without_log: boolean): Loss {
  return { commits, exactness, reason, without_log }
}
