// Runs the standard script on a vault, by itself or step by step for its parent, while system calls are made to fail.
import fs from 'node:fs'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { checkDatabase } from '../../electron/engine/db/copy-database.ts'
import { readBackupFile } from '../../electron/host/backups/backup-file.ts'
import { makeVerifiedBackup } from '../../electron/host/backups/verified-backup.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { FaultScript } from './fault-script.ts'

export type StorageJob = {
  readonly dataDir: string
  readonly name: string
  readonly passphrase: string
  readonly out: string
  /** The allowed error codes; by default those of `FaultScript`. */
  readonly codes?: readonly string[]
}

export type StorageReport = { readonly refusals: number; readonly problems: readonly string[]; wal: number }

const { dataDir, name, passphrase, out, codes } = JSON.parse(process.argv[2] ?? '{}') as StorageJob
const script = new FaultScript(codes)
const openStored = () => openVault({ dataDir, name, with: { passphrase } })
let vault = await openTwice()
const { database } = vault.files
const master = Buffer.from(vault.withMaster((secret) => secret))

/** Opens the vault. A second attempt is needed if the first one meets the fault. */
async function openTwice() {
  let opened: Awaited<ReturnType<typeof openStored>> | undefined
  await script.attempt(async () => {
    opened = await openStored()
  })
  return opened ?? openStored()
}

const playScript = (): Promise<number> => script.run(vault.engine, master)

/** Checkpoints the log, closes the vault, and opens it again. */
async function reopen(): Promise<void> {
  await script.attempt(async () => vault.lock())
  vault = await openTwice()
}

async function backUp(): Promise<void> {
  await script.attempt(async () => {
    makeVerifiedBackup({ ...vault.files, master, out, reason: 'asked', now: 0 })
  })
}

/** Checks that acknowledged writes are present and that a backup is complete or absent. */
async function checkWrites(about: string): Promise<void> {
  await script.check(vault.engine, master, about)
  if (fs.existsSync(out)) readBackupFile(out, { master })
  fs.rmSync(out, { force: true })
}

/**
 * Runs a check. If the check itself meets the fault, the vault is reopened, as the error advises, and the check is
 * repeated.
 */
async function retryOnce(look: () => Promise<void>): Promise<void> {
  let isDone = false
  await script.attempt(look, () => {
    isDone = true
  })
  if (isDone) return
  await reopen()
  await look()
}

async function checkPages(): Promise<void> {
  checkDatabase(database, deriveDatabaseKey(master))
}

const createReport = (): StorageReport => ({
  refusals: script.refusals,
  problems: script.problems,
  wal: fs.statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0,
})

const steps = { play: playScript, reopen, check: checkWrites, checkPages } as const

if (process.send) {
  process.on('message', async (step: { do: keyof typeof steps; about?: string }) => {
    await steps[step.do](step.about ?? '')
    process.send?.(createReport())
  })
  process.send(createReport())
} else {
  await playScript()
  await backUp()
  await retryOnce(() => checkWrites('after the script'))
  await reopen()
  await retryOnce(() => checkWrites('opened again'))
  await reopen()
  await retryOnce(() => checkWrites('opened once more'))
  vault.lock()
  await retryOnce(checkPages)
  console.log(JSON.stringify(createReport()))
}
