import { CofferError } from '../../../../shared/errors.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { newSecurityContact, securityContact } from '../../../../shared/schemas/member.ts'
import { tenant, tenantUpdate, usageReport } from '../../../../shared/schemas/tenant.ts'
import { settings } from '../../../../shared/settings.ts'
import { formatEventTime, formatIsoTime } from '../../../../shared/time.ts'
import { getCreatorId } from '../../access/actor.ts'
import { deriveOwnerId } from '../../access/owner-id.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { formatSettings, patchSettings, requireOwnerForSetting, type StoredSettings } from './settings.ts'
import {
  countTokensByType,
  findSecurityContact,
  getTenant,
  type TenantRow,
  updateSecurityContact,
  updateTenant,
} from './store.ts'

function toTenant(row: TenantRow) {
  const owner_id = deriveOwnerId(row.id)
  return {
    id: row.id,
    owner_id,
    name: row.name,
    type: row.type,
    settings: formatSettings(settings.parse(JSON.parse(row.settings))),
    created_by: owner_id,
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}

export const get = defineOperation({
  summary: 'Get the tenant and its settings',
  route: 'GET /tenants/self',
  permission: 'tenant:read',
  entity: 'tenant',
  input: nothing,
  output: tenant,
  handler(context) {
    context.setRecordEntity(context.tenant_id)
    return toTenant(getTenant(context.db))
  },
})

export const update = defineOperation({
  summary: "Update the tenant's name and the given settings",
  route: 'PUT /tenants/self',
  permission: 'tenant:update',
  entity: 'tenant',
  input: tenantUpdate,
  output: tenant,
  handler(context, { name, settings: patch = {} }) {
    const { db, actor, now, tenant_id } = context
    const before = getTenant(db)
    const stored = JSON.parse(before.settings) as StoredSettings
    requireOwnerForSetting('keep_exchanges', actor, stored, patch)
    const changed = Object.keys(patch)
    context.setRecordEntity(tenant_id, changed.length > 0 ? `changes ${changed.join(', ')}` : undefined)
    updateTenant(db, {
      name,
      settings: JSON.stringify(patchSettings(stored, patch)),
      modified_by: getCreatorId(actor),
      modified_at: now,
    })
    const { id, created_at, modified_by } = getTenant(db)
    context.queueEvent('tenant.updated', () => ({
      tenant: {
        id,
        name,
        created_by: deriveOwnerId(id),
        created_at: formatEventTime(created_at),
        modified_by,
        modified_at: formatEventTime(now),
      },
    }))
    context.invalidateCaches()
    context.storeReplay({})
    return toTenant(getTenant(db))
  },
  replay(context) {
    context.setRecordEntity(context.tenant_id)
    return toTenant(getTenant(context.db))
  },
})

export const getUsageReport = defineOperation({
  summary: 'Count the tokens of the tenant by type',
  route: 'GET /tenants/self/reports/usage',
  permission: 'report:read',
  entity: 'tenant',
  input: nothing,
  output: usageReport,
  handler(context) {
    const { db, now, tenant_id } = context
    context.setRecordEntity(tenant_id)
    const counted = countTokensByType(db, now)
    if (!counted) {
      throw new CofferError(
        'unavailable',
        'Many tokens have expired and are being deleted. Try again in a minute.',
        { retry_after: 60 },
      )
    }
    const types = counted.filter(({ tokens }) => tokens > 0)
    const total_tokens = types.reduce((sum, { tokens }) => sum + tokens, 0)
    const metrics_by_type = Object.fromEntries(
      types.map(({ type, tokens, last_created_at }) => [
        type,
        { count: tokens, last_created_at: formatIsoTime(last_created_at) },
      ]),
    )
    return { total_tokens, token_report: { total_tokens, metrics_by_type } }
  },
})

export const remove = defineOperation({
  summary: 'Always rejects deleting the tenant: only the owner can delete a vault',
  route: 'DELETE /tenants/self',
  permission: 'any-key',
  entity: 'tenant',
  effect: 'read',
  always: 'forbidden',
  input: nothing,
  output: nothing,
  handler(context) {
    context.setRecordEntity(context.tenant_id)
    throw new CofferError(
      'forbidden',
      'Only the owner can delete a vault: in the window under Settings, Vaults, or with `coffer delete`.',
    )
  },
})

export const getSecurityContact = defineOperation({
  summary: 'Get the email address of the security contact; null if none is set',
  route: 'GET /tenants/self/security-contact',
  permission: 'tenant:read',
  entity: 'tenant',
  input: nothing,
  output: securityContact,
  handler(context) {
    context.setRecordEntity(context.tenant_id)
    return { email: findSecurityContact(context.db) }
  },
})

export const setSecurityContact = defineOperation({
  summary: 'Set the email address of the security contact; Coffer sends no email',
  route: 'PUT /tenants/self/security-contact',
  permission: 'tenant:update',
  entity: 'tenant',
  input: newSecurityContact,
  output: securityContact,
  handler(context, { email }) {
    const { db, actor, now, tenant_id } = context
    context.setRecordEntity(tenant_id, 'changes the security contact')
    const modified_by = getCreatorId(actor)
    updateSecurityContact(db, { security_contact: email, modified_by, modified_at: now })
    context.storeReplay({})
    return { email }
  },
  replay(context) {
    context.setRecordEntity(context.tenant_id)
    return { email: findSecurityContact(context.db) }
  },
})
