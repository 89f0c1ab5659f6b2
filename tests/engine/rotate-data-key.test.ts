import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { sealedColumns } from '../../electron/engine/crypto/sealed-columns.ts'
import { openDatabase, openReadOnly } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { createTempFolder, createTestClient, openVault } from '../vault.ts'

const idempotency = { key: 'once', method: 'POST', path: '/tokens' }

/** Creates a vault with every kind of sealed value. Also returns the plaintext of each. */
async function fillVault(count = 40) {
  const vault = openVault()
  const app = await vault.application({
    permissions: ['token:create', 'token:read', 'token-intent:create', 'token:use'],
  })
  const tokens = []
  for (let index = 0; index < count; index++) {
    tokens.push(await vault.owner.tokens.create({ type: 'token', data: `value ${index}` }))
  }
  const intent = await app.client.tokenIntents.create({ type: 'token', data: 'intended' })
  const answered = await app.with({ idempotency }).tokens.create({ type: 'token', data: 'answered' })
  return { vault, app, tokens, intent, answered }
}

type FilledVault = Awaited<ReturnType<typeof fillVault>>

async function expectAll(engine: () => Engine, { app, tokens, intent, answered }: FilledVault) {
  const owner = createTestClient(engine, { kind: 'owner' })
  for (const [index, { id }] of tokens.entries()) {
    expect((await owner.tokens.reveal({ id })).data).toBe(`value ${index}`)
  }
  const again = createTestClient(engine, { kind: 'key', key: app.key }, { idempotency })
  expect(await again.tokens.create({ type: 'token', data: 'answered' })).toEqual(answered)
  const client = createTestClient(engine, { kind: 'key', key: app.key })
  const converted = await client.tokens.create({ token_intent_id: intent.id })
  expect((await owner.tokens.reveal({ id: converted.id })).data).toBe('intended')
}

/** Returns the versions of the data keys, and the versions under which values are sealed. */
function readVersions({ file, master }: { file: string; master: Buffer }) {
  const db = openReadOnly(file, deriveDatabaseKey(master))
  const readColumn = (sql: string) => db.prepare(sql).pluck().all()
  const keys = readColumn("SELECT version FROM key WHERE purpose = 'data' ORDER BY version")
  const used = sealedColumns.flatMap(({ table, value }) =>
    readColumn(`SELECT DISTINCT hex(substr(${value}, 1, 4)) FROM ${table}`),
  )
  db.close()
  return { keys, used: [...new Set(used.map((hex) => Number.parseInt(String(hex), 16)))].sort() }
}

test('rotation re-encrypts every value and deletes the old key', async () => {
  const filled = await fillVault()
  const { vault } = filled
  const seen: number[] = []
  await vault.engine.lifecycle.rotateDataKey(vault.master, {
    onProgress: (done, total) => seen.push(done / total),
  })
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(seen.at(-1)).toBe(1)
  expect(readVersions(vault)).toEqual({ keys: [2], used: [2] })
  await vault.engine.lifecycle.rotateDataKey(vault.master)
  expect(readVersions(vault)).toEqual({ keys: [3], used: [3] })
  vault.reopen()
  expect(vault.engine.lifecycle.isRotating).toBe(false)
  await expectAll(() => vault.engine, filled)
})

test('writes continue during a rotation, and no value stays sealed with the old key', async () => {
  const { vault } = await fillVault(400)
  let over = false
  const rotating = vault.engine.lifecycle.rotateDataKey(vault.master).finally(() => {
    over = true
  })
  const written = []
  while (!over) written.push(await vault.owner.tokens.create({ type: 'token', data: 'meanwhile' }))
  await rotating
  expect(written.length).toBeGreaterThan(2)
  for (const { id } of written) expect((await vault.owner.tokens.reveal({ id })).data).toBe('meanwhile')
  expect(readVersions(vault)).toEqual({ keys: [2], used: [2] })
})

test('X-24 a data key rotation resumes after a crash at any batch', {
  tags: 'thorough',
}, async () => {
  const filled = await fillVault(230)
  const { vault } = filled
  const home = createTempFolder()
  const images: string[] = []
  const takeImage = () => {
    const image = path.join(home, String(images.length))
    fs.mkdirSync(image)
    for (const name of ['vault.db', 'vault.db-wal', 'vault.db-commits']) {
      fs.copyFileSync(path.join(vault.folder, name), path.join(image, name))
    }
    images.push(path.join(image, 'vault.db'))
  }
  await vault.engine.lifecycle.rotateDataKey(vault.master, { onProgress: takeImage })
  expect(images.length).toBeGreaterThan(3)
  for (const file of images) {
    const engine = Engine.open(file, vault.master, { now: vault.clock.now })
    onTestFinished(() => engine.close())
    expect(engine.lifecycle.isRotating).toBe(true)
    await engine.lifecycle.rotateDataKey(vault.master)
    await expectAll(() => engine, filled)
    engine.close()
    expect(readVersions({ file, master: vault.master })).toEqual({ keys: [2], used: [2] })
  }
})

test('a stopped or locked rotation keeps both keys and resumes later', async () => {
  const filled = await fillVault(250)
  const { vault } = filled
  const controller = new AbortController()
  const stopped = vault.engine.lifecycle.rotateDataKey(vault.master, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  })
  await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
  expect(readVersions(vault)).toEqual({ keys: [1, 2], used: [1, 2] })
  const locked = vault.engine.lifecycle.rotateDataKey(vault.master, { onProgress: () => vault.reopen() })
  await expect(locked).rejects.toMatchObject({ code: 'locked' })
  expect(vault.engine.lifecycle.isRotating).toBe(true)
  await vault.engine.lifecycle.rotateDataKey(vault.master)
  expect(readVersions(vault)).toEqual({ keys: [2], used: [2] })
  await expectAll(() => vault.engine, filled)
})

test('a data key that a value still needs is never deleted', async () => {
  const { vault } = await fillVault()
  const stopped = vault.engine.lifecycle.rotateDataKey(vault.master, {
    onProgress(done, total) {
      if (done < total) return
      // Simulates a bug in other code that writes an old value at a position already visited.
      const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
      db.exec("UPDATE token SET data = CAST(x'00000001' || substr(data, 5) AS BLOB) WHERE seq = 1")
      db.close()
    },
  })
  await expect(stopped).rejects.toThrow(/No key was deleted/)
  expect(readVersions(vault).keys).toEqual([1, 2])
})
