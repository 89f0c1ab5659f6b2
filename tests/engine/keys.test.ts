import { expect, test } from 'vitest'
import type { Caller } from '../../electron/engine/pipeline/call.ts'
import type { CofferError } from '../../shared/errors.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

const management = { type: 'management' as const, permissions: ['application:read', 'application:delete'] }

test('A-03 a key is key_local_<type>_<128 bits in base62>, and unique', async () => {
  const vault = openBriefVault()
  const keys = [
    (await vault.application({ permissions: ['token:read'] })).key,
    (await vault.application({ type: 'public', permissions: ['token:create'] })).key,
    (await vault.application(management)).key,
  ]
  expect(keys.map((key) => key.slice(0, 14))).toEqual(['key_local_pvt_', 'key_local_pub_', 'key_local_mgt_'])
  for (const key of keys) {
    expect(key).toMatch(/^key_local_(mgt|pvt|pub)_[0-9A-Za-z]{22,}$/)
    expect(key.length).toBeLessThanOrEqual(100)
  }
  expect(new Set(keys.map((key) => key.slice(14))).size).toBe(3)
})

test('A-03 a key is shown once, on creation', async () => {
  const vault = openBriefVault()
  const { id } = await vault.application({ permissions: ['token:read'] })
  const { key, ...created } = await vault.owner.keys.create({ id })
  expect(key).toMatch(/^key_local_pvt_/)
  expect(created).toEqual({
    id: expect.any(String),
    tenant_id: vault.engine.tenant_id,
    version: '1',
    created_at: '2030-01-01T00:00:00.000+00:00',
  })
  expect(await vault.owner.keys.get({ id, keyId: created.id })).toEqual(created)
  expect(
    JSON.stringify([await vault.owner.keys.list({ id }), await vault.owner.applications.get({ id })]),
  ).not.toContain('key_local')
})

test('A-03 X-05 only the exact key is accepted, not its digest, a part or another case', async () => {
  const vault = openBriefVault()
  const { key } = await vault.application({ permissions: ['token:read'] })
  const listTokens = (key: string) => vault.engine.call('tokens.list', {}, { kind: 'key', key })
  expect((await listTokens(key)).status).toBe(200)
  for (const wrong of [
    '',
    key.slice(0, -1),
    `${key}x`,
    ` ${key}`,
    key.toUpperCase(),
    key.slice(14),
    key.repeat(50_000),
  ]) {
    expect((await catchProblem(listTokens(wrong))).status).toBe(401)
  }
})

test('K-03 an application has at most three keys, and a deleted one is rejected', async () => {
  const vault = openVault()
  const { id, key: first } = await vault.application({ permissions: ['token:read'] })
  const second = await vault.owner.keys.create({ id })
  const third = await vault.owner.keys.create({ id })
  expect(await catchProblem(vault.owner.keys.create({ id }))).toMatchObject({ status: 422 })
  const getStatus = (key: string | undefined) =>
    vault.engine.call('tokens.list', {}, { kind: 'key', key: key ?? '' }).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  expect(await Promise.all([first, second.key, third.key].map(getStatus))).toEqual([200, 200, 200])
  await vault.owner.keys.remove({ id, keyId: second.id })
  expect(await Promise.all([first, second.key, third.key].map(getStatus))).toEqual([200, 401, 200])
  const fourth = await vault.owner.keys.create({ id })
  expect(await getStatus(fourth.key)).toBe(200)
  vault.reopen()
  expect(await Promise.all([first, second.key, third.key, fourth.key].map(getStatus))).toEqual([
    200, 401, 200, 200,
  ])
})

test('K-03 a key can be read and deleted only under its own application', async () => {
  const vault = openBriefVault()
  const one = await vault.application({ permissions: ['token:read'] })
  const other = await vault.application({ permissions: ['token:read'] })
  const created = await vault.owner.keys.create({ id: one.id })
  for (const wrong of [
    { id: other.id, keyId: created.id },
    { id: one.id, keyId: other.id },
    { id: 'nobody', keyId: created.id },
    { id: one.id, keyId: "' OR 1=1 --" },
  ]) {
    expect((await catchProblem(vault.owner.keys.get(wrong))).status).toBe(404)
    expect((await catchProblem(vault.owner.keys.remove(wrong))).status).toBe(404)
  }
  expect((await vault.owner.keys.get({ id: one.id, keyId: created.id })).id).toBe(created.id)
})

test('K-04 keys are listed newest first, for SDKs as a bare array', async () => {
  const vault = openBriefVault()
  const { id, client, with: as } = await vault.application(management)
  const second = await vault.owner.keys.create({ id })
  const third = await vault.owner.keys.create({ id })
  const page = await client.keys.list({ id, size: 2 })
  expect(page).toEqual({
    pagination: { total_items: 3, page_number: 1, page_size: 2, total_pages: 2 },
    data: [expect.objectContaining({ id: third.id }), expect.objectContaining({ id: second.id })],
  })
  expect((await client.keys.list({ id, page: 3 })) as object).toMatchObject({ data: [] })
  const bare = await as({ dialect: 'sdk' }).keys.list({ id })
  expect(bare).toEqual([
    expect.objectContaining({ id: third.id }),
    expect.objectContaining({ id: second.id }),
    expect.objectContaining({ tenant_id: vault.engine.tenant_id }),
  ])
  expect(JSON.stringify([page, bare])).not.toContain('key_local')
})

test('K-03 X-19 a cached caller is looked up again after any change of access', async () => {
  const vault = openBriefVault()
  const other = openBriefVault()
  const rules = [
    { priority: 1, container: '/', transform: 'reveal' as const, permissions: ['token:read' as const] },
  ]
  const expires_at = new Date(vault.clock.ms + 60_000).toISOString()
  const { id, key } = await vault.application({ rules })
  const brief = await vault.application({ rules, expires_at })
  const getStatus = (caller: Caller, { engine } = vault) =>
    engine
      .as(caller)
      .tokens.list({})
      .then(
        () => 200,
        (error: CofferError) => error.status,
      )
  const caller = vault.engine.identification.identifyKey(key)
  const ending = vault.engine.identification.identifyKey(brief.key)
  expect([await getStatus(caller), await getStatus(ending)]).toEqual([200, 200])
  expect(await getStatus(caller, other)).toBe(401)
  vault.clock.advance(60_000)
  expect([await getStatus(caller), await getStatus(ending)]).toEqual([200, 401])
  await vault.owner.applications.update({ id, name: 'App', permissions: ['token:create'] })
  expect(await getStatus(caller)).toBe(403)
  await vault.owner.applications.update({ id, name: 'App', permissions: ['token:read'] })
  expect(await getStatus(caller)).toBe(200)
  await vault.owner.applications.remove({ id })
  expect(await getStatus(caller)).toBe(401)
})

test('K-05 deleting the last management key returns a warning', async () => {
  const vault = openBriefVault()
  const one = await vault.application(management)
  const two = await vault.application(management)
  const secret = await vault.application({ permissions: ['token:read'] })
  const findKey = async (id: string) => {
    const { data } = (await vault.owner.keys.list({ id })) as { data: { id: string }[] }
    return { id, keyId: data[0]?.id ?? '' }
  }
  const callOperation = async (name: string, input: unknown, key: string) => {
    const { status, headers } = await vault.engine.call(name, input, { kind: 'key', key })
    return [status, headers]
  }
  expect(await callOperation('keys.remove', await findKey(secret.id), one.key)).toEqual([204, {}])
  expect(await callOperation('keys.remove', await findKey(two.id), one.key)).toEqual([204, {}])
  const warning = { Warning: expect.stringMatching(/^299 .*No management key is left/) }
  expect(await callOperation('keys.remove', await findKey(one.id), one.key)).toEqual([204, warning])
  const three = await vault.application(management)
  expect(await callOperation('applications.remove', { id: three.id }, three.key)).toEqual([204, warning])
})
