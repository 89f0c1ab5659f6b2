import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { readHeader } from '../../electron/host/files/header.ts'
import type { Credential } from '../../electron/host/keys/credential.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { renewRecoveryKey } from '../../electron/host/maintenance/renew-recovery-key.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { captureCrashImages } from './crash-images.ts'
import { gatePassphrases } from './passphrase-gate.ts'
import { runInSession } from './run-steps.ts'
import { startHost } from './start-host.ts'
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

async function createVaultWithTokens() {
  const kept = await createStoredVault()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => kept.owner.tokens.create(createCard())))
  const ids = tokens.map(({ id }) => id)
  const old = Buffer.from(kept.vault.withMaster((master) => master))
  return { ...kept, ids, old }
}

type VaultWithTokens = Awaited<ReturnType<typeof createVaultWithTokens>>

async function expectAll(vault: Awaited<ReturnType<typeof openVault>>, ids: readonly string[]) {
  for (const id of ids) {
    expect((await createOwnerClient(vault).tokens.reveal({ id })).data).toMatchObject({
      number: '4242424242424242',
    })
  }
}

/** Expects that the old secret and recovery key fail, the new ones work, and no temporary file is left. */
async function expectRotated(
  { dataDir, vault, recovery_key: before, old, ids }: VaultWithTokens,
  recovery_key: string,
) {
  vault.lock()
  expect(fs.readdirSync(vault.files.folder).sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
  expect(readHeader(vault.files.header).next).toBeUndefined()
  expect(() => openReadOnly(vault.files.database, deriveDatabaseKey(old))).toThrow(
    /does not open with this key/,
  )
  const attempt = openVault({ dataDir, name, with: { recovery_key: before } })
  await expect(attempt).rejects.toMatchObject({ code: 'unauthenticated' })
  for (const credential of [{ passphrase }, { recovery_key }]) {
    const again = await openStoredVault({ dataDir, name, with: credential })
    expect(again.engine.tenant_id).toBe(vault.engine.tenant_id)
    await expectAll(again, ids)
    again.lock()
  }
}

async function expectUnchanged({ dataDir, vault, recovery_key, ids }: VaultWithTokens) {
  await expectAll(vault, ids)
  vault.lock()
  expect(fs.readdirSync(vault.files.folder).sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
  for (const credential of [{ passphrase }, { recovery_key }]) {
    const again = await openStoredVault({ dataDir, name, with: credential })
    await expectAll(again, ids)
    again.lock()
  }
  expect(readHeader(vault.files.header).next).toBeUndefined()
}

test('after a new master secret, the old secret and the old recovery key fail', async () => {
  const kept = await createVaultWithTokens()
  const [first, second] = [newRecoveryKey(), newRecoveryKey()]
  await rotateMaster(kept.vault, protection, {}, first)
  await expectAll(kept.vault, kept.ids)
  await rotateMaster(kept.vault, protection, {}, second)
  expect(second).not.toBe(first)
  await expectRotated(kept, second)
})

test('during a master secret change, reads continue and each write waits and is executed once', async () => {
  const kept = await createVaultWithTokens()
  const { vault, owner, ids } = kept
  const writes: Promise<{ id: string }>[] = []
  const answered: string[] = []
  let answeredDuringRotation: readonly string[] = []
  const sendCalls = () => {
    const id = `written-${writes.length}`
    const write = owner.tokens.create({ ...createCard(), id })
    writes.push(write)
    void write.then(() => answered.push(id))
    void owner.tokens.get({ id: ids[0] ?? '' }).then(() => answered.push('read'))
  }
  // Writes are paused during each step of the copy.
  const onProgress = () => {
    answeredDuringRotation = [...answered]
    for (let at = 0; at < 5; at++) sendCalls()
  }
  const recovery_key = newRecoveryKey()
  await rotateMaster(vault, protection, { onProgress }, recovery_key)
  expect(new Set(answeredDuringRotation)).toEqual(new Set(['read']))
  const written = await Promise.all(writes)
  expect(written.length).toBeGreaterThanOrEqual(15)
  expect(written.map(({ id }) => id)).toEqual(written.map((_, at) => `written-${at}`))
  const again = owner.tokens.create({ ...createCard(), id: 'written-1' })
  await expect(again).rejects.toMatchObject({ code: 'conflict' })
  await expectRotated({ ...kept, ids: [...ids, ...written.map(({ id }) => id)] }, recovery_key)
})

test('X-24 after a crash in a master secret change the valid credentials open the vault', async () => {
  const { folder, dataDir, vault, recovery_key: before, ids } = await createVaultWithTokens()
  const after = newRecoveryKey()
  const images = await captureCrashImages(folder, (take) =>
    rotateMaster(vault, protection, { onProgress: take }, after),
  )
  vault.lock()
  const outcomes: string[] = []
  const toLocation = (image: string) => ({ dataDir: path.join(image, path.basename(dataDir)), name })
  const isChanging = (image: string) =>
    readHeader(path.join(toLocation(image).dataDir, name, 'vault.json')).next !== undefined
  // The images before, during and after the change; some of each are tested.
  const first = images.findIndex(isChanging)
  const last = images.findLastIndex(isChanging)
  const stages = [images.slice(0, first), images.slice(first, last + 1), images.slice(last + 1)]
  for (const image of stages.flatMap((each, stage) => pickSome(each, stage === 1 ? 4 : 2))) {
    const place = toLocation(image)
    const wasChanging = isChanging(image)
    // Each credential is tried on its own copy of the image.
    const canOpen = async (credential: Credential) => {
      const copy = `${place.dataDir}-${Math.random()}`
      fs.cpSync(place.dataDir, copy, { recursive: true })
      try {
        const again = await openVault({ dataDir: copy, name, with: credential })
        await expectAll(again, ids.slice(0, 2))
        again.lock()
        expect(readHeader(path.join(copy, name, 'vault.json')).next).toBeUndefined()
        const left = fs.readdirSync(path.join(copy, name)).filter((each) => !each.endsWith('.tmp'))
        expect(left.sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
        return true
      } catch (error) {
        expect(error).toMatchObject({ code: 'unauthenticated' })
        return false
      }
    }
    expect(await canOpen({ passphrase })).toBe(true)
    const by = [await canOpen({ recovery_key: before }), await canOpen({ recovery_key: after })]
    if (wasChanging) expect(by).toEqual([true, true])
    outcomes.push(wasChanging ? 'changing' : by[0] ? 'old' : 'new')
    if (!wasChanging) expect(by).toEqual(outcomes.at(-1) === 'old' ? [true, false] : [false, true])
  }
  expect(outcomes.join(' ')).toMatch(/^(old )+(changing ){3,}(new ?)+$/)
})

test('a cancelled master secret change leaves the old secret valid and completes pending writes', {
  tags: 'thorough',
}, async () => {
  const kept = await createVaultWithTokens()
  const controller = new AbortController()
  let waited: Promise<{ id: string }> | undefined
  const stopped = rotateMaster(kept.vault, protection, {
    signal: controller.signal,
    onProgress() {
      waited ??= kept.owner.tokens.create(createCard())
      controller.abort()
    },
  })
  await expect(stopped).rejects.toMatchObject({
    code: 'cancelled',
    message: expect.stringContaining('Cancelled'),
  })
  await expectUnchanged({ ...kept, ids: [...kept.ids, (await waited)?.id ?? 'none'] })
})

test('a lock during a master secret change leaves the old secret valid and stores pending writes', {
  tags: 'thorough',
}, async () => {
  const kept = await createVaultWithTokens()
  let waited: Promise<{ id: string }> | undefined
  const stopped = rotateMaster(kept.vault, protection, {
    onProgress() {
      if (waited) return
      waited = kept.owner.tokens.create(createCard())
      kept.vault.lock()
    },
  })
  await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
  const { id } = (await waited) ?? { id: 'none' }
  const again = await openStoredVault({
    dataDir: kept.dataDir,
    name,
    with: { recovery_key: kept.recovery_key },
  })
  await expectUnchanged({ ...kept, vault: again, ids: [...kept.ids, id] })
})

test('X-31 a master secret change fails while another process reads the vault', async () => {
  const kept = await createVaultWithTokens()
  const reader = openReadOnly(kept.vault.files.database, deriveDatabaseKey(kept.old))
  const rows = reader.prepare('SELECT id FROM token').iterate()
  rows.next()
  await expect(rotateMaster(kept.vault, protection)).rejects.toThrow(/Another process is reading this vault/)
  rows.return?.()
  reader.close()
  await expectUnchanged(kept)
})

test('X-25 if the new file cannot replace the old one, the old secret remains valid', async () => {
  const kept = await createVaultWithTokens()
  const original = fs.renameSync
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (String(from).endsWith('.next')) throw Object.assign(new Error('no'), { code: 'EACCES' })
    original(from, to)
  })
  const failed = rotateMaster(kept.vault, protection)
  await expect(failed).rejects.toMatchObject({ code: 'unavailable' })
  vi.restoreAllMocks()
  await expectUnchanged(kept)
})

test('a new recovery key opens the vault, and the old one no longer does', async () => {
  const { dataDir, vault, recovery_key: before } = await createVaultWithTokens()
  const recovery_key = newRecoveryKey()
  await renewRecoveryKey(vault, { recovery_key, protection })
  vault.lock()
  const attempt = openVault({ dataDir, name, with: { recovery_key: before } })
  await expect(attempt).rejects.toMatchObject({ code: 'unauthenticated' })
  const again = await openStoredVault({ dataDir, name, with: { recovery_key } })
  again.lock()
  await expect(renewRecoveryKey(vault, { recovery_key, protection })).rejects.toMatchObject({
    code: 'locked',
  })
})

test('X-24 after a crash in a recovery key change, the passphrase and one recovery key open the vault', {
  tags: 'thorough',
}, async () => {
  const { folder, dataDir, vault, recovery_key: before, ids } = await createVaultWithTokens()
  const after = newRecoveryKey()
  const images = await captureCrashImages(folder, async (take) => {
    await renewRecoveryKey(vault, { recovery_key: after, protection }, { onProgress: take })
  })
  vault.lock()
  const outcomes: string[] = []
  for (const image of images) {
    const place = { dataDir: path.join(image, path.basename(dataDir)), name }
    const canOpen = async (credential: Credential) => {
      try {
        const again = await openVault({ ...place, with: credential })
        await expectAll(again, ids.slice(0, 1))
        again.lock()
        return true
      } catch (error) {
        expect(error).toMatchObject({ code: 'unauthenticated' })
        return false
      }
    }
    expect(await canOpen({ passphrase })).toBe(true)
    // Opening with the passphrase has completed or reverted the change, so only one of the two keys works.
    const by = [await canOpen({ recovery_key: before }), await canOpen({ recovery_key: after })]
    outcomes.push(by[0] ? 'old' : 'new')
    expect(by).toEqual(by[0] ? [true, false] : [false, true])
  }
  expect(outcomes.join(' ')).toMatch(/^(old )+new( new)*$/)
})

const session = { unlocked_with: 'pw' }

/** Creates a vault that the keychain protects. Returns it with the path of its header. */
function createInKeychain() {
  const folder = createTempFolder()
  const work = { dataDir: path.join(folder, 'data'), name: 'kept', protection: { keychain: true } } as const
  expect(runInSession(folder, session, [{ do: 'create', ...work }])).toHaveLength(1)
  return { folder, work, file: path.join(work.dataDir, 'kept', 'vault.json') }
}

test.runIf(process.platform === 'linux')(
  'a new secret in the keychain has its own entry, and the old entry is removed',
  () => {
    const { folder, work, file } = createInKeychain()
    const before = readHeader(file).keychain?.account ?? ''
    const rotated = runInSession(folder, session, [
      { do: 'rotate master', ...work, with: { keychain: true } },
      { do: 'read', account: before },
      { do: 'open', ...work, with: { keychain: true } },
    ])
    expect(rotated).toMatchObject([
      { recovery_key: expect.any(String) },
      { state: 'empty' },
      { tenant_id: expect.any(String) },
    ])
    expect(readHeader(file).keychain?.account ?? '').not.toBe(before)
  },
)

test.runIf(process.platform === 'linux')(
  'after a kill before the new header is written, the next opening removes the old keychain entry',
  { tags: 'thorough' },
  () => {
    const { folder, work, file } = createInKeychain()
    const account = readHeader(file).keychain?.account ?? ''
    // The renames are those of the lock notice, the header, the file and the header again. The process is killed before
    // the last one, so the file is new and the header is not.
    const crashed = runInSession(folder, session, [
      { do: 'crash', call: 'renameSync', at: 4 },
      { do: 'rotate master', ...work, with: { keychain: true } },
    ])
    expect(crashed).toEqual([null])
    expect(readHeader(file).next).toBeDefined()
    const after = runInSession(folder, session, [
      { do: 'situation', dataDir: work.dataDir, name: 'kept' },
      { do: 'open', ...work, with: { keychain: true } },
      { do: 'read', account },
    ])
    expect(after).toMatchObject([
      { vault: 'keychain', keychain: true },
      { tenant_id: expect.any(String) },
      { state: 'empty' },
    ])
    expect(readHeader(file).next).toBeUndefined()
  },
)

test('the window changes keys and protection only with the passphrase', async () => {
  const { window, host, events } = startHost()
  const made = await window.host.createVault({ name, protection: { passphrase } })
  const token = await window.tokens.create(createCard())
  await window.host.rotateDataKey()
  const { recovery_key, needed } = await window.host.draftRecoveryKey({ with: { passphrase } })
  expect(needed).toBe(false)
  for (const wrong of [
    window.host.draftRecoveryKey({ with: { passphrase: 'wrong' } }),
    window.host.rotateMaster({ with: { passphrase: 'wrong' }, recovery_key }),
  ])
    await expect(wrong).rejects.toMatchObject({ code: 'unauthenticated' })
  await window.host.rotateMaster({ with: { passphrase }, recovery_key })
  expect(recovery_key).not.toBe(made.recovery_key)
  const jobs = events.filter((event) => event.type === 'progress').map(({ job }) => job)
  expect([...new Set(jobs)]).toEqual(['rotate data key', 'rotate master'])
  const fresh = 'battery staple'
  await window.host.changeProtection({ with: { passphrase }, protection: { passphrase: fresh } })
  const renewed = { recovery_key: newRecoveryKey() }
  await window.host.newRecoveryKey({ with: { passphrase: fresh }, ...renewed })
  await window.host.lock()
  for (const credential of [{ passphrase: fresh }, renewed]) {
    await window.host.unlock({ name, with: credential })
    expect((await window.tokens.get({ id: token.id })).id).toBe(token.id)
    await window.host.lock()
  }
  await expect(window.host.unlock({ name, with: { recovery_key } })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  await expect(window.host.rotateDataKey()).rejects.toMatchObject({ code: 'locked' })
  expect(host.getEngine()).toBeNull()
})

test('a lock during a passphrase change leaves the old passphrase valid', async () => {
  const { host, window } = startHost()
  const gate = gatePassphrases()
  const { recovery_key = '' } = await window.host.createVault({ name, protection: { passphrase } })
  gate.closeGate()
  const changing = window.host.changeProtection({
    with: { recovery_key },
    protection: { passphrase: 'battery staple' },
  })
  await new Promise((resolve) => setImmediate(resolve))
  host.lock()
  gate.openGate()
  await expect(changing).rejects.toMatchObject({ code: 'locked' })
  await window.host.unlock({ name, with: { passphrase } })
})

test('a stopped data key rotation resumes when the vault is opened', async () => {
  const { host, window } = startHost()
  await window.host.createVault({ name, protection: { passphrase } })
  for (let index = 0; index < 250; index++) void window.tokens.create(createCard())
  await window.tokens.create(createCard())
  const started = new Promise<void>((resolve) => {
    host.subscribe(({ type }) => {
      if (type === 'progress') resolve()
    })
  })
  const rotating = window.host.rotateDataKey()
  await started
  host.lock()
  await expect(rotating).rejects.toMatchObject({ code: 'locked' })
  await window.host.unlock({ name, with: { passphrase } })
  expect(host.getEngine()?.lifecycle.isRotating).toBe(true)
  await waitFor(() => expect(host.getEngine()?.lifecycle.isRotating).toBe(false))
})

test('X-31 an outdated master secret is rejected, and `await using` locks the vault', async () => {
  const { dataDir, vault, old } = await createVaultWithTokens()
  await rotateMaster(vault, protection)
  const fresh = Buffer.from(vault.withMaster((master) => master))
  vault.lock()
  const stale = openVault({ dataDir, name, with: { master: old } })
  await expect(stale).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/Try again/) })
  let seen: typeof vault
  {
    await using again = await openVault({ dataDir, name, with: { master: fresh } })
    seen = again
    expect(seen.isLocked).toBe(false)
  }
  expect(seen.isLocked).toBe(true)
  // The vault wipes only its own copy of the secret.
  expect(fresh.equals(Buffer.alloc(32))).toBe(false)
})
