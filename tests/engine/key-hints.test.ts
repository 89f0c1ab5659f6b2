import fs from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { Engine } from '../../electron/engine/engine.ts'
import { owner } from '../../electron/engine/pipeline/call.ts'
import { openVaultWithChanges } from '../changes.ts'
import { toFirstFormat } from '../first-format.ts'
import { catchProblem, start as now, openBriefVault, openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const reads = { permissions: ['token:read'] }
const toIso = (at: number) => new Date(at).toISOString().replace('Z', '+00:00')
const formatHint = (key: string | undefined) => `key_local_pvt_…${key?.slice(-4)}`
const listTokens = (vault: TestVault, key: string | undefined) =>
  vault.engine.call('tokens.list', {}, { kind: 'key', key: key ?? '' })

test('A-03 only the owner sees key hints, with the prefix and the last four characters', async () => {
  const vault = openBriefVault()
  const { id, key } = await vault.application(reads)
  const second = await vault.owner.keys.create({ id })
  const known = await vault.owner.stats.keys({ application_id: id })
  expect(known.map(({ hint }) => hint)).toEqual([formatHint(second.key), formatHint(key)])
  const responses = [
    await vault.owner.keys.list({ id }),
    await vault.owner.keys.get({ id, keyId: second.id }),
    await vault.owner.applications.get({ id }),
  ]
  expect(JSON.stringify(responses)).not.toMatch(/hint|key_local|replaces|last_used/)
})

test('K-04 an older key gets its hint when it is next used', async () => {
  const vault = openVault()
  const { id, key } = await vault.application(reads)
  vault.engine.close()
  toFirstFormat(vault)
  vault.reopen()
  const listHints = async () => (await vault.owner.stats.keys({ application_id: id })).map(({ hint }) => hint)
  expect(await listHints()).toEqual([null])
  const wrong = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
  await expect(listTokens(vault, wrong)).rejects.toMatchObject({ status: 401 })
  expect(await listHints()).toEqual([null])
  await listTokens(vault, key)
  expect(await listHints()).toEqual([formatHint(key)])
})

test('K-04 an application retains the last use of its deleted keys', async () => {
  const vault = openBriefVault()
  const { id, key } = await vault.application(reads)
  const findUse = async () => (await vault.owner.stats.applications()).find((each) => each.id === id)
  expect(await findUse()).toEqual({ id, last_used_at: null })
  const [first] = await vault.owner.stats.keys({ application_id: id })
  const second = await vault.owner.keys.create({ id })
  await listTokens(vault, key)
  vault.clock.advance(60_000)
  await vault.owner.keys.remove({ id, keyId: first?.id ?? '' })
  expect(await findUse()).toEqual({ id, last_used_at: toIso(now) })
  await listTokens(vault, second.key)
  expect(await findUse()).toEqual({ id, last_used_at: toIso(now + 60_000) })

  const manager = await vault.application({
    type: 'management',
    permissions: ['application:read', 'application:delete'],
  })
  const [own] = await vault.owner.stats.keys({ application_id: manager.id })
  await manager.client.keys.remove({ id: manager.id, keyId: own?.id ?? '' })
  const all = await vault.owner.stats.applications()
  expect(all.find((each) => each.id === manager.id)?.last_used_at).toBe(toIso(now + 60_000))
})

test('after the clock was set back, the last use of an application is one at or before now', async () => {
  const vault = openBriefVault()
  const { id, key } = await vault.application(reads)
  const findUse = async () => (await vault.owner.stats.applications()).find((each) => each.id === id)
  const run = vault.engine.identification.issueRunKey({ application_id: id }, 'reactor')
  const runCode = () => listTokens(vault, run.key)
  vault.clock.advance(86_400_000)
  await runCode()
  expect(await findUse()).toEqual({ id, last_used_at: toIso(now + 86_400_000) })
  vault.clock.advance(-86_400_000)
  await listTokens(vault, key)
  expect(await findUse()).toEqual({ id, last_used_at: toIso(now) })
  vault.clock.advance(60_000)
  await runCode()
  expect(await findUse()).toEqual({ id, last_used_at: toIso(now + 60_000) })
})

test('a key’s use is shown immediately, even if it has no log record', async () => {
  const vault = openBriefVault()
  const { id, key } = await vault.application(reads)
  vault.engine.identification.identifyKey(key)
  const [known] = await vault.owner.stats.keys({ application_id: id })
  expect(known?.last_used_at).toBe(toIso(now))
})

test('K-03 a rotation is listed until one key is deleted or the owner keeps both', async () => {
  const vault = openVault()
  const { id } = await vault.application(reads)
  const listKeys = () => vault.owner.stats.keys({ application_id: id })
  const [old] = await listKeys()
  const one = { id, keyId: old?.id ?? '' }
  const findRotatedKey = async () => (await listKeys()).find(({ replaces }) => replaces !== null)

  const fresh = await vault.owner.keys.replace(one)
  expect(fresh.key).toMatch(/^key_local_pvt_/)
  expect(await findRotatedKey()).toMatchObject({ id: fresh.id, replaces: old?.id })
  expect((await listTokens(vault, fresh.key)).status).toBe(200)
  await vault.owner.keys.keep({ id, keyId: fresh.id })
  expect(await findRotatedKey()).toBeUndefined()

  const again = await vault.owner.keys.replace(one)
  expect(await catchProblem(vault.owner.keys.replace(one))).toMatchObject({ status: 422 })
  await vault.owner.keys.remove({ id, keyId: again.id })
  expect(await findRotatedKey()).toBeUndefined()
  const last = await vault.owner.keys.replace(one)
  await vault.owner.keys.remove(one)
  expect(await findRotatedKey()).toBeUndefined()
  expect((await listKeys()).map((key) => key.id)).toEqual([last.id, fresh.id])

  const { client } = await vault.application({ type: 'management', permissions: ['application:create'] })
  for (const call of [client.keys.replace(one), client.keys.keep(one)]) {
    await expect(call).rejects.toMatchObject({ status: 403 })
  }
})

test('X-25 a last use survives a failed commit or log write', async () => {
  const { vault, db } = openVaultWithChanges()
  const { id, key } = await vault.application(reads)
  await listTokens(vault, key)
  const readLastUse = () =>
    db.prepare('SELECT last_used_at FROM application_key WHERE application_id = ?').pluck().get(id)
  const fails = "CREATE TRIGGER fails BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'no'); END"
  db.exec(fails)
  vault.engine.outcomes.flushLog()
  expect(readLastUse()).toBe(null)
  db.exec('DROP TRIGGER fails')
  vault.engine.outcomes.flushLog()
  expect(readLastUse()).toBe(now)

  vault.clock.advance(60_000)
  db.exec(fails)
  await listTokens(vault, key)
  await catchProblem(vault.owner.tokens.create({ type: 'token', data: 'x' }))
  db.exec('DROP TRIGGER fails')
  vault.engine.outcomes.flushLog()
  expect(readLastUse()).toBe(now + 60_000)
})

test('X-25 a last use survives a change of the master secret', async () => {
  const vault = openVault()
  const { id, key } = await vault.application(reads)
  vault.engine.lifecycle.pauseWrites()
  await listTokens(vault, key)
  const waiting = vault.engine.lifecycle.closeForHandover()
  const copy = `${vault.file}.next`
  fs.copyFileSync(vault.file, copy)
  fs.renameSync(copy, vault.file)
  const next = Engine.openFromHandover(vault.file, vault.master, waiting)
  onTestFinished(() => next.close())
  const [known] = await next.as(owner).stats.keys({ application_id: id })
  expect(known?.last_used_at).toBe(toIso(now))
})
