import { expect, test } from 'vitest'
import { missingIn, refusalOf } from '../../renderer/parts/access/why.ts'
import { permissionNames } from '../../shared/permissions.ts'
import { openVault } from '../vault.ts'

/** The vault's record of a refused call, as the window receives it. */
async function recordOfRefusal(call: (vault: ReturnType<typeof openVault>) => Promise<unknown>) {
  const vault = openVault()
  await call(vault).catch(() => undefined)
  const [log] = (await vault.owner.logs.list({ status: '4xx' })).data
  return vault.owner.logs.get({ id: log?.id ?? '' })
}

test('O-05 a record says which permission was missing on which containers', async () => {
  const record = await recordOfRefusal(async ({ owner, application }) => {
    const token = await owner.tokens.create({ type: 'token', data: 'x', containers: ['/a/', '/b/c/'] })
    const { client } = await application({
      rules: [{ priority: 1, container: '/z/', transform: 'mask', permissions: ['token:delete'] }],
    })
    return client.tokens.remove({ id: token.id })
  })
  expect(refusalOf(record)).toMatchObject({ permission: 'token:delete', containers: ['/a/', '/b/c/'] })
})

test('O-05 a record says that a permission is not held anywhere', async () => {
  const record = await recordOfRefusal(async ({ application }) => {
    const { client } = await application({ permissions: ['token:create'] })
    return client.tokens.list()
  })
  expect(refusalOf(record)).toMatchObject({ permission: 'token:read', containers: null })
})

test('explains no other outcome', async () => {
  const record = await recordOfRefusal(async ({ application }) => {
    const { client } = await application({ permissions: ['token:read'] })
    return client.tokens.get({ id: 'nobody' })
  })
  expect(record.status).toBe(404)
  expect(refusalOf(record)).toBeNull()
  expect(missingIn(undefined)).toBeNull()
  expect(missingIn({ permissions: ['token:read'] })?.permission).toBe(
    permissionNames.find((n) => n === 'token:read'),
  )
})
