import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { readHeader, writeHeader } from '../../electron/host/files/header.ts'
import type { Credential } from '../../electron/host/keys/credential.ts'
import { unwrapMaster, wrapMaster } from '../../electron/host/keys/master.ts'
import {
  deriveRecoveryWrappingKey,
  newRecoveryKey,
  parseRecoveryKey,
} from '../../electron/host/keys/recovery-key.ts'
import {
  newRecoverySlot,
  nextRecoverySlot,
  openRecoverySlot,
} from '../../electron/host/keys/recovery-slot.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { changeProtection, keepsRecoveryKey } from '../../electron/host/maintenance/change-protection.ts'
import { renewRecoveryKey } from '../../electron/host/maintenance/renew-recovery-key.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { pickSome } from '../thorough.ts'
import { captureCrashImages } from './crash-images.ts'
import { runInSession } from './run-steps.ts'
import {
  argon2id,
  createCard,
  createOwnerClient,
  createStoredVault,
  name,
  openStoredVault,
  passphrase,
} from './stored-vault.ts'

const protection = { passphrase, argon2id }
const other = { passphrase: 'battery staple', argon2id }

type StoredVault = Awaited<ReturnType<typeof createStoredVault>>

/**
 * Returns for each credential whether it opens the current database with this header. Each one is tried on a copy of
 * the vault's folder.
 */
async function findOpeningCredentials(
  { dataDir, header }: { dataDir: string; header?: Buffer },
  credentials: Credential[],
) {
  const outcomes: boolean[] = []
  for (const credential of credentials) {
    const copy = `${dataDir}-${randomBytes(4).toString('hex')}`
    fs.cpSync(dataDir, copy, { recursive: true })
    if (header) fs.writeFileSync(path.join(copy, name, 'vault.json'), header)
    try {
      const vault = await openVault({ dataDir: copy, name, with: credential })
      expect((await createOwnerClient(vault).tokens.list({})).data).toHaveLength(1)
      vault.lock()
      outcomes.push(true)
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(unauthenticated|damaged)$/) })
      outcomes.push(false)
    }
    fs.rmSync(copy, { recursive: true })
  }
  return outcomes
}

const changes: [
  string,
  (kept: StoredVault, fresh: string) => Promise<unknown>,
  (kept: StoredVault, fresh: string) => Credential[],
][] = [
  [
    'passphrase',
    ({ vault }) => changeProtection(vault, { protection: other }),
    ({ recovery_key }) => [other, { recovery_key }],
  ],
  [
    'recovery key',
    ({ vault }, recovery_key) => renewRecoveryKey(vault, { recovery_key, protection }),
    (_, recovery_key) => [protection, { recovery_key }],
  ],
  [
    'master secret',
    ({ vault }, fresh) => rotateMaster(vault, protection, {}, fresh),
    (_, recovery_key) => [protection, { recovery_key }],
  ],
]

test.each(pickSome(changes, 1))(
  'X-43 after a change of the %s an earlier header does not open the database',
  async (_, change, opensNow) => {
    const kept = await createStoredVault()
    const { dataDir, vault, owner, recovery_key: before } = kept
    await owner.tokens.create(createCard())
    const { file } = await backUpOpenVault(vault, { dataDir })
    const header = fs.readFileSync(vault.files.header)
    const fresh = newRecoveryKey()
    await change(kept, fresh)
    vault.lock()
    const earlier: Credential[] = [{ passphrase }, { recovery_key: before }]
    expect(
      await findOpeningCredentials({ dataDir, header }, [...earlier, other, { recovery_key: fresh }]),
    ).toEqual([false, false, false, false])
    const now = opensNow(kept, fresh).map((each) =>
      'passphrase' in each ? { passphrase: each.passphrase } : each,
    )
    expect(await findOpeningCredentials({ dataDir }, now)).toEqual([true, true])
    const gone = earlier.filter((each) => !now.some((one) => JSON.stringify(one) === JSON.stringify(each)))
    expect(gone).toHaveLength(1)
    expect(await findOpeningCredentials({ dataDir }, gone)).toEqual([false])
    // The backup still opens with the credentials that were valid when it was made.
    for (const [at, credential] of earlier.entries()) {
      const restored = await restoreVault({ file, dataDir, name: `then${at}`, with: credential, protection })
      restored.lock()
    }
  },
)

test.runIf(process.platform === 'linux')(
  'X-43 after a move to the keychain and back, no old header or keychain entry opens the vault',
  { tags: 'thorough' },
  async () => {
    const { folder, dataDir, vault } = await createStoredVault()
    const file = vault.files.header
    vault.lock()
    const session = { unlocked_with: 'pw' }
    const place = { dataDir, name }
    const byPassphrase = fs.readFileSync(file)
    const moved = runInSession(folder, session, [
      { do: 'change protection', ...place, with: { passphrase }, protection: { keychain: true } },
      { do: 'open', ...place, with: { keychain: true } },
    ])
    expect(moved).toMatchObject(['done', { tenant_id: expect.any(String) }])
    const byKeychain = fs.readFileSync(file)
    const account = readHeader(file).keychain?.account ?? ''
    fs.writeFileSync(file, byPassphrase)
    await expect(openVault({ ...place, with: { passphrase } })).rejects.toMatchObject({ code: 'damaged' })
    fs.writeFileSync(file, byKeychain)
    const back = runInSession(folder, session, [
      { do: 'change protection', ...place, with: { keychain: true }, protection: other },
      { do: 'read', account },
    ])
    expect(back).toMatchObject(['done', { state: 'empty' }])
    ;(await openStoredVault({ ...place, with: { passphrase: other.passphrase } })).lock()
  },
)

test('X-43 one recovery key opens the vault after every change of passphrase', async () => {
  const { dataDir, vault, recovery_key } = await createStoredVault()
  for (const next of [other, protection, other]) await changeProtection(vault, { protection: next })
  vault.lock()
  const again = await openStoredVault({ dataDir, name, with: { recovery_key } })
  again.lock()
})

test('X-43 after a change with keepMaster, an older header still opens the vault', async () => {
  const { dataDir, vault, owner, recovery_key } = await createStoredVault()
  await owner.tokens.create(createCard())
  const header = fs.readFileSync(vault.files.header)
  await changeProtection(vault, { protection: other, keepMaster: true })
  const fresh = newRecoveryKey()
  await renewRecoveryKey(vault, { recovery_key: fresh, protection: 'keepMaster' })
  vault.lock()
  expect(await findOpeningCredentials({ dataDir, header }, [{ passphrase }, { recovery_key }])).toEqual([
    true,
    true,
  ])
  const now = [{ passphrase: other.passphrase }, { recovery_key: fresh }, { passphrase }, { recovery_key }]
  expect(await findOpeningCredentials({ dataDir }, now)).toEqual([true, true, false, false])
})

test('X-43 after a crash in a passphrase change, the recovery key and a passphrase open the vault', {
  tags: 'thorough',
}, async () => {
  const { folder, dataDir, vault, owner, recovery_key } = await createStoredVault()
  await owner.tokens.create(createCard())
  const images = await captureCrashImages(folder, async (take) => {
    await changeProtection(vault, { protection: other }, { onProgress: take })
  })
  vault.lock()
  const outcomes: string[] = []
  const credentials = [{ passphrase }, { passphrase: other.passphrase }, { recovery_key }]
  for (const image of images) {
    const at = path.join(image, path.basename(dataDir))
    const isChanging = readHeader(path.join(at, name, 'vault.json')).next !== undefined
    const [old, fresh, recovery] = await findOpeningCredentials({ dataDir: at }, credentials)
    expect(recovery).toBe(true)
    expect([old, fresh]).toEqual(isChanging ? [true, true] : [old, !old])
    outcomes.push(isChanging ? 'changing' : old ? 'old' : 'new')
  }
  expect(outcomes.join(' ')).toMatch(/^(old )+(changing ){3,}(new ?)+$/)
})

test('X-43 a protection change of an older vault needs a new recovery key, and later ones do not', {
  tags: 'thorough',
}, async () => {
  const { dataDir, vault, recovery_key: old } = await createStoredVault()
  const header = readHeader(vault.files.header)
  const key = deriveRecoveryWrappingKey(parseRecoveryKey(old), header.vault_id)
  const wrapped = vault.withMaster((master) => wrapMaster(master, key, header.vault_id, 'recovery'))
  writeHeader(vault.files.header, { ...header, recovery: { wrapped } })
  vault.lock()
  const again = await openStoredVault({ dataDir, name, with: { recovery_key: old } })
  expect(keepsRecoveryKey(again)).toBe(false)
  const without = changeProtection(again, { protection: other })
  await expect(without).rejects.toMatchObject({
    code: 'invalid',
    errors: { recovery_key: expect.anything() },
  })
  const recovery_key = newRecoveryKey()
  await changeProtection(again, { protection: other, recovery_key })
  expect(keepsRecoveryKey(again)).toBe(true)
  await changeProtection(again, { protection })
  again.lock()
  ;(await openStoredVault({ dataDir, name, with: { recovery_key } })).lock()
  const gone = openVault({ dataDir, name, with: { recovery_key: old } })
  await expect(gone).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('X-43 a forged recovery slot is not carried over to the next master secret', () => {
  const [master, next, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const vault_id = 'c0ffe500-0000-4000-8000-000000000000'
  const current = newRecoveryKey()
  const theirs = newRecoveryKey()
  const slot = newRecoverySlot(master, vault_id, current)
  const planted = newRecoverySlot(foreign, vault_id, theirs)
  const into = { from: master, to: next, vault_id }
  expect(nextRecoverySlot({ ...slot, sealed_to: planted.sealed_to }, into)).toBeUndefined()
  expect(nextRecoverySlot(slot, { ...into, vault_id: 'another' })).toBeUndefined()
  const carried = nextRecoverySlot(slot, into)
  const openSlot = (key: string, from = carried) =>
    from && openRecoverySlot(from, parseRecoveryKey(key), vault_id)
  expect(openSlot(current)).toEqual(next)
  expect(openSlot(current, slot)).toEqual(master)
  expect(openSlot(theirs)).toBeUndefined()
  // With a public half of small order, the shared secret would be the same for every key.
  expect(openSlot(current, { ...slot, ephemeral: Buffer.alloc(32).toString('base64') })).toBeUndefined()
  // Neither slot is wrapped under a key that derives from the old secret, so the old secret reveals nothing about the
  // next one.
  expect(unwrapMaster(carried?.wrapped ?? '', master, vault_id, 'recovery')).toBeUndefined()
})

test('X-43 without space for its copy, a protection change writes nothing and states the size', async () => {
  const { vault } = await createStoredVault()
  const before = fs.readFileSync(vault.files.header)
  vi.spyOn(fs, 'statfsSync').mockReturnValue({ bavail: 1, bsize: 4096 } as fs.StatsFs)
  const refused = changeProtection(vault, { protection: other })
  await expect(refused).rejects.toMatchObject({
    code: 'storage_full',
    message: expect.stringMatching(/\d+ MB, but only 0 MB are free/),
  })
  vi.restoreAllMocks()
  expect(fs.readFileSync(vault.files.header)).toEqual(before)
  expect(fs.readdirSync(vault.files.folder).filter((each) => each.endsWith('.next'))).toEqual([])
})
