import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../../shared/errors.ts'
import {
  cardNetworks,
  merchant,
  merchantId,
  merchantPage,
  merchantServices,
  merchantsQuery,
  merchantUpdate,
  newMerchant,
  onboardingRequest,
} from '../../../../../shared/schemas/merchant.ts'
import type { z } from '../../../../../shared/zod.ts'
import { getCreatorId } from '../../../access/actor.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { assertBelow, createMissingError, defineResource, readOffsetPage } from '../../crud.ts'
import { type OnboardedServices, parseDetails, parseServices, toMerchant } from './present.ts'
import {
  countMerchants,
  deleteMerchant,
  findMerchant,
  findMerchantId,
  insertMerchant,
  listMerchants,
  type MerchantRow,
  updateMerchant,
} from './store.ts'

const stored = defineResource('merchant', findMerchant, toMerchant)
const MAX_MERCHANTS = 1000

export const create = defineOperation({
  summary: 'Create a merchant',
  route: 'POST /tenants/{tenant_id}/merchants',
  permission: 'tenant:merchant:create',
  entity: 'merchant',
  refusals: ['unprocessable'],
  location: ({ tenant_id, id }) => `/tenants/${tenant_id}/merchants/${id}`,
  input: newMerchant,
  output: merchant,
  handler(context, { tenant_id, name, details = {} }) {
    const { db, actor, now } = context
    requireTenant(context, tenant_id)
    assertBelow(countMerchants(db), MAX_MERCHANTS, 'merchants')
    const row: MerchantRow = {
      id: randomUUID(),
      name,
      details: JSON.stringify(details),
      services: '{}',
      created_by: getCreatorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    }
    requireFreeName(context, row)
    insertMerchant(db, row)
    context.setRecordEntity(row.id)
    context.storeReplay(row.id)
    return toMerchant(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  summary: 'List merchants, newest first',
  route: 'GET /tenants/{tenant_id}/merchants',
  permission: 'tenant:merchant:read',
  entity: 'merchant',
  input: merchantsQuery,
  output: merchantPage,
  handler(context, { tenant_id, ...at }) {
    requireTenant(context, tenant_id)
    return readOffsetPage(
      at,
      (limit, offset) => listMerchants(context.db, limit, offset),
      (row) => toMerchant(context, row),
    )
  },
})

export const get = defineOperation({
  summary: 'Get a merchant',
  route: 'GET /tenants/{tenant_id}/merchants/{id}',
  permission: 'tenant:merchant:read',
  entity: 'merchant',
  input: merchantId,
  output: merchant,
  handler(context, { tenant_id, id }) {
    requireTenant(context, tenant_id)
    return stored.get(context, { id })
  },
})

export const update = defineOperation({
  summary: 'Update a merchant; its details stay the same if the body has none',
  route: 'PATCH /tenants/{tenant_id}/merchants/{id}',
  permission: 'tenant:merchant:update',
  entity: 'merchant',
  alsoAccepts: ['application/json'],
  input: merchantUpdate,
  output: merchant,
  handler(context, { tenant_id, id, name, details }) {
    requireTenant(context, tenant_id)
    const before = stored.requireRow(context, id)
    const changes = { name, ...(details && { details: JSON.stringify(details) }) }
    return storeChanges(context, before, changes)
  },
  replay: stored.replay,
})

export const remove = defineOperation({
  summary: 'Delete a merchant; the response shows it for the last time',
  route: 'DELETE /tenants/{tenant_id}/merchants/{id}',
  permission: 'tenant:merchant:delete',
  entity: 'merchant',
  status: 200,
  input: merchantId,
  output: merchant,
  handler(context, { tenant_id, id }) {
    requireTenant(context, tenant_id)
    const row = stored.requireRow(context, id)
    deleteMerchant(context.db, id)
    return toMerchant(context, row)
  },
})

export const requestOnboarding = defineOperation({
  summary:
    'Register a merchant for services of the networks, which are active immediately; all services by default',
  route: 'POST /tenants/{tenant_id}/merchants/{id}/services',
  permission: 'tenant:merchant:update',
  entity: 'merchant',
  bodyless: true,
  input: onboardingRequest,
  output: merchant,
  handler(context, { tenant_id, id, card_network_info, ...requested }) {
    requireTenant(context, tenant_id)
    const before = stored.requireRow(context, id)
    const services = { ...parseServices(before), ...chooseServices(parseServices(before), requested) }
    const details = { ...parseDetails(before), ...(card_network_info && { card_network_info }) }
    return storeChanges(context, before, {
      services: JSON.stringify(services),
      details: JSON.stringify(details),
    })
  },
  replay: stored.replay,
})

/**
 * Returns the requested services with their networks. If the request names none, these are the services that the
 * merchant lacks, with every network. Throws `conflict` for a named service that it has, or if it lacks none.
 */
function chooseServices(before: OnboardedServices, requested: OnboardedServices): OnboardedServices {
  const named = merchantServices.filter((each) => (requested[each] ?? []).length > 0)
  const [wanted, isNamed] = named.length > 0 ? [named, true] : [merchantServices, false]
  const missing = wanted.filter((each) => !before[each])
  if (missing.length === 0 || (isNamed && missing.length < wanted.length)) {
    const present = wanted.filter((each) => before[each])
    throw new CofferError('conflict', `This merchant is already registered for ${present.join(', ')}.`)
  }
  return Object.fromEntries(
    missing.map((each) => [each, isNamed ? [...new Set(requested[each])] : cardNetworks]),
  )
}

function storeChanges(
  context: Context,
  before: MerchantRow,
  changes: Partial<MerchantRow>,
): z.input<typeof merchant> {
  const { db, actor, now } = context
  const row = { ...before, ...changes, modified_by: getCreatorId(actor), modified_at: now }
  requireFreeName(context, row)
  updateMerchant(db, row)
  context.storeReplay(row.id)
  return toMerchant(context, row)
}

/** Throws `conflict` if another merchant has the name. */
function requireFreeName({ db }: Context, { id, name }: MerchantRow): void {
  const taken = findMerchantId(db, name)
  if (taken !== undefined && taken !== id) {
    throw new CofferError(
      'conflict',
      'The tenant has another merchant with this name. Choose another name, or update that merchant.',
    )
  }
}

/** Throws `not_found` unless a path names this tenant, by its id or as `self`. */
function requireTenant(context: Context, tenant_id: string): void {
  if (tenant_id !== 'self' && tenant_id !== context.tenant_id) throw createMissingError('tenant')
}
