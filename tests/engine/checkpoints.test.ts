import fs from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { openVault } from '../vault.ts'

type Vault = ReturnType<typeof openVault>

const MB = 1_000_000
/** About 25 pages of the log. */
const large = 'x'.repeat(100_000)

const write = (vault: Vault, tokens: number) =>
  Promise.all(
    Array.from({ length: tokens }, () => vault.owner.tokens.create({ type: 'token', data: large })),
  )

/** What the index of the log says: its pages, and how many of them are in the file. */
function log(vault: Vault): { frames: number; moved: number } {
  const index = fs.readFileSync(`${vault.file}-shm`)
  const read = (at: number) => (process.arch === 's390x' ? index.readUInt32BE(at) : index.readUInt32LE(at))
  return { frames: read(16), moved: read(96) }
}

test('a long log is moved into the file by a thread, while nothing is committed', async () => {
  const vault = openVault()
  while (log(vault).frames < 6000) await write(vault, 20)
  const { frames } = log(vault)
  expect(frames).toBeLessThan(10_000)
  await eventually(() => expect(log(vault).moved).toBe(frames))
  await vault.owner.tokens.create({ type: 'token', data: 'next' })
  expect(log(vault).frames).toBeLessThan(100)
})

test('under sustained writing the log stays below 40 MB, and no answer is lost', async () => {
  const vault = openVault()
  let largest = 0
  for (let round = 0; round < 40; round++) {
    await write(vault, 20)
    largest = Math.max(largest, fs.statSync(`${vault.file}-wal`).size)
  }
  expect(largest).toBeGreaterThan(20 * MB)
  expect(largest).toBeLessThan(40 * MB)
  vault.reopen()
  const { pagination } = await vault.owner.tokens.listV1({})
  expect(pagination.total_items).toBe(800)
  expect(vault.incidents).toEqual([])
})
