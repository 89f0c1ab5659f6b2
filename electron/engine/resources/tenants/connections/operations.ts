import { randomUUID } from 'node:crypto'
import { nothing } from '../../../../../shared/schemas/common.ts'
import { newTenantConnection, tenantConnection } from '../../../../../shared/schemas/tenant-connection.ts'
import { getCreatorId } from '../../../access/actor.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { createMissingError, defineLookup } from '../../crud.ts'
import { deleteConnection, findAnyConnection, findConnection, insertConnection } from './store.ts'

const stored = defineLookup('tenant_connection', findConnection)

export const create = defineOperation({
  summary:
    'Create the connection by which people sign in to the portal, in place of any other; it has no effect',
  route: 'POST /tenants/self/connections',
  permission: ['tenant:update', 'connections:create'],
  entity: 'tenant_connection',
  location: () => '/tenants/self/connections',
  input: newTenantConnection,
  output: tenantConnection,
  handler(context, { strategy, options }) {
    const { db, actor, now } = context
    const before = findAnyConnection(db)
    if (before) deleteConnection(db, before.id)
    const id = randomUUID()
    insertConnection(db, {
      id,
      strategy,
      options: JSON.stringify(options),
      created_by: getCreatorId(actor),
      created_at: now,
    })
    context.setRecordEntity(id)
    context.storeReplay(id)
    return { connection_id: id }
  },
  replay: (context, id) => ({ connection_id: stored.requireAgain(context, id).id }),
})

export const remove = defineOperation({
  summary: 'Delete the connection by which people sign in to the portal',
  route: 'DELETE /tenants/self/connections',
  permission: ['tenant:update', 'connections:delete'],
  entity: 'tenant_connection',
  // The official client reads the connection from the response.
  status: 200,
  refusals: ['not_found'],
  input: nothing,
  output: tenantConnection,
  handler(context) {
    const row = findAnyConnection(context.db)
    if (!row) throw createMissingError('tenant connection')
    context.setRecordEntity(row.id)
    deleteConnection(context.db, row.id)
    return { connection_id: row.id }
  },
})
