import fs from 'node:fs'
import path from 'node:path'
import Driver from 'better-sqlite3'
import { CofferError } from '../../../shared/errors.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/index.ts'
import { writeAtomically } from './atomic-write.ts'
import { isLockTaken, LockFile } from './lock-file.ts'

const lockHolder = z.object({
  pid: z.int(),
  command: z.string(),
  since: z.string(),
  /** The listener's base URL, if it is on. */
  url: z.string().optional(),
})

/** Long enough for a process that only checks the lock (`findLockHolder`) to finish. */
const LOCK_TIMEOUT_MS = 250

/** The process that has locked a folder, as other processes see it. */
export type LockHolder = z.infer<typeof lockHolder>

/** Returns the name of this process as other processes show it: `coffer serve`, or the name of the program. */
export function readProcessName([program = '', script, command]: readonly string[] = process.argv): string {
  // Electron's first argument is a folder or a flag.
  const name = path.basename(process.versions.electron || script === undefined ? program : script)
  return /^(coffer|run\.mjs|coffer\.[jt]s)$/.test(name) ? `coffer ${command ?? ''}`.trimEnd() : name
}

/**
 * Ensures that only one process at a time uses a folder, with the lock file `<folder>.lock`. The notice
 * `<folder>.lock.json` only tells other processes which one holds the lock.
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
    this.#holder = { pid: process.pid, command: readProcessName(), since: formatIsoTime(Date.now()) }
  }

  /**
   * Locks a folder, which need not exist yet, waiting at most `timeoutMs`. Throws `conflict` with the name of the
   * process that holds it.
   */
  static acquire(folder: string, timeoutMs = LOCK_TIMEOUT_MS): VaultLock {
    const target = resolveRealPath(folder)
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

  /** Publishes the base URL of this process's listener; `undefined` means that the listener is off. */
  announceUrl(url: string | undefined): void {
    this.#url = url
    // The notice need not be durable: it counts only while the lock is held, and a power cut releases the lock.
    writeAtomically(this.#notice, JSON.stringify({ ...this.#holder, url }), { durable: false })
  }

  /**
   * Returns whether the lock file was removed, renamed or replaced. If so, acquires the lock again first. Throws
   * the system's error, for example while another process has locked the new file. The next call then tries again.
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

  /** Releases the folder, even if its notice cannot be removed. Safe to repeat. */
  release(): void {
    this.#endWith(() => this.#lock.release())
  }

  /** Releases the folder and removes the lock file. For folders that no longer exist. */
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
      // The notice may stay behind, because it counts only while the lock is held.
    } finally {
      unlock()
    }
  }
}

/** Finds the process that has locked a folder. The notice of a dead process does not count. */
export function findLockHolder(folder: string): LockHolder | undefined {
  if (!fs.existsSync(path.dirname(folder))) return undefined
  const target = resolveRealPath(folder)
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

/** Resolves links, so that a folder has a single lock under every path. */
function resolveRealPath(folder: string): string {
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

/** Returns sentences that say where a vault is open and what to do. */
export function describeOpenVault(name: string, by: LockHolder | undefined): string {
  if (!by) return `The vault ${name} is open in another process. Close it there first.`
  const listening = by.url ? `, listening at ${by.url}` : ''
  return `The vault ${name} is open in ${by.command} (process ${by.pid}, since ${by.since}${listening}). Close it there first.`
}
