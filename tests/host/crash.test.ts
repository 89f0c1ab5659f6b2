import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readHeader } from '../../electron/host/files/header.ts'
import { getVaultFiles, listVaults } from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { pickSome } from '../thorough.ts'
import { captureCrashImages } from './crash-images.ts'
import { runInSession, runSteps } from './run-steps.ts'
import type { ProgramStep } from './steps.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const name = 'work'
const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const old = { passphrase: 'the old passphrase', argon2id }
const fresh = { passphrase: 'the new passphrase', argon2id }

test('X-24 a crash at any step of creating a vault leaves no vault or a complete one', async () => {
  const dataDir = path.join(folder, 'data')
  fs.mkdirSync(dataDir)
  const images = await captureCrashImages(dataDir, async () => {
    const { vault } = await createVault({ dataDir, name, protection: old })
    vault.lock()
  })
  const outcomes: string[] = []
  const tested = pickSome(images, 4)
  for (const image of images) {
    const isWhole = listVaults(image).length > 0
    outcomes.push(isWhole ? 'whole' : 'none')
    if (!tested.includes(image)) continue
    if (isWhole) (await openVault({ dataDir: image, name, with: old })).lock()
    else (await createVault({ dataDir: image, name, protection: fresh })).vault.lock()
    expect(fs.readdirSync(image).sort()).toEqual(['.vault-work', 'work', 'work.lock'])
  }
  expect(outcomes.join(' ')).toMatch(/^(none ){5,}(whole ?)+$/)
})

test('X-24 kill -9 at any step of creating a vault leaves no vault or a complete one', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  const outcomes: string[] = []
  for (let at = 1; ; at++) {
    const dataDir = path.join(folder, String(at))
    const create = { do: 'create', dataDir, name, protection: old } as const
    const results = runSteps([{ do: 'crash', at }, create], folder)
    if (results.length === 2) break
    if (fs.existsSync(dataDir) && listVaults(dataDir).length > 0) {
      const vault = await openVault({ dataDir, name, with: old })
      vault.lock()
      outcomes.push('whole')
    } else {
      const { vault } = await createVault({ dataDir, name, protection: fresh })
      vault.lock()
      outcomes.push('none')
    }
    expect(fs.readdirSync(dataDir).sort()).toEqual(['.vault-work', 'work', 'work.lock'])
  }
  expect(outcomes.join(' ')).toMatch(/^(none ){5,}(whole ?)+$/)
})

test('X-24 a crash at any step of a passphrase change leaves the old or new passphrase', {
  tags: 'thorough',
}, async () => {
  const madeDir = path.join(folder, 'data')
  const { vault } = await createVault({ dataDir: madeDir, name, protection: old })
  vault.lock()
  const before = fs.readFileSync(vault.files.header)
  const outcomes: string[] = []
  for (let at = 1; ; at++) {
    // Each round uses a new vault, because removing the leftovers of an earlier round would add steps.
    const dataDir = path.join(folder, String(at))
    fs.cpSync(madeDir, dataDir, { recursive: true })
    const protect = { do: 'protect', dataDir, name, with: old, protection: fresh } as const
    const results = runSteps([{ do: 'crash', at }, protect], folder)
    const changed = fs.readFileSync(getVaultFiles(dataDir, name).header).equals(before) ? old : fresh
    const opened = await openVault({ dataDir, name, with: changed })
    opened.lock()
    if (results.length === 2) break
    outcomes.push(changed === old ? 'old' : 'new')
  }
  expect(outcomes.join(' ')).toMatch(/^(old ){3,}(new ?)+$/)
})

test.runIf(process.platform === 'linux')(
  'X-24 leftovers of a crashed creation are removed, including the keychain entry',
  () => {
    const dataDir = path.join(folder, 'data')
    const draft = path.join(dataDir, '.creating-work')
    const protection = { keychain: true } as const
    const keychain = { unlocked_with: 'pw' }
    // The third rename is that of the vault, after the lock's notice and the header.
    const crashed = runInSession(folder, keychain, [
      { do: 'crash', call: 'renameSync', at: 3 },
      { do: 'create', dataDir, name, protection },
    ])
    expect(crashed).toEqual([null])
    expect(listVaults(dataDir)).toEqual([])
    const { vault_id } = JSON.parse(fs.readFileSync(path.join(draft, 'vault.json'), 'utf8'))
    const results = runInSession(folder, keychain, [
      { do: 'read', account: vault_id },
      { do: 'create', dataDir, name: 'other', protection },
      { do: 'read', account: vault_id },
    ])
    expect(results).toMatchObject([{ state: 'found' }, {}, { state: 'empty' }])
    expect(fs.existsSync(draft)).toBe(false)
  },
)

test.runIf(process.platform === 'linux')(
  'X-24 a crash while moving from or to the keychain leaves exactly one protection',
  { tags: 'thorough' },
  () => {
    const dataDir = path.join(folder, 'data')
    const protections = { keychain: { keychain: true }, passphrase: old } as const
    // Crashes before and after the header is written, after the keychain has responded, and at the end. The lock's
    // notice is the first file to be renamed, and is not synced.
    const points = [
      ['renameSync', 2],
      ['fsyncSync', 2],
      ['renameSync', 3],
      ['fsyncSync', 4],
    ] as const
    const changes = (['keychain', 'passphrase'] as const).flatMap((from) =>
      points.map(([call, at]) => ({ from, call, at, name: `${from}-${call}-${at}`.toLowerCase() })),
    )
    const steps = changes.flatMap(({ from, call, at, name }): ProgramStep[] => {
      const protection = protections[from === 'keychain' ? 'passphrase' : 'keychain']
      return [
        { do: 'create', dataDir, name, protection: protections[from] },
        {
          do: 'apart',
          steps: [
            { do: 'crash', call, at },
            { do: 'protect', dataDir, name, with: protections[from], protection },
          ],
        },
        { do: 'open', dataDir, name, with: protections.keychain },
        { do: 'open', dataDir, name, with: protections.passphrase },
      ]
    })
    const results = runInSession(folder, { unlocked_with: 'pw' }, steps)
    const outcomes = changes.map(({ name }, index) => {
      const [, done, ...opened] = results.slice(4 * index, 4 * index + 4)
      const { protection, keychain } = readHeader(getVaultFiles(dataDir, name).header)
      const isOpened = { tenant_id: expect.any(String) }
      const isRefused = expect.objectContaining({ code: 'invalid' })
      expect(opened).toEqual(protection === 'keychain' ? [isOpened, isRefused] : [isRefused, isOpened])
      expect(keychain === undefined).toBe(protection === 'passphrase')
      expect([name, done]).toEqual([name, 1])
      return protection
    })
    expect(outcomes).toEqual([
      ...['keychain', 'passphrase', 'passphrase', 'passphrase'],
      ...['passphrase', 'passphrase', 'passphrase', 'keychain'],
    ])
  },
)
