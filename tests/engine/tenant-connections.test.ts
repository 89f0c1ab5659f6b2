import { expect, test } from 'vitest'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

const connection = { strategy: 'okta', options: { domain_aliases: ['example.com'] } }

test('Z-03 a tenant has at most one connection, which a new one replaces', async () => {
  const vault = openBriefVault()
  const { client } = await vault.application({ type: 'management', permissions: ['tenant:update'] })
  const named = ['connections:create', 'connections:delete']
  const other = await vault.application({ type: 'management', permissions: named })
  expect((await catchProblem(client.tenantConnections.remove({}))).status).toBe(404)
  const first = await client.tenantConnections.create(connection)
  const second = await other.client.tenantConnections.create(connection)
  expect(second.connection_id).not.toBe(first.connection_id)
  await other.client.tenantConnections.remove({})
  expect((await catchProblem(client.tenantConnections.remove({}))).status).toBe(404)
  const { errors } = await catchProblem(client.tenantConnections.create({ strategy: '' } as never))
  expect(Object.keys(errors ?? {})).toEqual(['strategy', 'options'])
  const { data } = await vault.owner.logs.list({ entity_type: 'tenant_connection', size: 100 })
  expect(data.filter(({ entity_id }) => entity_id === second.connection_id)).toHaveLength(2)
})

test('Z-03 a vault of the format before connections gets them', async () => {
  const vault = openVault()
  vault.engine.close()
  undoMigrations(
    vault,
    migrations.findIndex(({ name }) => name === 'tenant connections'),
  )
  vault.reopen()
  const { connection_id } = await vault.owner.tenantConnections.create(connection)
  expect(await vault.owner.tenantConnections.remove({})).toEqual({ connection_id })
})
