import fs from 'node:fs'

/** What has become of a database's files: gone from their path, another file in their place, or shorter than written. */
export type Loss = 'missing' | 'replaced' | 'cut'

type Seen = { readonly ino: number; readonly dev: number; readonly size: number }

/**
 * The files of an open database, as they were last seen at their paths. An open file outlives its name: SQLite
 * keeps writing to a file that has been removed, and everything written there is gone when it is closed.
 */
export class Presence {
  readonly #database: string
  readonly #logFile: string
  readonly #seen: Seen | undefined
  /** The log never shrinks while it is open, except by `forgetLog`. */
  #log: Seen | undefined

  constructor(database: string) {
    this.#database = database
    this.#logFile = logOf(database)
    this.#seen = find(database)
    this.#log = find(this.#logFile)
  }

  /** Compares the files with what was last seen, and remembers the size of the log. Null where nothing is wrong. */
  look(): Loss | null {
    const loss = this.#seen && compare(now(this.#database), this.#seen, 1)
    if (loss) return loss
    const log = now(this.#logFile)
    const logLoss = this.#log && compare(log, this.#log, this.#log.size)
    if (!logLoss && log !== 'hidden') this.#log = log
    return logLoss ?? null
  }

  /** Whether the log lacks its first bytes: it was cut during a commit, which then wrote behind the hole. */
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

  /** The log was emptied by its own connection. */
  forgetLog(): void {
    this.#log = undefined
  }

  /** Whether the database itself is still at its path. */
  get isAtItsPath(): boolean {
    const found = find(this.#database)
    return found !== undefined && this.#seen !== undefined && isSame(found, this.#seen)
  }

  /**
   * Where the database and its log are now, if somebody moved both together; null where they have no path any more, or
   * the system cannot say.
   */
  movedTo(): string | null {
    const path = pathOf(this.#seen)
    if (path === null || path === this.#database) return null
    const log = find(logOf(path))
    const isWhole = this.#log === undefined ? log === undefined : log !== undefined && isSame(log, this.#log)
    return isWhole ? path : null
  }
}

function logOf(database: string): string {
  return `${database}-wal`
}

function find(file: string): Seen | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat && { ino: stat.ino, dev: stat.dev, size: stat.size }
}

/** What is at a path now; `hidden` where the system does not say. */
function now(file: string): Seen | undefined | 'hidden' {
  try {
    return find(file)
  } catch (error) {
    // A folder that may not be entered any more still holds its files.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? undefined : 'hidden'
  }
}

function compare(file: Seen | undefined | 'hidden', seen: Seen, least: number): Loss | null {
  if (file === 'hidden') return null
  if (!file) return 'missing'
  if (!isSame(file, seen)) return 'replaced'
  return file.size < least ? 'cut' : null
}

function isSame(a: Seen, b: Seen): boolean {
  return a.ino === b.ino && a.dev === b.dev
}

/** The path of a file that this process has open, as Linux tells it. */
function pathOf(seen: Seen | undefined): string | null {
  const open = '/proc/self/fd'
  if (!seen || !fs.existsSync(open)) return null
  for (const each of fs.readdirSync(open)) {
    try {
      const found = find(`${open}/${each}`)
      if (!found || !isSame(found, seen)) continue
      const path = fs.readlinkSync(`${open}/${each}`)
      const there = find(path)
      if (there && isSame(there, seen)) return path
    } catch {
      // It was closed in the meantime, or has no path.
    }
  }
  return null
}
