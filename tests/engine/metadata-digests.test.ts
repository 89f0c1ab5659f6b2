import { expect, onTestFinished, test, vi } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { toFirstFormat } from '../first-format.ts'
import { openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

/** Makes every slice of the conversion short, whatever the machine's speed. */
function shortenSlices() {
  const now = performance.now.bind(performance)
  let calls = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + calls++ / 4)
  onTestFinished(() => clock.mockRestore())
}

const createToken = (vault: TestVault, at: number, metadata: Record<string, string>) =>
  vault.owner.tokens.create({ type: 'token', id: `token-${at}`, data: 'x', metadata })

const findIds = async (vault: TestVault, key: string, value: string) => {
  const v2 = await vault.owner.tokens.list({ metadata: [[key, value]], size: 100 } as never)
  const v1 = await vault.owner.tokens.listV1({ metadata: [[key, value]], size: 100 } as never)
  const ids = v2.data.map(({ id }) => id).sort()
  expect(v1.data.map(({ id }) => id).sort()).toEqual(ids)
  return ids
}

const listTables = ({ file, master }: TestVault) => {
  const db = openDatabase(file, deriveDatabaseKey(master), { create: false })
  try {
    const names = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'token\\_%' ESCAPE '\\'",
    )
    return (names.pluck().all() as string[]).filter((name) => /pair|metadata/.test(name)).sort()
  } finally {
    db.close()
  }
}

test('a new vault has only keyed digests of metadata, and an older one also unkeyed ones', async () => {
  const vault = openVault()
  await createToken(vault, 1, { customer: 'Ada' })
  expect(listTables(vault)).toEqual(['token_pair'])
  expect(await findIds(vault, 'customer', 'Ada')).toEqual(['token-1'])
  vault.engine.close()
  toFirstFormat(vault)
  vault.reopen()
  expect(listTables(vault)).toEqual(['token_metadata', 'token_pair', 'token_pair_progress'])
})

test('an older vault can be searched before, during and after its digests are converted', {
  tags: 'thorough',
}, async () => {
  const vault = openVault()
  for (let at = 0; at < 1200; at++) void createToken(vault, at, { group: `g${at % 100}`, each: String(at) })
  await createToken(vault, 1200, { group: 'last' })
  vault.engine.close()
  toFirstFormat(vault)
  vault.reopen()
  const group = Array.from({ length: 12 }, (_, at) => `token-${7 + at * 100}`).sort()
  expect(await findIds(vault, 'group', 'g7')).toEqual(group)
  let over = false
  shortenSlices()
  const sweeping = vault.engine.sweeper.sweep().finally(() => {
    over = true
  })
  let rounds = 0
  let expected = group
  while (!over && rounds < 15) {
    // Create, change and delete tokens before and after the position that the conversion has reached.
    const at = 2000 + rounds
    await createToken(vault, at, { group: 'g7' })
    await vault.owner.tokens.update({
      id: `token-${7 + (rounds % 12) * 100}`,
      metadata: { group: 'g7', n: `${rounds}` },
    } as never)
    expected = [...expected, `token-${at}`].sort()
    if (rounds % 3 === 0) {
      await vault.owner.tokens.remove({ id: `token-${at}` })
      expected = expected.filter((id) => id !== `token-${at}`)
    }
    expect(await findIds(vault, 'group', 'g7')).toEqual(expected)
    rounds++
  }
  await sweeping
  expect(rounds).toBeGreaterThan(1)
  await vault.engine.sweeper.sweep()
  expect(listTables(vault)).toEqual(['token_pair'])
  expect(await findIds(vault, 'group', 'g7')).toEqual(expected)
  vault.reopen()
  expect(await findIds(vault, 'group', 'g7')).toEqual(expected)
  expect(await findIds(vault, 'each', '300')).toEqual(['token-300'])
})

test('X-24 an interrupted conversion of digests resumes when the vault is next opened', async () => {
  const vault = openVault()
  for (let at = 0; at < 450; at++) void createToken(vault, at, { group: 'all', each: String(at) })
  await createToken(vault, 450, { group: 'all' })
  vault.engine.close()
  toFirstFormat(vault)
  shortenSlices()
  let openings = 0
  do {
    vault.reopen()
    openings++
    const sweeping = vault.engine.sweeper.sweep()
    await new Promise((resolve) => setImmediate(resolve))
    expect((await vault.owner.tokens.list({ metadata: [['each', '412']] } as never)).data).toHaveLength(1)
    vault.engine.close()
    await sweeping.catch(() => {})
  } while (listTables(vault).length > 1 && openings < 100)
  expect(openings).toBeGreaterThan(2)
  vault.reopen()
  for (const each of ['0', '250', '449'])
    expect(await findIds(vault, 'each', each)).toEqual([`token-${each}`])
})
