// Plays the standard script on a vault, by itself or as its parent says, while its system calls are made to fail.
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
  /** What a refusal may be, where not as usual. */
  readonly codes?: readonly string[]
}

export type StorageReport = { readonly refusals: number; readonly problems: readonly string[]; wal: number }

const { dataDir, name, passphrase, out, codes } = JSON.parse(process.argv[2] ?? '{}') as StorageJob
const script = new FaultScript(codes)
const open = () => openVault({ dataDir, name, with: { passphrase } })
let vault = await openTwice()
const { database } = vault.files
const master = Buffer.from(vault.withMaster((lent) => lent))

/** The first may meet the fault. */
async function openTwice() {
  let opened: Awaited<ReturnType<typeof open>> | undefined
  await script.attempt(async () => {
    opened = await open()
  })
  return opened ?? open()
}

const play = (): Promise<number> => script.play(vault.engine, master)

/** Carries over what waits in the log, closes, and opens again. */
async function reopen(): Promise<void> {
  await script.attempt(async () => vault.lock())
  vault = await openTwice()
}

async function backUp(): Promise<void> {
  await script.attempt(async () => {
    makeVerifiedBackup({ ...vault.files, master, out, reason: 'asked', now: 0 })
  })
}

/** Without faults: everything answered is there, pages are sound, and a backup is whole or is not there. */
async function check(about: string): Promise<void> {
  await script.check(vault.engine, master, about)
  if (fs.existsSync(out)) readBackupFile(out, { master })
  fs.rmSync(out, { force: true })
}

/** Looks, and where that met the fault, once more after opening again, as the refusal says. */
async function twice(look: () => Promise<void>): Promise<void> {
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

const report = (): StorageReport => ({
  refusals: script.refusals,
  problems: script.problems,
  wal: fs.statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0,
})

const steps = { play, reopen, check, checkPages } as const

if (process.send) {
  process.on('message', async (step: { do: keyof typeof steps; about?: string }) => {
    await steps[step.do](step.about ?? '')
    process.send?.(report())
  })
  process.send(report())
} else {
  await play()
  await backUp()
  await twice(() => check('after the script'))
  await reopen()
  await twice(() => check('opened again'))
  await reopen()
  await twice(() => check('opened once more'))
  vault.lock()
  await twice(checkPages)
  console.log(JSON.stringify(report()))
}
