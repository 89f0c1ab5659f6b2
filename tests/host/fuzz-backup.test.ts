import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readBackupFile } from '../../electron/host/backups/backup-file.ts'
import { unpackBackup } from '../../electron/host/backups/unpack-backup.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { CofferError } from '../../shared/errors.ts'
import { catchRejection, fuzzTimeout, getFuzzParameters } from '../fuzz.ts'
import { argon2id, createCard, createStoredVault, passphrase } from './stored-vault.ts'

// A restore takes longer than reading a backup, so there are fewer runs of it.
const often = getFuzzParameters(80)
const seldom = { ...often, numRuns: Math.ceil((often.numRuns ?? 0) / 14) }

const reasons = ['damaged', 'unprocessable']

/** Creates an open vault with a backup. Returns them with the offsets of the backup's parts. */
async function createBackup() {
  const stored = await createStoredVault()
  const { id } = await stored.owner.tokens.create(createCard())
  const { file } = await backUpOpenVault(stored.vault, { dataDir: stored.dataDir })
  const good = fs.readFileSync(file)
  const head = good.indexOf('\n') + 1
  const database = good.indexOf('\n', head) + 1
  const sum = good.length - 64
  const regions = {
    magic: [0, head],
    head: [head, database],
    database: [database, sum],
    sum: [sum, good.length],
  }
  const place = fc
    .tuple(fc.constantFrom(...Object.values(regions)), fc.nat(1_000_000))
    .map(([[from = 0, to = 0], nth]) => from + (nth % (to - from)))
  return { ...stored, id, file, good, place, target: path.join(stored.folder, 'bad.coffer-backup') }
}

/**
 * An arbitrary damaged copy of this backup: bits flipped, bytes truncated, removed, inserted, or all of them random.
 */
function damageBackup(good: Buffer, place: fc.Arbitrary<number>): fc.Arbitrary<Buffer> {
  const some = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((each) => Buffer.from(each))
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(fc.tuple(place, fc.nat(7)), { minLength: 1, maxLength: 3 }).map((flips) => {
        const bytes = Buffer.from(good)
        for (const [at, bit] of flips) bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        return bytes
      }),
    },
    { weight: 3, arbitrary: place.map((length) => good.subarray(0, length)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(place, some)
        .map(([at, more]) => Buffer.concat([good.subarray(0, at), more, good.subarray(at)])),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(place, fc.nat(5000))
        .map(([at, length]) => Buffer.concat([good.subarray(0, at), good.subarray(at + length + 1)])),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(place, some).map(([at, other]) => {
        const bytes = Buffer.from(good)
        other.copy(bytes, at)
        return bytes
      }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3000 }).map((each) => Buffer.from(each)) },
    {
      weight: 1,
      arbitrary: fc.string({ maxLength: 300 }).map((each) => Buffer.from(`COFFER-BACKUP 1\n${each}\n`)),
    },
  )
}

test(
  'X-26 X-30 a backup damaged anywhere is rejected with a reason',
  async () => {
    const { vault, good, place, target, folder } = await createBackup()
    const unpacked = path.join(folder, 'unpacked.db')
    fs.writeFileSync(target, good)
    vault.withMaster((master) => unpackBackup({ file: target, master, target: unpacked }))
    fc.assert(
      fc.property(damageBackup(good, place), (bytes) => {
        fc.pre(!bytes.equals(good))
        fs.writeFileSync(target, bytes)
        fs.rmSync(unpacked, { force: true })
        const rejection = catchRejection(
          () => vault.withMaster((master) => readBackupFile(target, { master, target: unpacked })),
          [422, 500],
        )
        expect(reasons).toContain(rejection?.code)
        expect(rejection?.message).toContain(target)
        expect(fs.readFileSync(target).equals(bytes)).toBe(true)
      }),
      often,
    )
  },
  fuzzTimeout,
)

test('X-30 restoring damaged backups changes neither the live vault nor the folder', {
  tags: 'thorough',
  timeout: fuzzTimeout,
}, async () => {
  const { vault, owner, id, good, place, target, dataDir } = await createBackup()
  const digestFile = (file: string) => createHash('sha256').update(fs.readFileSync(file)).digest('hex')
  const before = { header: digestFile(vault.files.header), names: fs.readdirSync(dataDir).sort() }
  await fc.assert(
    fc.asyncProperty(damageBackup(good, place), async (bytes) => {
      fc.pre(!bytes.equals(good))
      fs.writeFileSync(target, bytes)
      const restoring = restoreVault({
        file: target,
        dataDir,
        name: 'copy',
        with: { passphrase },
        protection: { passphrase, argon2id },
      })
      const rejection = await restoring.then(
        (restored) => {
          onTestFinished(() => restored.lock())
          return null
        },
        (error: unknown) => error,
      )
      expect(rejection).toBeInstanceOf(CofferError)
      // The passphrase is tried before the complete file is read, so damaged parameters make it a wrong one.
      expect([...reasons, 'unauthenticated', 'rate_limited', 'invalid']).toContain(
        (rejection as CofferError).code,
      )
    }),
    seldom,
  )
  expect(
    fs
      .readdirSync(dataDir)
      .filter((each) => !each.startsWith('copy.lock'))
      .sort(),
  ).toEqual(before.names)
  expect(digestFile(vault.files.header)).toBe(before.header)
  expect((await owner.tokens.reveal({ id })).data).toMatchObject({ number: '4242424242424242' })
})
