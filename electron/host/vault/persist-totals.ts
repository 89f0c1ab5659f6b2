import { type ReportIncident, runAfterwards } from '../../engine/index.ts'
import { readHeader } from '../files/header.ts'
import { getIncidents } from '../incidents/incidents.ts'
import type { KeychainEntry } from '../keys/keychain.ts'
import { persistTotal } from '../keys/persisted-total.ts'
import type { OpenVault } from './vault.ts'

const PERSIST_INTERVAL_MS = 5 * 60 * 1000
/**
 * The maximum time to wait for the keychain, so that one that does not respond cannot keep the program from exiting.
 */
const FLUSH_TIMEOUT_MS = 2000

/** Writes run one after another, so that an older total never overwrites a newer one. */
let writing = Promise.resolve()

/**
 * Persists the total of a vault's commits in the keychain that protects it: now, every five minutes and when it is
 * locked. Never delays a response. A failure is only recorded as an incident. Returns a function that ends this
 * with a last write. Call it after locking.
 */
export function persistTotals(vault: () => OpenVault, dataDir: string): () => void {
  let last = -1
  const persistNow = () => {
    const { engine, files } = vault()
    const { total } = engine.lifecycle
    if (!total || total.total === last) return
    const entry = findEntry(files.header)
    if (!entry) return
    const writeTotal = async () => {
      try {
        await persistTotal(entry, files.folder, total)
        last = total.total
      } catch (error) {
        getIncidents(dataDir).reportError(error, 'commit count')
      }
    }
    writing = writing.then(writeTotal)
  }
  const reportIncident: ReportIncident = (error, where) => getIncidents(dataDir).reportError(error, where)
  const persistLater = () => runAfterwards(reportIncident, 'commit count', persistNow)
  const timer = setInterval(persistLater, PERSIST_INTERVAL_MS).unref()
  persistLater()
  return () => {
    clearInterval(timer)
    persistNow()
  }
}

/**
 * Finds the keychain entry of a vault. Called for each write, because the protection of an open vault may change.
 * Returns undefined if no keychain protects the vault, or if the header cannot be read.
 */
function findEntry(header: string): KeychainEntry | undefined {
  try {
    const { protection, keychain } = readHeader(header)
    return protection === 'keychain' ? keychain : undefined
  } catch {
    return undefined
  }
}

/** Resolves when the keychain has stored the pending totals, or after 2 seconds. */
export async function flushTotals(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS)
  await Promise.race([writing, promise])
  clearTimeout(timer)
}
