import { argon2Sync, randomBytes } from 'node:crypto'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { getAttemptDelay, tryPassphrase } from '../../electron/host/keys/attempts.ts'
import {
  assertNewPassphrase,
  derivePassphraseKey,
  startPassphraseKey,
} from '../../electron/host/keys/passphrase.ts'
import { protectMaster } from '../../electron/host/keys/protection.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { assertStrongPassphrase } from '../../electron/host/keys/weak-passphrase.ts'
import { changeProtection } from '../../electron/host/maintenance/change-protection.ts'
import { renewRecoveryKey } from '../../electron/host/maintenance/renew-recovery-key.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { estimateStrength } from '../../shared/passphrase.ts'
import { createTempFolder } from '../vault.ts'
import { expectFullCost, expectRecordedCost } from './full-cost.ts'
import { createStoredVault, openStoredVault } from './stored-vault.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => vi.useRealTimers())

test('X-78 the Argon2id key of a passphrase equals that of another implementation, which passes RFC 9106', async () => {
  const published = argon2Sync('argon2id', {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memory: 32,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  })
  // RFC 9106, 5.3.
  expect(published.toString('hex')).toBe('0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659')
  vi.stubEnv('ARGON2ID_AT_FULL_COST', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const salt = randomBytes(16)
  const expected = argon2Sync('argon2id', {
    message: 'correct horse',
    nonce: salt,
    memory: 4096,
    passes: 2,
    parallelism: 4,
    tagLength: 32,
  })
  const cost = { memory_kib: 4096, iterations: 2, parallelism: 4 }
  expect(await derivePassphraseKey('correct horse', salt, cost)).toEqual(expected)
})

test('new vaults, passphrases and master secrets use the full Argon2id cost', async () => {
  vi.stubEnv('ARGON2ID_AT_FULL_COST', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const kept = { dataDir: path.join(createTempFolder(), 'data'), name: 'work' }
  const { vault } = await createVault({ ...kept, protection: { passphrase: 'correct horse' } })
  onTestFinished(() => vault.lock())
  expectFullCost({ ...kept, passphrase: 'correct horse' })
  vi.unstubAllEnvs()
  await vault.withMaster((master) =>
    protectMaster(vault.files.header, master, { passphrase: 'battery staple' }),
  )
  await expectRecordedCost({ ...kept, passphrase: 'battery staple' })
  await rotateMaster(vault, { passphrase: 'staple battery' })
  await expectRecordedCost({ ...kept, passphrase: 'staple battery' })
})

test('a key derived in advance is used once, for its passphrase, salt and cost only', async () => {
  const salt = randomBytes(16)
  const cheap = { memory_kib: 64, iterations: 1, parallelism: 1 }
  startPassphraseKey('correct horse', salt, cheap)
  const others = [
    await derivePassphraseKey('battery staple', salt, cheap),
    await derivePassphraseKey('correct horse', randomBytes(16), cheap),
    await derivePassphraseKey('correct horse', salt, { ...cheap, iterations: 2 }),
  ]
  const key = await derivePassphraseKey('correct horse', salt, cheap)
  for (const each of others) expect(each).not.toEqual(key)
  key.fill(0)
  expect(await derivePassphraseKey('correct horse', salt, cheap)).not.toEqual(key)
})

test('a passphrase is accepted in any Unicode normalization form', async () => {
  const salt = randomBytes(16)
  const cheap = { memory_kib: 64, iterations: 1, parallelism: 1 }
  const one = await derivePassphraseKey('Schl\u00fcssel', salt, cheap)
  expect(await derivePassphraseKey('Schlu\u0308ssel', salt, cheap)).toEqual(one)
  expect(await derivePassphraseKey('Schlussel', salt, cheap)).not.toEqual(one)
})

test('a new passphrase needs eight characters', () => {
  expect(() => assertNewPassphrase('x4#rQ7v')).toThrow(/at least 8 characters/)
  assertNewPassphrase('x4#rQ7vK')
})

test('X-34 an easily guessed new passphrase is rejected, and the reason does not quote it', async () => {
  const worst = {
    password: /first passphrases that are guessed/,
    '12345678': /first passphrases that are guessed/,
    aaaaaaaa: /repeats itself/,
    abcabcabcabc: /repeats itself/,
    asdfasdf: /well-known/,
    'P@ssw0rd2024': /small changes/,
    '01.02.1990': /a date/,
    tresorbuch1: undefined,
    coffer12: /name of the vault or of Coffer/,
    work1234: /name of the vault or of Coffer/,
    'correct horse': undefined,
    'x4#rQ7vK': undefined,
    ['correct horse battery staple '.repeat(40)]: undefined,
  }
  for (const [passphrase, why] of Object.entries(worst)) {
    const validated = assertStrongPassphrase({ passphrase }, 'work')
    if (!why) await validated
    else {
      const refusal = await validated.catch((error: unknown) => error)
      expect(refusal).toMatchObject({ code: 'invalid', message: expect.stringMatching(why) })
      expect(String(refusal)).not.toContain(passphrase)
    }
  }
  await assertStrongPassphrase({ keychain: true }, 'work')
})

test('checking a passphrase of any length takes a bounded time', async () => {
  await estimateStrength('loaded by now', [])
  vi.useRealTimers()
  for (const part of ['p4ssw0rd', '4@3$5!1|0', 'ab1!', 'ﬃ', '1a@$']) {
    const started = process.cpuUsage()
    await estimateStrength(part.repeat(100_000).slice(0, 1000), [part])
    const { user, system } = process.cpuUsage(started)
    // This usually takes about 60 ms. The bound has a margin for busy machines.
    expect((user + system) / 1000).toBeLessThan(1500)
  }
})

test('a weak existing passphrase opens the vault, even after a key change', {
  tags: 'thorough',
}, async () => {
  const { dataDir, vault } = await createStoredVault()
  const weak = { passphrase: '12345678', argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 } }
  const made = createVault({ dataDir, name: 'new', protection: weak })
  await expect(made).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(/four or five/),
  })
  const changed = changeProtection(vault, { protection: weak })
  await expect(changed).rejects.toMatchObject({ code: 'invalid' })
  // An older version of Coffer accepted such a passphrase.
  await vault.withMaster((master) => protectMaster(vault.files.header, master, weak))
  vault.lock()
  const again = await openStoredVault({ dataDir, name: 'work', with: weak })
  await rotateMaster(again, weak)
  await renewRecoveryKey(again, { recovery_key: newRecoveryKey(), protection: weak })
  again.lock()
  ;(await openStoredVault({ dataDir, name: 'work', with: weak })).lock()
})

test('a recovery key is rejected as a new passphrase, and the error does not quote it', () => {
  const key = newRecoveryKey()
  for (const typed of [key, key.toLowerCase().replaceAll('-', ' ')]) {
    expect(() => assertNewPassphrase(typed)).toThrow(/must not be a recovery key/)
    expect(() => assertNewPassphrase(typed)).not.toThrow(new RegExp(typed))
  }
})

test('X-34 the delay after wrong passphrases grows from zero to a minute', () => {
  const delays = [0, 1, 2, 3, 4, 5, 8, 9, 10, 1000].map(getAttemptDelay)
  expect(delays).toEqual([0, 0, 0, 1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000])
})

test('X-34 an attempt during the delay is rejected, even if the clock was set forward', async () => {
  const vault = 'a vault'
  const failUnlock = async () => undefined
  for (let at = 0; at < 3; at++) await tryPassphrase(vault, failUnlock)
  vi.setSystemTime(Date.now() + 86_400_000)
  let attempted = false
  const unlockCounted = async () => {
    attempted = true
    return Buffer.from('right')
  }
  await expect(tryPassphrase(vault, unlockCounted)).rejects.toMatchObject({
    code: 'rate_limited',
    retry_after: 1,
  })
  expect(attempted).toBe(false)
  await tryPassphrase('another vault', failUnlock)
  vi.advanceTimersByTime(1000)
  await tryPassphrase(vault, failUnlock)
  await expect(tryPassphrase(vault, unlockCounted)).rejects.toMatchObject({
    code: 'rate_limited',
    retry_after: 2,
  })
  vi.advanceTimersByTime(2000)
  expect(await tryPassphrase(vault, unlockCounted)).toEqual(Buffer.from('right'))
  for (let at = 0; at < 3; at++) await tryPassphrase(vault, failUnlock)
})
