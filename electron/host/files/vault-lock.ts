import fs from 'node:fs'
import path from 'node:path'
import Driver from 'better-sqlite3'
import { CofferError } from '../../../shared/errors.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/db/storage-error.ts'
import { writeAtomically } from './atomic-write.ts'
import { isLockTaken, LockFile } from './lock-file.ts'

const lockHolder = z.object({
  pid: z.int(),
  command: z.string(),
  since: z.string(),
  /** Where it listens, if at all. */
  url: z.string().optional(),
})

/** Long enough for a process that only looks (`claimantOf`) to finish. */
const LOCK_TIMEOUT_MS = 250

/** The process that holds a folder, as other processes see it. */
export type LockHolder = z.infer<typeof lockHolder>

/** How this process is named to others: `coffer serve`, or the name of the program. */
export function processName([program = '', script, command]: readonly string[] = process.argv): string {
  // Electron's first argument is a folder or a flag.
  const name = path.basename(process.versions.electron || script === undefined ? program : script)
  return /^(coffer|run\.mjs|coffer\.[jt]s)$/.test(name) ? `coffer ${command ?? ''}`.trimEnd() : name
}

/**
 * Only one process at a time holds a folder, by the lock `<folder>.lock`. `<folder>.lock.json` merely names it
 * to others.
 */
export class VaultLock {
  #lock: LockFile
  readonly #target: string
  readonly #notice: string
  readonly #holder: LockHolder
  #url: string | undefined
  #ended = false

  private constructor(lock: LockFile, target: string) {
    this.#lock = lock
    this.#target = target
    this.#notice = `${target}.lock.json`
    this.#holder = { pid: process.pid, command: processName(), since: formatIsoTime(Date.now()) }
  }

  /**
   * Claims a folder, which need not exist yet, waiting at most `patience` ms. Throws `conflict` naming the process
   * that holds it.
   */
  static acquire(folder: string, timeoutMs = LOCK_TIMEOUT_MS): VaultLock {
    const target = realPath(folder)
    let lock: LockFile | undefined
    try {
      lock = LockFile.acquire(`${target}.lock`, timeoutMs)
      const vaultLock = new VaultLock(lock, target)
      vaultLock.announceUrl(undefined)
      return vaultLock
    } catch (error) {
      lock?.release()
      if (!isLockTaken(error)) throw toStorageError(error, `${target}.lock`)
      throw new CofferError(
        'conflict',
        describeOpenVault(path.basename(folder), readNotice(`${target}.lock.json`)),
      )
    }
  }

  /** Publishes where this process listens, or that it does not. */
  announceUrl(url: string | undefined): void {
    this.#url = url
    // Nobody trusts it once the lock is gone, and a power cut takes that.
    writeAtomically(this.#notice, JSON.stringify({ ...this.#holder, url }), { durable: false })
  }

  /**
   * Takes the lock again if its file was removed, renamed or replaced, and returns whether that was so. Where
   * another process holds the new file, the next call tries again. Throws what the system refuses.
   */
  retakeIfRemoved(): boolean {
    if (this.#ended) return false
    const wasRemoved = !this.#lock.isInPlace
    if (wasRemoved) {
      const before = this.#lock
      this.#lock = LockFile.acquire(`${this.#target}.lock`, 0)
      before.release()
    }
    if (wasRemoved || !fs.existsSync(this.#notice)) this.announceUrl(this.#url)
    return wasRemoved
  }

  /** Releases the folder, even if the notice beside it cannot be removed. Safe to repeat. */
  release(): void {
    this.#endWith(() => this.#lock.release())
  }

  /** Releases the folder and removes the lock file: nothing is left to claim. */
  remove(): void {
    this.#endWith(() => this.#lock.remove())
  }

  [Symbol.dispose](): void {
    this.release()
  }

  #endWith(unlock: () => void): void {
    if (this.#ended) return
    this.#ended = true
    try {
      fs.rmSync(this.#notice, { force: true })
    } catch {
      // Safe to leave behind: nobody trusts it without the lock.
    } finally {
      unlock()
    }
  }
}

/** The process that holds a folder, or undefined; a notice left by a dead process does not count. */
export function findLockHolder(folder: string): LockHolder | undefined {
  if (!fs.existsSync(path.dirname(folder))) return undefined
  const target = realPath(folder)
  const written = readNotice(`${target}.lock.json`)
  if (!written) return undefined
  let lock: Driver.Database | undefined
  try {
    lock = new Driver(`${target}.lock`, { timeout: 0, fileMustExist: true })
    lock.exec('BEGIN EXCLUSIVE')
    return undefined
  } catch (error) {
    return isLockTaken(error) ? written : undefined
  } finally {
    lock?.close()
  }
}

/** A folder has a single lock, by whatever path it is reached. */
function realPath(folder: string): string {
  try {
    if (fs.existsSync(folder)) return fs.realpathSync(folder)
    return path.join(fs.realpathSync(path.dirname(folder)), path.basename(folder))
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

function readNotice(file: string): LockHolder | undefined {
  try {
    return lockHolder.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** Where a vault is open, and what to do, in sentences. */
export function describeOpenVault(name: string, by: LockHolder | undefined): string {
  if (!by) return `The vault ${name} is open in another process. Close it there first.`
  const listening = by.url ? `, listening at ${by.url}` : ''
  return `The vault ${name} is open in ${by.command} (process ${by.pid}, since ${by.since}${listening}). Close it there first.`
}
