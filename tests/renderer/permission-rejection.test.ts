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

/** Returns the vault's log record of a rejected call, as the window receives it. */
async function createRejectedRecord(call: (vault: ReturnType<typeof openVault>) => Promise<unknown>) {
  const vault = openVault()
  await call(vault).catch(() => undefined)
  const [log] = (await vault.owner.logs.list({ status: '4xx' })).data
  return vault.owner.logs.get({ id: log?.id ?? '' })
}

test('O-05 the record of a rejected call gives the missing permission and the token’s containers', async () => {
  const record = await createRejectedRecord(async ({ owner, application }) => {
    const token = await owner.tokens.create({ type: 'token', data: 'x', containers: ['/a/', '/b/c/'] })
    const { client } = await application({
      rules: [{ priority: 1, container: '/z/', transform: 'mask', permissions: ['token:delete'] }],
    })
    return client.tokens.remove({ id: token.id })
  })
  expect(findRejection(record)).toMatchObject({ permission: 'token:delete', containers: ['/a/', '/b/c/'] })
})

test('O-05 the record of a rejected list gives a permission that the caller has in no container', async () => {
  const record = await createRejectedRecord(async ({ application }) => {
    const { client } = await application({ permissions: ['token:create'] })
    return client.tokens.list()
  })
  expect(findRejection(record)).toMatchObject({ permission: 'token:read', containers: null })
})

test('P-02 for a permission that a type cannot have, other applications are suggested', async () => {
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
      // Other applications are suggested if, and only if, the vault never grants the permission to this type.
      expect([type, permission, others !== null]).toEqual([type, permission, isRefused])
      for (const other of others?.types ?? []) expect(mayHold(other, permission)).toBe(true)
      expect(others?.types).not.toEqual([])
    }
  }
  const listHolders = (type: ApplicationType, permission: Permission) =>
    findAlternatives(type, permission, applications)?.holders.map(({ id }) => id)
  expect(listHolders('public', 'token:read')).toEqual([backend.id])
  expect(listHolders('public', 'token:search')).toEqual([search.id])
  expect(listHolders('private', 'application:read')).toEqual([manager.id])
  expect(listHolders('public', 'token:delete')).toEqual([])
  expect(listHolders('private', 'token:delete')).toBeUndefined()
})

test('only a 403 for a missing permission is explained', async () => {
  const record = await createRejectedRecord(async ({ application }) => {
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
