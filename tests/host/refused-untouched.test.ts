import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase, rekeyDatabase } from '../../electron/engine/db/open.ts'
import { readHeader, writeHeader } from '../../electron/host/files/header.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { digestFolder, flipBit } from '../soak/damage-log.ts'
import { createTempFolder } from '../vault.ts'
import { copyMaster } from './stored-vault.ts'

const name = 'work'
const owner = { kind: 'owner' } as const
const protection = {
  passphrase: 'the right passphrase',
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
}

/** Returns a copy of a vault in the state in which kill -9 leaves it, including its log. */
async function copyKilledVault() {
  const dataDir = path.join(createTempFolder(), 'data')
  const made = await createVault({ dataDir, name, protection })
  for (let number = 0; number < 20; number++) {
    await made.vault.engine.call('tokens.create', { type: 'token', data: `value ${number}` }, owner)
  }
  const copy = path.join(createTempFolder(), 'data')
  fs.cpSync(dataDir, copy, { recursive: true })
  const master = copyMaster(made.vault)
  made.vault.lock()
  return { dataDir: copy, files: getVaultFiles(copy, name), master, recovery_key: made.recovery_key }
}

type KilledVault = Awaited<ReturnType<typeof copyKilledVault>>

/** Kinds of damage: a name, the error that it must cause, and a function that causes it. */
const damages: [string, RegExp, (from: KilledVault) => void | Promise<void>, { passphrase: string }?][] = [
  ['a wrong passphrase', /wrong/, () => {}, { passphrase: 'not the right one' }],
  [
    'an unencrypted file next to the log',
    /./,
    ({ files }) => {
      fs.rmSync(files.database)
      new DatabaseSync(files.database).exec('CREATE TABLE note (text TEXT); INSERT INTO note VALUES (1)')
    },
  ],
  [
    'an unencrypted file',
    /unencrypted/,
    async (from) => {
      await closeVault(from)
      const { files } = from
      fs.rmSync(files.database)
      new DatabaseSync(files.database).exec('CREATE TABLE note (text TEXT); INSERT INTO note VALUES (1)')
    },
  ],
  ['no file', /There is no vault file/, ({ files }) => fs.rmSync(files.database)],
  ['an empty file', /./, ({ files }) => fs.truncateSync(files.database)],
  ['a truncated file', /./, ({ files }) => fs.truncateSync(files.database, 4096)],
  ['a header with a flipped bit', /vault\.json is damaged/, ({ files }) => flipBit(files.header, 300, 1)],
  ['no header', /vault\.json/, ({ files }) => fs.rmSync(files.header)],
  ['another key', /./, ({ files }) => fs.writeFileSync(files.database, randomBytes(8192))],
  [
    'a header of another vault',
    /./,
    async ({ files }) => fs.copyFileSync((await copyKilledVault()).files.header, files.header),
  ],
  [
    'a newer format, without a log',
    /newer Coffer/,
    async (from) => {
      await closeVault(from)
      withDatabase(from, (db) => db.pragma('user_version = 999'))
    },
  ],
  [
    'a missing table',
    /./,
    async (from) => {
      await closeVault(from)
      withDatabase(from, (db) => db.exec('PRAGMA foreign_keys = OFF; DROP TABLE key'))
    },
  ],
  [
    'a database under another key',
    /./,
    async (from) => {
      await closeVault(from)
      withDatabase(from, (db) => rekeyDatabase(db, randomBytes(32)))
    },
  ],
  [
    'a newer header',
    /newer Coffer|damaged/,
    ({ files }) => {
      const text = fs.readFileSync(files.header, 'utf8')
      fs.writeFileSync(files.header, text.replace(/"format": \d/, '"format": 9'))
    },
  ],
  [
    'an unreachable log',
    /./,
    ({ files }) => {
      fs.rmSync(`${files.database}-wal`)
      fs.mkdirSync(`${files.database}-wal`)
    },
  ],
]

async function closeVault({ dataDir }: KilledVault): Promise<void> {
  const vault = await openVault({ dataDir, name, with: protection })
  vault.lock()
}

function withDatabase(
  { files, master }: KilledVault,
  act: (db: ReturnType<typeof openDatabase>) => unknown,
): void {
  const db = openDatabase(files.database, deriveDatabaseKey(master), { create: false })
  act(db)
  db.close()
}

test.each(damages)(
  'X-47 %s is rejected without a change of any file, including the log',
  async (_what, says, damage, opener) => {
    const from = await copyKilledVault()
    await damage(from)
    const before = readSnapshot(from.files.folder)
    const refusal = await openVault({ dataDir: from.dataDir, name, with: opener ?? protection }).then(
      (vault) => {
        vault.lock()
        return 'it opened'
      },
      (error: Error) => error,
    )
    expect(refusal).toMatchObject({ name: 'CofferError', message: expect.stringMatching(says) })
    expect(readSnapshot(from.files.folder)).toEqual(before)
  },
)

test('X-47 rejecting a vault leaves its interrupted master secret change pending', async () => {
  const from = await copyKilledVault()
  const header = readHeader(from.files.header)
  const { check, recovery, passphrase } = header
  const next = {
    check,
    recovery,
    passphrase,
    protection: 'passphrase' as const,
    under_old: check,
    old_under_new: check,
  }
  writeHeader(from.files.header, { ...header, next })
  const before = readSnapshot(from.files.folder)
  await expect(openVault({ dataDir: from.dataDir, name, with: protection })).rejects.toMatchObject({
    code: 'damaged',
  })
  expect(readSnapshot(from.files.folder)).toEqual(before)
})

function readSnapshot(folder: string): string | string[] {
  const odd = fs.readdirSync(folder).filter((each) => !fs.statSync(path.join(folder, each)).isFile())
  return odd.length > 0 ? fs.readdirSync(folder).sort() : digestFolder(folder)
}
