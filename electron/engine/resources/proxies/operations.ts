import { randomBytes, randomUUID } from 'node:crypto'
import type { Json } from '../../../../shared/json.ts'
import { mergePatch } from '../../../../shared/merge-patch.ts'
import { Problems } from '../../../../shared/problems.ts'
import { assertJsonSize } from '../../../../shared/safe-json.ts'
import { nothing, offsetPage } from '../../../../shared/schemas/common.ts'
import { type NewProxy, newProxy, proxy, proxyPatch, proxyUpdate } from '../../../../shared/schemas/proxy.ts'
import { formatEventTime } from '../../../../shared/time.ts'
import { parseInput } from '../../../../shared/validation.ts'
import { getActorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { resolveApplication } from '../callables/application.ts'
import { openConfiguration, sealConfiguration } from '../callables/configuration.ts'
import { nameQuery } from '../callables/name-filter.ts'
import { byId, defineResource, readOffsetPage } from '../crud.ts'
import { parseTransforms, type Transforms, toProxy } from './present.ts'
import { REDACTED } from './secrets.ts'
import { deleteProxy, findProxy, insertProxy, listProxies, type ProxyRow, updateProxy } from './store.ts'

const stored = defineResource('proxy', findProxy, toProxy)

export const create = defineOperation({
  summary: 'Create a proxy',
  route: 'POST /proxies',
  permission: 'proxy:create',
  entity: 'proxy',
  location: ({ id }) => `/proxies/${id}`,
  input: newProxy,
  output: proxy,
  handler(context, input) {
    const { db, actor, now } = context
    const id = randomUUID()
    const row: ProxyRow = {
      ...toProxyContent(context, id, input),
      id,
      key: randomBytes(6).toString('hex'),
      created_by: getActorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    }
    insertProxy(db, row)
    context.queueEvent('proxy.created', () => ({ proxy: toProxyEventData(row) }))
    context.setRecordEntity(id)
    context.storeReplay(id)
    return toProxy(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  summary: 'List proxies, newest first',
  route: 'GET /proxies',
  permission: 'proxy:read',
  entity: 'proxy',
  input: nameQuery,
  output: offsetPage(proxy),
  handler(context, { id: ids, name, ...at }) {
    return readOffsetPage(
      at,
      (limit, offset) => listProxies(context.db, { ids, name }, limit, offset),
      (row) => toProxy(context, row),
    )
  },
})

export const get = defineOperation({
  summary: 'Get a proxy',
  route: 'GET /proxies/{id}',
  permission: 'proxy:read',
  entity: 'proxy',
  input: byId,
  output: proxy,
  handler: stored.get,
})

export const update = defineOperation({
  summary: 'Replace a proxy; absent members are reset',
  route: 'PUT /proxies/{id}',
  permission: 'proxy:update',
  entity: 'proxy',
  input: proxyUpdate,
  output: proxy,
  handler(context, { id, ...input }) {
    const row = replaceProxy(context, stored.requireRow(context, id), input)
    context.storeReplay(id)
    return toProxy(context, row)
  },
  replay: stored.replay,
})

export const patch = defineOperation({
  summary: 'Update a proxy with a merge patch',
  route: 'PATCH /proxies/{id}',
  permission: 'proxy:update',
  entity: 'proxy',
  status: 204,
  input: proxyPatch,
  output: nothing,
  handler(context, { id, ...changes }) {
    const before = stored.requireRow(context, id)
    const { name, destination_url, application_id } = before
    const current = {
      name,
      destination_url,
      ...mergeTransforms(changes, parseTransforms(before)),
      ...(application_id !== null && { application: { id: application_id } }),
      configuration: openConfiguration(context, before),
      require_auth: before.require_auth === 1,
      disable_detokenization: before.disable_detokenization === 1,
    }
    replaceProxy(context, before, parseInput(newProxy, mergePatch(current, changes)))
    context.storeReplay(id)
    return {}
  },
  replay(context, id: string) {
    stored.requireAgain(context, id)
    return {}
  },
})

export const remove = defineOperation({
  summary: 'Delete a proxy',
  route: 'DELETE /proxies/{id}',
  permission: 'proxy:delete',
  entity: 'proxy',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    deleteProxy(context.db, stored.requireRow(context, id).id)
    context.queueEvent('proxy.deleted', () => ({ proxy: { id } }))
    return {}
  },
})

/**
 * Merges the transforms of a patch. On each side, a single transform in the patch replaces a stored list, and a list
 * replaces a stored single transform.
 */
function mergeTransforms(
  changes: Partial<Record<keyof Transforms, unknown>>,
  before: Transforms,
): Transforms {
  const replacing = {
    request_transform: 'request_transforms',
    response_transform: 'response_transforms',
  } as const
  const merged: Record<string, unknown> = { ...before }
  for (const [one, list] of Object.entries(replacing) as [keyof Transforms, keyof Transforms][]) {
    if (changes[one] && !changes[list]) delete merged[list]
    if (changes[list] && !changes[one]) delete merged[one]
  }
  return merged
}

function toProxyEventData(row: ProxyRow): Record<string, Json> {
  return {
    id: row.id,
    name: row.name,
    application_id: row.application_id,
    // SECURITY: an API key may be in the query, so its values are left out of events.
    destination_url: row.destination_url.replace(/([?&][^=&]*=)[^&]*/g, `$1${REDACTED}`),
    require_authentication: row.require_auth === 1,
    created_at: formatEventTime(row.created_at),
    created_by: row.created_by,
  }
}

function replaceProxy(context: Context, before: ProxyRow, input: NewProxy): ProxyRow {
  const row: ProxyRow = {
    ...before,
    ...toProxyContent(context, before.id, input, before),
    modified_by: getActorId(context.actor),
    modified_at: context.now,
  }
  updateProxy(context.db, row)
  context.queueEvent('proxy.updated', () => {
    const { application_id: _, ...eventData } = toProxyEventData(row)
    const modified_at = formatEventTime(context.now)
    return {
      proxy: { ...eventData, proxy_host: null, timeout: null, modified_by: row.modified_by, modified_at },
    }
  })
  return row
}

type ProxyContent = Pick<
  ProxyRow,
  | 'name'
  | 'destination_url'
  | 'transforms'
  | 'configuration'
  | 'application_id'
  | 'require_auth'
  | 'disable_detokenization'
>

/** Returns the columns that a request sets. Throws `invalid` for its application, or for both forms on a side. */
function toProxyContent(context: Context, id: string, input: NewProxy, before?: ProxyRow): ProxyContent {
  const transforms: Transforms = {
    request_transform: input.request_transform,
    response_transform: input.response_transform,
    request_transforms: input.request_transforms,
    response_transforms: input.response_transforms,
  }
  const problems = new Problems()
  for (const side of ['request', 'response'] as const) {
    if (input[`${side}_transform`] && input[`${side}_transforms`])
      problems.add(`${side}_transform`, `cannot be combined with ${side}_transforms`)
  }
  const application_id = problems.concludeWith(() =>
    resolveApplication(context, input.application, before?.application_id ?? null),
  )
  const written = JSON.stringify(transforms)
  // The stored size is checked too, because a patch adds to the stored transforms (case X-65).
  assertJsonSize(written, 'transforms')
  return {
    name: input.name,
    destination_url: input.destination_url,
    transforms: written,
    configuration: sealConfiguration(context, id, input.configuration ?? {}),
    application_id,
    require_auth: input.require_auth === false ? 0 : 1,
    disable_detokenization: input.disable_detokenization === true ? 1 : 0,
  }
}
