import fs from 'node:fs'
import path from 'node:path'
import Driver from 'better-sqlite3'
import { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import { isoTime } from '../../../shared/time.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { writeAtomically } from './atomic-write.ts'
import { isHeld, LockFile } from './lock-file.ts'

const holder = z.object({
  pid: z.int(),
  command: z.string(),
  since: z.string(),
  /** Where it listens, if it does. */
  url: z.string().optional(),
})

/** Long enough for somebody who only looks (`lockHolder`) to be done. */
const PATIENCE_MS = 250

/** Who holds a lock, as the others are told. */
export type LockHolder = z.infer<typeof holder>

/** What this process is to others: `coffer serve`, or the program it is. */
function nameOf([program = '', script, command]: readonly string[]): string {
  // Electron's first argument is a folder or a flag.
  const name = path.basename(process.versions.electron || script === undefined ? program : script)
  return /^(coffer|run\.mjs|coffer\.[jt]s)$/.test(name) ? `coffer ${command ?? ''}`.trimEnd() : name
}

/** One process at a time for a folder, by `<folder>.lock`; `<folder>.lock.json` only tells others who has it. */
export class ProcessLock {
  readonly #lock: LockFile
  readonly #story: string
  readonly #holder: LockHolder
  #ended = false

  private constructor(lock: LockFile, story: string) {
    this.#lock = lock
    this.#story = story
    this.#holder = { pid: process.pid, command: nameOf(process.argv), since: isoTime(Date.now()) }
  }

  /**
   * Takes the lock of a folder, which need not exist yet, waiting at most `patience` ms; throws `conflict` naming the
   * process that has it.
   */
  static acquire(folder: string, patience = PATIENCE_MS): ProcessLock {
    const target = realPath(folder)
    let lock: LockFile | undefined
    try {
      lock = LockFile.take(`${target}.lock`, patience)
      const acquired = new ProcessLock(lock, `${target}.lock.json`)
      acquired.announce(undefined)
      return acquired
    } catch (error) {
      lock?.release()
      if (!isHeld(error)) throw storageError(error, `${target}.lock`)
      throw new CofferError('conflict', taken(path.basename(folder), readHolder(`${target}.lock.json`)))
    }
  }

  /** Tells others where this process listens, or that it does not. */
  announce(url: string | undefined): void {
    const { pid, command, since } = this.#holder
    writeAtomically(this.#story, JSON.stringify({ pid, command, since, url } satisfies Told))
  }

  /** Gives the lock back, whatever becomes of the story beside it. Safe to repeat. */
  release(): void {
    this.#end(() => this.#lock.release())
  }

  /** The same, and the lock's file goes: nothing is left to be locked. */
  remove(): void {
    this.#end(() => this.#lock.remove())
  }

  #end(give: () => void): void {
    if (this.#ended) return
    this.#ended = true
    try {
      fs.rmSync(this.#story, { force: true })
    } catch {
      // Left written it misleads nobody: without the lock nobody believes it.
    } finally {
      give()
    }
  }
}

/** Who has the lock of a folder; undefined when nobody has, whatever a dead process left written. */
export function lockHolder(folder: string): LockHolder | undefined {
  if (!fs.existsSync(path.dirname(folder))) return undefined
  const target = realPath(folder)
  const told = readHolder(`${target}.lock.json`)
  if (!told) return undefined
  let lock: Driver.Database | undefined
  try {
    lock = new Driver(`${target}.lock`, { timeout: 0, fileMustExist: true })
    lock.exec('BEGIN EXCLUSIVE')
    return undefined
  } catch (error) {
    return isHeld(error) ? told : undefined
  } finally {
    lock?.close()
  }
}

type Told = { [Member in keyof LockHolder]: LockHolder[Member] | undefined }

/** The same folder has one lock, whichever way leads to it. */
function realPath(folder: string): string {
  try {
    if (fs.existsSync(folder)) return fs.realpathSync(folder)
    return path.join(fs.realpathSync(path.dirname(folder)), path.basename(folder))
  } catch (error) {
    throw storageError(error, folder)
  }
}

function readHolder(file: string): LockHolder | undefined {
  try {
    return holder.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

function taken(name: string, by: LockHolder | undefined): string {
  if (!by) return `The vault ${name} is open in another process. Close it there first.`
  const listening = by.url ? `, listening at ${by.url}` : ''
  return `The vault ${name} is open in ${by.command} (process ${by.pid}, since ${by.since}${listening}). Close it there first.`
}
