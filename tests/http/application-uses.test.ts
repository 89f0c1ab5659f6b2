import { expect, test } from 'vitest'
import type { openVault } from '../vault.ts'
import { startProxy } from './start-proxy.ts'
import { startReactors } from './start-reactors.ts'

const rules = [
  { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:create'] },
] as const

/** Returns when an application was last used, and the operations of its history, newest first. */
async function fetchUses({ owner }: ReturnType<typeof openVault>, id: string) {
  const uses = await owner.stats.applications()
  const { data } = await owner.logs.find({ entity_id: id, size: 100 })
  return {
    last_used_at: uses.find((each) => each.id === id)?.last_used_at,
    keys: (await owner.stats.keys({ application_id: id })).map((key) => key.last_used_at),
    history: data.map(({ action }) => action),
  }
}

test('K-04 a reactor run counts as use of its application, not of a key', async () => {
  const { runReactor, vault, card } = await startReactors()
  const { id } = await vault.application({ rules: [...rules] } as never)
  expect(await fetchUses(vault, id)).toEqual({
    last_used_at: null,
    keys: [null],
    history: ['applications.create'],
  })
  const code = 'module.exports = async ({ args, bt }) => ({ raw: await bt.tokens.retrieve(args.id) })'
  const { status } = await runReactor(code, { id: card }, { application: { id } })
  expect(status).toBe(200)
  expect(await fetchUses(vault, id)).toEqual({
    last_used_at: expect.any(String),
    keys: [null],
    history: ['reactors.react', 'applications.create'],
  })
})

test('K-04 a proxy that creates tokens counts as use of its application', async () => {
  const { callProxy, createProxy, vault } = await startProxy()
  const application = await vault.application({ rules: [...rules] } as never)
  const { id } = application
  const plain = await createProxy({ application: { id } })
  await callProxy('POST', '/proxy', { headers: { 'BT-PROXY-KEY': plain.key }, body: '{}' })
  expect(await fetchUses(vault, id)).toMatchObject({ last_used_at: null, history: ['applications.create'] })
  const transform = { type: 'tokenize', options: { identifier: 'a', token: { type: 'token', data: 'x' } } }
  const making = await createProxy({ application: { id }, response_transforms: [transform] })
  const { status } = await callProxy('POST', '/proxy', {
    headers: { 'BT-PROXY-KEY': making.key },
    body: '{}',
  })
  expect(status).toBe(200)
  expect(await fetchUses(vault, id)).toEqual({
    last_used_at: expect.any(String),
    keys: [null],
    history: ['proxies.invoke', 'applications.create'],
  })
})

test('K-04 O-05 an application’s history lists created and deleted keys', async () => {
  const { vault } = await startProxy()
  const { owner } = vault
  const { id } = await vault.application({ permissions: ['token:read'] })
  const [first] = await owner.stats.keys({ application_id: id })
  const created = await owner.keys.create({ id })
  const fresh = await owner.keys.replace({ id, keyId: created.id })
  await owner.keys.remove({ id, keyId: created.id })
  await owner.keys.keep({ id, keyId: fresh.id })
  await owner.keys.remove({ id, keyId: first?.id ?? '' })
  const { history } = await fetchUses(vault, id)
  expect(history).toEqual([
    'keys.remove',
    'keys.keep',
    'keys.remove',
    'keys.replace',
    'keys.create',
    'applications.create',
  ])
  // Each of these records also still belongs to its key.
  const { data } = await owner.logs.find({ action: 'keys.remove' })
  expect(data.map(({ entity_id }) => entity_id)).toEqual([first?.id, created.id])
  // Records that are old enough to be indexed are found too.
  for (let at = 0; at < 2100; at++) vault.engine.outcomes.recordMaintenance('vault.backup', 'owner')
  expect((await fetchUses(vault, id)).history).toEqual(history)
})

test('O-05 each log record of a proxied call notes which part of the call it describes', async () => {
  const { callProxy, createProxy, vault, id } = await startProxy()
  const { key } = await createProxy({})
  const headers = { 'BT-PROXY-KEY': key, 'Content-Type': 'application/json' }
  const { status } = await callProxy('POST', '/proxy', { headers, body: `{"a":"{{ ${id} }}"}` })
  expect(status).toBe(200)
  const { data } = await vault.owner.logs.find({ action: 'proxies.invoke' })
  expect(data.map(({ note }) => note)).toEqual([
    'answered by echo.coffer.test',
    'tokens inserted into the call',
  ])
})
