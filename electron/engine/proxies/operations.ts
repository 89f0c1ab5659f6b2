import { randomBytes, randomUUID } from 'node:crypto'
import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { mergePatch } from '../../../shared/merge-patch.ts'
import { offsetOf, toOffsetPage } from '../../../shared/offset-page.ts'
import { refuseLarge } from '../../../shared/safe-json.ts'
import { madeId, nothing, offsetPage, page, repeatable, size } from '../../../shared/schemas/common.ts'
import { type NewProxy, newProxy, proxy, proxyPatch, proxyUpdate } from '../../../shared/schemas/proxy.ts'
import { eventTime } from '../../../shared/time.ts'
import { parsed } from '../../../shared/validation.ts'
import { z } from '../../../shared/zod.ts'
import { actorId } from '../access/actor.ts'
import { applicationOf } from '../configured/application.ts'
import { openConfiguration, sealConfiguration } from '../configured/configuration.ts'
import type { Context } from '../door/context.ts'
import { goneSince } from '../door/idempotency.ts'
import { operation } from '../door/operation.ts'
import { type Transforms, toProxy, transformsOf } from './present.ts'
import { deleteProxy, findProxy, insertProxy, listProxies, type ProxyRow, updateProxy } from './store.ts'

const one = z.strictObject({ id: madeId })

export const create = operation({
  summary: 'Create a proxy',
  route: 'POST /proxies',
  permission: 'proxy:create',
  entity: 'proxy',
  effect: 'write',
  status: 201,
  location: ({ id }) => `/proxies/${id}`,
  input: newProxy,
  output: proxy,
  handler(context, input) {
    const { db, actor, now } = context
    const id = randomUUID()
    const row: ProxyRow = {
      ...contentOf(context, id, input),
      id,
      key: randomBytes(6).toString('hex'),
      created_by: actorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    }
    insertProxy(db, row)
    context.tell('proxy.created', () => ({ proxy: toldOf(row) }))
    context.about(id)
    context.keep(id)
    return toProxy(context, row)
  },
  replay: shown,
})

export const list = operation({
  summary: 'List proxies, newest first',
  route: 'GET /proxies',
  permission: 'proxy:read',
  entity: 'proxy',
  effect: 'read',
  status: 200,
  input: z.strictObject({
    id: repeatable.pipe(z.array(madeId).optional()),
    name: z.string().max(200).optional().describe('A name; `*` stands for any text'),
    page,
    size,
  }),
  output: offsetPage(proxy),
  handler(context, { id, name, page, size }) {
    const { rows, total } = listProxies(context.db, { ids: id, name }, size, offsetOf({ page, size }))
    return toOffsetPage(
      rows.map((row) => toProxy(context, row)),
      total,
      page,
      size,
    )
  },
})

export const get = operation({
  summary: 'Get a proxy',
  route: 'GET /proxies/{id}',
  permission: 'proxy:read',
  entity: 'proxy',
  effect: 'read',
  status: 200,
  input: one,
  output: proxy,
  handler(context, { id }) {
    return toProxy(context, requireProxy(context, id))
  },
})

export const update = operation({
  summary: 'Replace a proxy: what is absent is reset',
  route: 'PUT /proxies/{id}',
  permission: 'proxy:update',
  entity: 'proxy',
  effect: 'write',
  status: 200,
  input: proxyUpdate,
  output: proxy,
  handler(context, { id, ...input }) {
    const row = replaced(context, requireProxy(context, id), input)
    context.keep(id)
    return toProxy(context, row)
  },
  replay: shown,
})

export const patch = operation({
  summary: 'Change a proxy by a merge patch',
  route: 'PATCH /proxies/{id}',
  permission: 'proxy:update',
  entity: 'proxy',
  effect: 'write',
  status: 204,
  input: proxyPatch,
  output: nothing,
  handler(context, { id, ...changes }) {
    const before = requireProxy(context, id)
    const { name, destination_url, application_id } = before
    const now = {
      name,
      destination_url,
      ...transformsBeside(changes, transformsOf(before)),
      ...(application_id !== null && { application: { id: application_id } }),
      configuration: openConfiguration(context, before),
      require_auth: before.require_auth === 1,
      disable_detokenization: before.disable_detokenization === 1,
    }
    replaced(context, before, parsed(newProxy, mergePatch(now as never, changes as never)))
    context.keep(id)
    return {}
  },
  replay(context, id: string) {
    shown(context, id)
    return {}
  },
})

export const remove = operation({
  summary: 'Delete a proxy',
  route: 'DELETE /proxies/{id}',
  permission: 'proxy:delete',
  entity: 'proxy',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id }) {
    deleteProxy(context.db, requireProxy(context, id).id)
    context.tell('proxy.deleted', () => ({ proxy: { id } }))
    return {}
  },
})

/** The transforms that a patch keeps: one form of a side replaces the other. */
function transformsBeside(
  changes: Partial<Record<keyof Transforms, unknown>>,
  before: Transforms,
): Transforms {
  const replacing = {
    request_transform: 'request_transforms',
    response_transform: 'response_transforms',
  } as const
  const kept: Record<string, unknown> = { ...before }
  for (const [one, list] of Object.entries(replacing) as [keyof Transforms, keyof Transforms][]) {
    if (changes[one] && !changes[list]) delete kept[list]
    if (changes[list] && !changes[one]) delete kept[one]
  }
  return kept
}

function toldOf(row: ProxyRow): Record<string, Json> {
  return {
    id: row.id,
    name: row.name,
    application_id: row.application_id,
    destination_url: row.destination_url,
    require_authentication: row.require_auth === 1,
    created_at: eventTime(row.created_at),
    created_by: row.created_by,
  }
}

function requireProxy(context: Context, id: string): ProxyRow {
  context.about(id)
  const row = findProxy(context.db, id)
  if (!row) throw new CofferError('not_found', 'There is no such proxy.')
  return row
}

function shown(context: Context, id: unknown) {
  context.about(String(id))
  const row = findProxy(context.db, String(id))
  if (!row) throw goneSince()
  return toProxy(context, row)
}

function replaced(context: Context, before: ProxyRow, input: NewProxy): ProxyRow {
  const row: ProxyRow = {
    ...before,
    ...contentOf(context, before.id, input, before),
    modified_by: actorId(context.actor),
    modified_at: context.now,
  }
  updateProxy(context.db, row)
  context.tell('proxy.updated', () => {
    const { application_id: _, ...told } = toldOf(row)
    const modified_at = eventTime(context.now)
    return { proxy: { ...told, proxy_host: null, timeout: null, modified_by: row.modified_by, modified_at } }
  })
  return row
}

type Content = Pick<
  ProxyRow,
  | 'name'
  | 'destination_url'
  | 'transforms'
  | 'configuration'
  | 'application_id'
  | 'require_auth'
  | 'disable_detokenization'
>

/** The columns that a request gives. Throws `invalid` for its application, and where both spellings are given. */
function contentOf(context: Context, id: string, input: NewProxy, before?: ProxyRow): Content {
  const transforms: Transforms = {
    request_transform: input.request_transform,
    response_transform: input.response_transform,
    request_transforms: input.request_transforms,
    response_transforms: input.response_transforms,
  }
  for (const side of ['request', 'response'] as const) {
    if (input[`${side}_transform`] && input[`${side}_transforms`])
      throw invalid(`${side}_transform`, `must not be given together with ${side}_transforms`)
  }
  const written = JSON.stringify(transforms)
  // A patch adds to what is there (case X-65).
  refuseLarge(written, 'transforms')
  return {
    name: input.name,
    destination_url: input.destination_url,
    transforms: written,
    configuration: sealConfiguration(context, id, input.configuration ?? {}),
    application_id: applicationOf(context, input.application, before?.application_id ?? null),
    require_auth: input.require_auth === false ? 0 : 1,
    disable_detokenization: input.disable_detokenization === true ? 1 : 0,
  }
}
