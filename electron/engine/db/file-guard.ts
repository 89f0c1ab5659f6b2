import fs from 'node:fs'

/** What happened to a database's files: missing from their path, replaced by other files, or shorter than written. */
export type FileLoss = 'missing' | 'replaced' | 'cut'

type FileIdentity = { readonly ino: number; readonly dev: number; readonly size: number }

/**
 * The files of an open database, as last seen at their paths. An open file outlives its name: SQLite
 * continues to write to a removed file, and loses everything written there when the file is closed.
 */
export class FileGuard {
  readonly #database: string
  readonly #logFile: string
  readonly #expected: FileIdentity | undefined
  /** The log never shrinks while it is open, except when `acceptEmptiedLog` is called. */
  #log: FileIdentity | undefined

  constructor(database: string) {
    this.#database = database
    this.#logFile = getLogPath(database)
    this.#expected = readIdentity(database)
    this.#log = readIdentity(this.#logFile)
  }

  /** Compares the files with their last seen state, and records the size of the log. Null if nothing is wrong. */
  checkFiles(): FileLoss | null {
    const loss = this.#expected && findFileLoss(readCurrentIdentity(this.#database), this.#expected, 1)
    if (loss) return loss
    const log = readCurrentIdentity(this.#logFile)
    const logLoss = this.#log && findFileLoss(log, this.#log, this.#log.size)
    if (!logLoss && log !== 'hidden') this.#log = log
    return logLoss ?? null
  }

  /** Whether the log lacks its first bytes: it was truncated during a commit, which then wrote after the hole. */
  isLogHollow(): boolean {
    if (!this.#log?.size) return false
    try {
      const descriptor = fs.openSync(this.#logFile, 'r')
      try {
        const start = Buffer.alloc(4)
        return fs.readSync(descriptor, start, 0, 4, 0) === 4 && start.readUInt32BE() === 0
      } finally {
        fs.closeSync(descriptor)
      }
    } catch {
      return false
    }
  }

  /** Records that the log was emptied by its own connection. */
  acceptEmptiedLog(): void {
    this.#log = undefined
  }

  /** Whether the database itself is still at its path. */
  get isAtItsPath(): boolean {
    const current = readIdentity(this.#database)
    return current !== undefined && this.#expected !== undefined && isSameFile(current, this.#expected)
  }

  /**
   * Returns the current path of the database if it was moved together with its log; null if they have no path
   * any more, or the system cannot tell.
   */
  findNewPath(): string | null {
    const path = findOpenPath(this.#expected)
    if (path === null || path === this.#database) return null
    const log = readIdentity(getLogPath(path))
    const isLogAlongside =
      this.#log === undefined ? log === undefined : log !== undefined && isSameFile(log, this.#log)
    return isLogAlongside ? path : null
  }
}

function getLogPath(database: string): string {
  return `${database}-wal`
}

function readIdentity(file: string): FileIdentity | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat && { ino: stat.ino, dev: stat.dev, size: stat.size }
}

/** The file at a path; `hidden` if the system does not reveal it. */
function readCurrentIdentity(file: string): FileIdentity | undefined | 'hidden' {
  try {
    return readIdentity(file)
  } catch (error) {
    // A folder that may no longer be entered still contains its files.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? undefined : 'hidden'
  }
}

function findFileLoss(
  file: FileIdentity | undefined | 'hidden',
  expected: FileIdentity,
  minSize: number,
): FileLoss | null {
  if (file === 'hidden') return null
  if (!file) return 'missing'
  if (!isSameFile(file, expected)) return 'replaced'
  return file.size < minSize ? 'cut' : null
}

function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino === b.ino && a.dev === b.dev
}

/** The path of a file that this process has open, from Linux's `/proc`. */
function findOpenPath(expected: FileIdentity | undefined): string | null {
  const open = '/proc/self/fd'
  if (!expected || !fs.existsSync(open)) return null
  for (const each of fs.readdirSync(open)) {
    try {
      const candidate = readIdentity(`${open}/${each}`)
      if (!candidate || !isSameFile(candidate, expected)) continue
      const path = fs.readlinkSync(`${open}/${each}`)
      const target = readIdentity(path)
      if (target && isSameFile(target, expected)) return path
    } catch {
      // The file was closed in the meantime, or has no path.
    }
  }
  return null
}
