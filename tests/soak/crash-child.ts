// A program that a test kills. It serves a vault while it repeats one long task.
import path from 'node:path'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { changeProtection } from '../../electron/host/maintenance/change-protection.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { openListener } from '../../electron/http/listener.ts'
import { openOlder, openRepeatedly } from './crash-openings.ts'
import { createRewrites } from './create-rewrites.ts'

export type CrashWork =
  | 'rotate data'
  | 'rotate master'
  | 'change protection'
  | 'backup'
  | 'restore'
  | 'migrate'
  /** Opens and closes the vault repeatedly, without serving it. */
  | 'open'
  /** Opens copies of a vault of the first version, without serving them. */
  | 'open older'

export type ChildOrder = {
  readonly work: CrashWork
  readonly dataDir: string
  readonly name: string
  readonly protection: {
    passphrase: string
    argon2id: { memory_kib: number; iterations: number; parallelism: number }
  }
  /** A new folder for output, and a backup to restore from. */
  readonly out: string
  readonly backup: string
  /** The folder of a vault of the first version. */
  readonly older: string
  /** The database to migrate. */
  readonly migrating: string
}

const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder
const { work, dataDir, name, protection, out, backup, migrating } = order
if (work === 'open') await openRepeatedly(order)
if (work === 'open older') await openOlder(order)
const vault = await openVault({ dataDir, name, with: protection })
const { url } = await openListener({ engine: () => vault.engine, port: 0, origins: [], hosts: [] })
vault.engine.sweeper.start()
const master = Buffer.from(vault.withMaster((secret) => secret))
console.log(JSON.stringify({ url }))

for (let count = 0; ; count++) {
  if (work === 'rotate data') await vault.withMaster((secret) => vault.engine.lifecycle.rotateDataKey(secret))
  else if (work === 'rotate master') await rotateMaster(vault, protection)
  else if (work === 'change protection') await changeProtection(vault, { protection })
  else if (work === 'backup') await backUpOpenVault(vault, { dataDir, file: path.join(out, `${count}`) })
  else if (work === 'restore') {
    const target = { file: backup, dataDir: out, name: `copy${count}`, with: protection, protection }
    const copy = await restoreVault(target)
    copy.lock()
  } else {
    const db = openDatabase(migrating, deriveDatabaseKey(master), { create: false })
    const applied = Number(db.pragma('user_version', { simple: true }))
    migrateDatabase(db, [...migrations, ...createRewrites(migrations.length, applied + 1)])
    db.close()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
