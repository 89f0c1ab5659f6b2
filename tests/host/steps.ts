import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import Driver from 'better-sqlite3'
import { createContext } from '../../electron/cli/terminal/find-key.ts'
import { makeVerifiedBackup } from '../../electron/host/backups/verified-backup.ts'
import { diagnoseVault } from '../../electron/host/doctor.ts'
import { readHeader } from '../../electron/host/files/header.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { type Credential, unlockMaster } from '../../electron/host/keys/credential.ts'
import {
  findKeychainProblem,
  readKeychain,
  removeFromKeychain,
  storeInKeychain,
  toKeychainEntry,
} from '../../electron/host/keys/keychain.ts'
import { type Protection, protectMaster } from '../../electron/host/keys/protection.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { changeProtection } from '../../electron/host/maintenance/change-protection.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { deleteVault } from '../../electron/host/vault/delete-vault.ts'
import { createEphemeralVault } from '../../electron/host/vault/ephemeral.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { flushTotals } from '../../electron/host/vault/persist-totals.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { CofferError } from '../../shared/errors.ts'

/** A step that another process runs, with a vault or the keychain. */
export type ProgramStep =
  | { do: 'store'; account: string; hex: string }
  | { do: 'read' | 'remove'; account: string }
  | { do: 'problem' }
  /** Restarts the keychain of the session, unlocked with this password. */
  | { do: 'restart keychain'; password: string }
  | { do: 'create'; dataDir: string; name: string; protection: Protection }
  | { do: 'open'; dataDir: string; name: string; with: Credential }
  | { do: 'protect'; dataDir: string; name: string; with: Credential; protection: Protection }
  | { do: 'change protection'; dataDir: string; name: string; with: Credential; protection: Protection }
  /** Makes a backup in the main thread, so that the moment of a crash can be chosen. */
  | { do: 'backup'; dataDir: string; name: string; with: Credential; out: string }
  | { do: 'restore'; file: string; dataDir: string; name: string; with: Credential; protection: Protection }
  | { do: 'rotate master'; dataDir: string; name: string; with: Credential; protection: Protection }
  | { do: 'situation' | 'doctor'; dataDir: string; name: string }
  /** Replaces the folder `to` with a copy. */
  | { do: 'copy'; from: string; to: string }
  /** Waits until the commit totals are stored in the keychain. */
  | { do: 'keep totals' }
  | { do: 'delete'; dataDir: string; name: string }
  /** If the process runs as root, drops its rights for all later steps. */
  | { do: 'drop rights' }
  /** Creates an in-memory vault. With `stay`, the process then runs until it is killed. */
  | { do: 'ephemeral'; stay: boolean }
  /**
   * Makes a later step kill the process with SIGKILL before the n-th `call`, or the n-th call of any kind, that changes
   * a file.
   */
  | { do: 'crash'; at: number; call?: Change }
  /** Runs steps in another process of the same session, which may crash. Returns the number of completed steps. */
  | { do: 'apart'; steps: ProgramStep[] }

const changes = ['mkdirSync', 'openSync', 'writeFileSync', 'renameSync', 'fsyncSync', 'rmSync'] as const
type Change = (typeof changes)[number]

/**
 * Kills this process before the n-th of these calls. Writes by SQLite are not counted, nor is the socket, which is created
 * at any time after the lock.
 */
function crashBefore(at: number, calls: readonly Change[]): void {
  let left = at
  for (const call of calls) {
    const original = fs[call] as (...args: unknown[]) => unknown
    const killOrCall = (...args: unknown[]) => {
      if (!args.some((each) => String(each).endsWith('.sock')) && --left === 0)
        process.kill(process.pid, 'SIGKILL')
      return original(...args)
    }
    Object.assign(fs, { [call]: killOrCall })
  }
}

async function runStep(step: ProgramStep): Promise<unknown> {
  switch (step.do) {
    case 'store':
      return storeInKeychain(toKeychainEntry(step.account), Buffer.from(step.hex, 'hex'))
    case 'read': {
      const read = await readKeychain(toKeychainEntry(step.account))
      return read.state === 'found' ? { state: read.state, hex: read.secret.toString('hex') } : read
    }
    case 'remove':
      return removeFromKeychain(toKeychainEntry(step.account))
    case 'problem':
      return (await findKeychainProblem())?.message ?? 'none'
    case 'restart keychain': {
      const arguments_ = ['--components=secrets', '--replace', '--unlock']
      return spawnSync('gnome-keyring-daemon', arguments_, { input: step.password }).status
    }
    case 'create': {
      const { vault, recovery_key } = await createVault(step)
      vault.lock()
      return { recovery_key }
    }
    case 'open': {
      const vault = await openVault(step)
      vault.lock()
      return { tenant_id: vault.engine.tenant_id }
    }
    case 'protect': {
      const vault = await openVault(step)
      await vault.withMaster((master) => protectMaster(vault.files.header, master, step.protection))
      vault.lock()
      return 'done'
    }
    case 'change protection': {
      const vault = await openVault(step)
      await changeProtection(vault, step)
      vault.lock()
      return 'done'
    }
    case 'backup': {
      const { database, header } = getVaultFiles(step.dataDir, step.name)
      const master = await unlockMaster(readHeader(header), step.with)
      return makeVerifiedBackup({ database, header, master, out: step.out, reason: 'asked', now: Date.now() })
        .reason
    }
    case 'rotate master': {
      const vault = await openVault(step)
      const recovery_key = newRecoveryKey()
      await rotateMaster(vault, step.protection, {}, recovery_key)
      vault.lock()
      return { recovery_key }
    }
    case 'restore': {
      const vault = await restoreVault(step)
      vault.lock()
      return { tenant_id: vault.engine.tenant_id }
    }
    case 'copy':
      fs.rmSync(step.to, { recursive: true, force: true })
      return fs.cpSync(step.from, step.to, { recursive: true })
    case 'keep totals':
      return flushTotals()
    case 'delete':
      return deleteVault({ ...step, with_backups: false })
    case 'drop rights':
      // Loads the native module, which may be unreadable without root's rights.
      new Driver(':memory:').close()
      if (process.getuid?.() === 0) process.setuid?.(65_534)
      return null
    case 'ephemeral':
      if (step.stay) process.stdin.resume()
      return createEphemeralVault().files.folder
    case 'apart': {
      const { stdout } = spawnSync(process.execPath, [import.meta.filename, JSON.stringify(step.steps)], {
        encoding: 'utf8',
      })
      return stdout.split('\n').length - 1
    }
    case 'crash':
      return crashBefore(step.at, step.call ? [step.call] : changes)
    case 'doctor':
      return diagnoseVault({ dataDir: step.dataDir, name: step.name, now: Date.now() })
    case 'situation': {
      const { header } = getVaultFiles(step.dataDir, step.name)
      const around = { terminal: false, environment: false }
      return (await createContext(readHeader(header), around)).context
    }
  }
}

for (const step of JSON.parse(process.argv[2] ?? '[]') as ProgramStep[]) {
  let result: unknown
  try {
    result = (await runStep(step)) ?? null
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    result = { code: error.code, message: error.message }
  }
  console.log(JSON.stringify(result))
}
