import { expect, test } from 'vitest'
import type { LogRecord } from '../../renderer/requests/record.ts'
import { missingIn, refusalOf } from '../../renderer/requests/why.ts'
import { openVault } from '../vault.ts'

/** The record the vault writes of a refused call, as the window gets it. */
async function recordOfRefusal(call: (vault: ReturnType<typeof openVault>) => Promise<unknown>) {
  const vault = openVault()
  await call(vault).catch(() => undefined)
  const { data } = await vault.owner.logs.list()
  const [log] = data.filter(({ status }) => status === 403)
  const at = log?.message.indexOf(': ') ?? -1
  return { ...log, note: log?.message.slice(at + 2) } as unknown as LogRecord
}

test('reads from a record which permission was missing on which containers', async () => {
  const record = await recordOfRefusal(async ({ owner, application }) => {
    const token = await owner.tokens.create({ type: 'token', data: 'x', containers: ['/a/', '/b/c/'] })
    const { client } = await application({
      rules: [{ priority: 1, container: '/z/', transform: 'mask', permissions: ['token:delete'] }],
    })
    return client.tokens.remove({ id: token.id })
  })
  expect(refusalOf(record)).toMatchObject({ permission: 'token:delete', containers: ['/a/', '/b/c/'] })
})

test('reads from a record that a permission is held nowhere', async () => {
  const record = await recordOfRefusal(async ({ application }) => {
    const { client } = await application({ permissions: ['token:create'] })
    return client.tokens.list()
  })
  expect(refusalOf(record)).toMatchObject({ permission: 'token:read', containers: null })
})

test('reads from the sentence of a 403 what was missing', async () => {
  const { owner, application } = openVault()
  const token = await owner.tokens.create({ type: 'token', data: 'x', containers: ['/a/'] })
  const { client } = await application({
    rules: [{ priority: 1, container: '/z/', transform: 'mask', permissions: ['token:read'] }],
  })
  const sentence = async (call: Promise<unknown>) => ((await call.catch((error) => error)) as Error).message
  const read = { permission: 'token:read', anywhere: false }
  expect(missingIn(await sentence(client.tokens.get({ id: token.id })))).toEqual(read)
  expect(missingIn(await sentence(client.tokens.list({ container: '/a/' })))).toEqual(read)
  const nowhere = { permission: 'log:read', anywhere: true }
  expect(missingIn(await sentence(client.logs.list()))).toEqual(nowhere)
  expect(missingIn('There is no such token.')).toBeNull()
})

test('has nothing to say about other outcomes', () => {
  const record = { status: 404, actor_type: 'application', actor_id: 'x', note: 'There is no such token.' }
  expect(refusalOf(record as LogRecord)).toBeNull()
})
