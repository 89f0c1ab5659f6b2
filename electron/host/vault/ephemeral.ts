import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { everythingChanged } from '../../../shared/entity-changes.ts'
import { Engine, type EngineOptions, toStorageError } from '../../engine/index.ts'
import { getFilesIn } from '../files/vault-files.ts'
import { VaultLock } from '../files/vault-lock.ts'
import { getIncidents } from '../incidents/incidents.ts'
import { InMemoryControls } from './in-memory-controls.ts'
import { MovableClock } from './movable-clock.ts'
import { OpenVault } from './vault.ts'

const NAME = /^coffer-in-memory-[0-9a-f-]{36}$/

/**
 * Creates an in-memory vault: an encrypted temporary file whose key exists only in this process. It is deleted when
 * it is locked or the process exits. The next process removes the files of a killed one. Throws `unavailable`,
 * `storage_full`.
 */
export function createEphemeralVault(options: EngineOptions = {}): OpenVault {
  removeStaleEphemerals()
  const name = `coffer-in-memory-${randomUUID()}`
  const files = getFilesIn(path.join(os.tmpdir(), name))
  const master = randomBytes(32)
  // Lock first: a folder without a lock belongs to a dead process.
  const vaultLock = VaultLock.acquire(files.folder)
  try {
    fs.mkdirSync(files.folder, { mode: 0o700 })
    const vault = { tenant_id: randomUUID(), name: 'in-memory' }
    const clock = new MovableClock(options.now ?? Date.now)
    const engineOptions: EngineOptions = {
      onIncident: getIncidents(null).recordIncident,
      ...options,
      now: clock.now,
      ephemeral: true,
    }
    const engine = Engine.create(files.database, master, vault, engineOptions)
    const onExit = () => opened.lock()
    const opened = new OpenVault({
      name: 'in-memory',
      files,
      engine,
      master,
      vaultLock,
      controls: (self) =>
        new InMemoryControls({
          ...files,
          clock,
          withMaster: self.withMaster.bind(self),
          engine: () => self.engine,
          swap: (database) =>
            self.replaceEngine((key) => {
              const next = Engine.open(database, key, engineOptions)
              next.sweeper.start()
              options.onChanges?.(everythingChanged)
              return next
            }),
          onClockSet: () => {
            // Deliveries and other tasks may be due at the new time.
            options.onEvents?.()
            options.onClock?.()
          },
        }),
      afterwards: () => {
        process.off('exit', onExit)
        removeFolder(files.folder)
      },
    })
    process.on('exit', onExit)
    return opened
  } catch (error) {
    vaultLock.release()
    removeFolder(files.folder)
    throw toStorageError(error, files.folder)
  }
}

/** Whether a vault is in memory. Once locked, such a vault cannot be opened again. */
export function isEphemeral({ files }: OpenVault): boolean {
  return NAME.test(path.basename(files.folder))
}

/**
 * Removes the in-memory vaults of this user's dead processes. Those that cannot be removed are left for the next call.
 */
export function removeStaleEphemerals(): void {
  const parent = os.tmpdir()
  const names = fs.existsSync(parent) ? fs.readdirSync(parent).filter((each) => NAME.test(each)) : []
  for (const name of names) {
    const folder = path.join(parent, name)
    try {
      // SECURITY: the temporary folder is shared, so never follow links that others put there.
      const stat = fs.lstatSync(folder)
      if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) continue
      VaultLock.acquire(folder, 0).release()
      removeFolder(folder)
    } catch {
      // A running process has locked the folder, or the system rejects the removal. The next start tries again.
    }
  }
}

/**
 * Removes the folder of an in-memory vault, and then its lock. In the reverse order, another process could find the
 * folder without a lock, take it for a dead process's and remove it too.
 */
function removeFolder(folder: string): void {
  for (const end of ['', '.lock', '.lock.json']) fs.rmSync(folder + end, { recursive: true, force: true })
}
