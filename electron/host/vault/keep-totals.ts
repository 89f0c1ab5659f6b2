import { afterwards } from '../../engine/door/afterwards.ts'
import type { Report } from '../../engine/door/incident.ts'
import { readHeader } from '../files/header.ts'
import { incidentsOf } from '../incidents/incidents.ts'
import { keepTotal } from '../keys/kept-total.ts'
import type { KeychainEntry } from '../keys/keychain.ts'
import type { OpenVault } from './vault.ts'

const EVERY_MS = 5 * 60 * 1000
/** A keychain that does not answer must not keep the program from ending. */
const PATIENCE_MS = 2000

/** One after the other, so that an older total never follows a newer one. */
let writing = Promise.resolve()

/**
 * Keeps the total of a vault's commits in the keychain that protects it: now, every few minutes and when it is locked
 * . Never on the way of an answer; a failure is an incident and no more. Returns what ends it, after locking.
 */
export function keepTotals(vault: () => OpenVault, dataDir: string): () => void {
  let last = -1
  const keep = () => {
    const { engine, files } = vault()
    const { total } = engine
    if (!total || total.total === last) return
    const entry = entryFor(files.header)
    if (!entry) return
    const write = async () => {
      try {
        await keepTotal(entry, files.folder, total)
        last = total.total
      } catch (error) {
        incidentsOf(dataDir).report(error, 'commit count')
      }
    }
    writing = writing.then(write)
  }
  const report: Report = (error, where) => incidentsOf(dataDir).report(error, where)
  const keepLater = () => afterwards(report, 'commit count', keep)
  const timer = setInterval(keepLater, EVERY_MS).unref()
  keepLater()
  return () => {
    clearInterval(timer)
    keep()
  }
}

/** Read each time, because the protection of an open vault may change; none where the header cannot be read. */
function entryFor(header: string): KeychainEntry | undefined {
  try {
    const { protection, keychain } = readHeader(header)
    return protection === 'keychain' ? keychain : undefined
  } catch {
    return undefined
  }
}

/** Resolves when the keychain has taken what was being written, or does not answer. */
export async function totalsKept(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, PATIENCE_MS)
  await Promise.race([writing, promise])
  clearTimeout(timer)
}
