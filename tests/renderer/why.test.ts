import { expect, test } from 'vitest'
import {
  findAlternatives,
  findMissingPermission,
  findRejection,
} from '../../renderer/parts/access/permission-rejection.ts'
import {
  type ApplicationType,
  applicationTypes,
  mayHold,
  type Permission,
  permissionNames,
} from '../../shared/permissions.ts'
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
  expect(findRejection(record)).toMatchObject({ permission: 'token:delete', containers: ['/a/', '/b/c/'] })
})

test('O-05 a record says that a permission is not held anywhere', async () => {
  const record = await recordOfRefusal(async ({ application }) => {
    const { client } = await application({ permissions: ['token:create'] })
    return client.tokens.list()
  })
  expect(findRejection(record)).toMatchObject({ permission: 'token:read', containers: null })
})

test('P-02 where no rule can grant a permission to a type, who can hold it and who does is said', async () => {
  const { owner, application } = openVault()
  const { client: _, ...backend } = await application({ permissions: ['token:read'] })
  const rules = [{ priority: 1, container: '/', transform: 'mask', permissions: ['token:search'] }] as const
  const search = await application({ rules: [...rules] } as never)
  const manager = await application({ type: 'management', permissions: ['application:read'] })
  const applications = (await owner.applications.list({ size: 100 })).data
  for (const type of applicationTypes) {
    for (const permission of permissionNames) {
      const made = { name: 'x', type, permissions: [permission] }
      const isRefused = await owner.applications.create(made).then(
        () => false,
        () => true,
      )
      const others = findAlternatives(type, permission, applications)
      // Exactly where the vault grants it to no application of this type, however it is asked.
      expect([type, permission, others !== null]).toEqual([type, permission, isRefused])
      for (const other of others?.types ?? []) expect(mayHold(other, permission)).toBe(true)
      expect(others?.types).not.toEqual([])
    }
  }
  const holders = (type: ApplicationType, permission: Permission) =>
    findAlternatives(type, permission, applications)?.holders.map(({ id }) => id)
  expect(holders('public', 'token:read')).toEqual([backend.id])
  expect(holders('public', 'token:search')).toEqual([search.id])
  expect(holders('private', 'application:read')).toEqual([manager.id])
  expect(holders('public', 'token:delete')).toEqual([])
  expect(holders('private', 'token:delete')).toBeUndefined()
})

test('explains no other outcome', async () => {
  const record = await recordOfRefusal(async ({ application }) => {
    const { client } = await application({ permissions: ['token:read'] })
    return client.tokens.get({ id: 'nobody' })
  })
  expect(record.status).toBe(404)
  expect(findRejection(record)).toBeNull()
  expect(findMissingPermission(undefined)).toBeNull()
  expect(findMissingPermission({ permissions: ['token:read'] })?.permission).toBe(
    permissionNames.find((n) => n === 'token:read'),
  )
})
