import { randomUUID } from 'node:crypto'
import type { Json } from '../../../../shared/json.ts'
import { mergePatch } from '../../../../shared/merge-patch.ts'
import { nothing, offsetPage } from '../../../../shared/schemas/common.ts'
import {
  type NewReactor,
  newReactor,
  type ReactorObject,
  reactor,
  reactorPatch,
  reactorUpdate,
} from '../../../../shared/schemas/reactor.ts'
import { formatEventTime, formatIsoTime } from '../../../../shared/time.ts'
import { parseInput } from '../../../../shared/validation.ts'
import { getActorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { resolveApplication } from '../callables/application.ts'
import { openConfiguration, sealConfiguration } from '../callables/configuration.ts'
import { nameQuery } from '../callables/name-filter.ts'
import { findPackageProblem } from '../callables/packages.ts'
import { byId, defineResource, readOffsetPage } from '../crud.ts'
import {
  deleteReactor,
  findReactor,
  insertReactor,
  listReactors,
  parseRuntime,
  type ReactorRow,
  updateReactor,
} from './store.ts'

const stored = defineResource('reactor', findReactor, toReactor)

export const create = defineOperation({
  summary: 'Create a reactor',
  route: 'POST /reactors',
  permission: 'reactor:create',
  entity: 'reactor',
  location: ({ id }) => `/reactors/${id}`,
  input: newReactor,
  output: reactor,
  handler(context, input) {
    const { db, actor, now } = context
    const id = randomUUID()
    const row: ReactorRow = {
      ...toReactorContent(context, id, input),
      id,
      created_by: getActorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    }
    insertReactor(db, row)
    context.queueEvent('reactor.created', () => ({ reactor: toReactorEventData(row) }))
    context.setRecordEntity(id)
    context.storeReplay(id)
    return toReactor(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  summary: 'List reactors, newest first',
  route: 'GET /reactors',
  permission: 'reactor:read',
  entity: 'reactor',
  input: nameQuery,
  output: offsetPage(reactor),
  handler(context, { id: ids, name, ...at }) {
    return readOffsetPage(
      at,
      (limit, offset) => listReactors(context.db, { ids, name }, limit, offset),
      (row) => toReactor(context, row),
    )
  },
})

export const get = defineOperation({
  summary: 'Get a reactor',
  route: 'GET /reactors/{id}',
  permission: 'reactor:read',
  entity: 'reactor',
  input: byId,
  output: reactor,
  handler: stored.get,
})

export const update = defineOperation({
  summary: 'Replace a reactor; absent members are reset',
  route: 'PUT /reactors/{id}',
  permission: 'reactor:update',
  entity: 'reactor',
  input: reactorUpdate,
  output: reactor,
  handler(context, { id, ...input }) {
    const row = replaceReactor(context, stored.requireRow(context, id), input)
    context.storeReplay(id)
    return toReactor(context, row)
  },
  replay: stored.replay,
})

export const patch = defineOperation({
  summary: 'Update a reactor with a merge patch',
  route: 'PATCH /reactors/{id}',
  permission: 'reactor:update',
  entity: 'reactor',
  status: 204,
  input: reactorPatch,
  output: nothing,
  handler(context, { id, ...changes }) {
    const before = stored.requireRow(context, id)
    const { name, code, application_id } = before
    const runtime = parseRuntime(before)
    const current = {
      name,
      code,
      ...(application_id !== null && { application: { id: application_id } }),
      configuration: openConfiguration(context, before),
      ...(runtime && { runtime }),
    }
    replaceReactor(context, before, parseInput(newReactor, mergePatch(current, changes)))
    context.storeReplay(id)
    return {}
  },
  replay(context, id: string) {
    stored.requireAgain(context, id)
    return {}
  },
})

export const remove = defineOperation({
  summary: 'Delete a reactor',
  route: 'DELETE /reactors/{id}',
  permission: 'reactor:delete',
  entity: 'reactor',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    deleteReactor(context.db, stored.requireRow(context, id).id)
    context.queueEvent('reactor.deleted', () => ({ reactor: { id } }))
    return {}
  },
})

function toReactorEventData({ id, name, created_by, created_at }: ReactorRow): Record<string, Json> {
  return { id, name, created_by, created_at: formatEventTime(created_at) }
}

function replaceReactor(context: Context, before: ReactorRow, input: NewReactor): ReactorRow {
  const row: ReactorRow = {
    ...before,
    ...toReactorContent(context, before.id, input, before),
    modified_by: getActorId(context.actor),
    modified_at: context.now,
  }
  updateReactor(context.db, row)
  context.queueEvent('reactor.updated', () => {
    const modified_at = formatEventTime(context.now)
    return { reactor: { ...toReactorEventData(row), modified_by: row.modified_by, modified_at } }
  })
  return row
}

type ReactorContent = Pick<ReactorRow, 'name' | 'code' | 'configuration' | 'application_id' | 'runtime'>

/**
 * Returns the columns that a request sets. Code is stored whether it compiles or not (rule F-01). Throws `invalid`
 * for an unsuitable application.
 */
function toReactorContent(
  context: Context,
  id: string,
  input: NewReactor,
  before?: ReactorRow,
): ReactorContent {
  const { name, code, application, configuration = {}, runtime } = input
  return {
    name,
    code,
    configuration: sealConfiguration(context, id, configuration),
    application_id: resolveApplication(context, application, before?.application_id ?? null),
    runtime: runtime ? JSON.stringify(runtime) : null,
  }
}

/** Returns a reactor as the API presents it (rule F-01). */
function toReactor(context: Context, row: ReactorRow): ReactorObject {
  const runtime = parseRuntime(row)
  const problem = findPackageProblem(context, [runtime])
  const { code } = row
  const content = { configuration: openConfiguration(context, row), ...(runtime && { runtime }) }
  return {
    id: row.id,
    tenant_id: context.tenant_id,
    name: row.name,
    code,
    state: problem?.state ?? 'active',
    ...(row.application_id !== null && { application: { id: row.application_id } }),
    ...content,
    ...(problem && { requested: { reactor: { code, ...content }, ...problem.error } }),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}
