import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { mergePatch } from '../../../shared/merge-patch.ts'
import { offsetOf, toOffsetPage } from '../../../shared/offset-page.ts'
import { madeId, nothing, offsetPage, page, repeatable, size } from '../../../shared/schemas/common.ts'
import {
  type NewReactor,
  newReactor,
  reactor,
  reactorPatch,
  reactorUpdate,
} from '../../../shared/schemas/reactor.ts'
import { eventTime } from '../../../shared/time.ts'
import { parsed } from '../../../shared/validation.ts'
import { z } from '../../../shared/zod.ts'
import { actorId } from '../access/actor.ts'
import { applicationOf } from '../configured/application.ts'
import { openConfiguration, sealConfiguration } from '../configured/configuration.ts'
import type { Context } from '../door/context.ts'
import { goneSince } from '../door/idempotency.ts'
import { operation } from '../door/operation.ts'
import { runtimeOf, toReactor } from './present.ts'
import {
  deleteReactor,
  findReactor,
  insertReactor,
  listReactors,
  type ReactorRow,
  updateReactor,
} from './store.ts'

const one = z.strictObject({ id: madeId })

export const create = operation({
  summary: 'Create a reactor',
  route: 'POST /reactors',
  permission: 'reactor:create',
  entity: 'reactor',
  effect: 'write',
  status: 201,
  location: ({ id }) => `/reactors/${id}`,
  input: newReactor,
  output: reactor,
  handler(context, input) {
    const { db, actor, now } = context
    const id = randomUUID()
    const row: ReactorRow = {
      ...contentOf(context, id, input),
      id,
      created_by: actorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    }
    insertReactor(db, row)
    context.tell('reactor.created', () => ({ reactor: toldOf(row) }))
    context.about(id)
    context.keep(id)
    return toReactor(context, row)
  },
  replay: shown,
})

export const list = operation({
  summary: 'List reactors, newest first',
  route: 'GET /reactors',
  permission: 'reactor:read',
  entity: 'reactor',
  effect: 'read',
  status: 200,
  input: z.strictObject({
    id: repeatable.pipe(z.array(madeId).optional()),
    name: z.string().max(200).optional().describe('A name; `*` stands for any text'),
    page,
    size,
  }),
  output: offsetPage(reactor),
  handler(context, { id, name, page, size }) {
    const { rows, total } = listReactors(context.db, { ids: id, name }, size, offsetOf({ page, size }))
    return toOffsetPage(
      rows.map((row) => toReactor(context, row)),
      total,
      page,
      size,
    )
  },
})

export const get = operation({
  summary: 'Get a reactor',
  route: 'GET /reactors/{id}',
  permission: 'reactor:read',
  entity: 'reactor',
  effect: 'read',
  status: 200,
  input: one,
  output: reactor,
  handler(context, { id }) {
    return toReactor(context, requireReactor(context, id))
  },
})

export const update = operation({
  summary: 'Replace a reactor: what is absent is reset',
  route: 'PUT /reactors/{id}',
  permission: 'reactor:update',
  entity: 'reactor',
  effect: 'write',
  status: 200,
  input: reactorUpdate,
  output: reactor,
  handler(context, { id, ...input }) {
    const row = replaced(context, requireReactor(context, id), input)
    context.keep(id)
    return toReactor(context, row)
  },
  replay: shown,
})

export const patch = operation({
  summary: 'Change a reactor by a merge patch',
  route: 'PATCH /reactors/{id}',
  permission: 'reactor:update',
  entity: 'reactor',
  effect: 'write',
  status: 204,
  input: reactorPatch,
  output: nothing,
  handler(context, { id, ...changes }) {
    const before = requireReactor(context, id)
    const { name, code, application_id } = before
    const runtime = runtimeOf(before)
    const now = {
      name,
      code,
      ...(application_id !== null && { application: { id: application_id } }),
      configuration: openConfiguration(context, before),
      ...(runtime && { runtime }),
    }
    replaced(context, before, parsed(newReactor, mergePatch(now as never, changes as never)))
    context.keep(id)
    return {}
  },
  replay(context, id: string) {
    shown(context, id)
    return {}
  },
})

export const remove = operation({
  summary: 'Delete a reactor',
  route: 'DELETE /reactors/{id}',
  permission: 'reactor:delete',
  entity: 'reactor',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id }) {
    deleteReactor(context.db, requireReactor(context, id).id)
    context.tell('reactor.deleted', () => ({ reactor: { id } }))
    return {}
  },
})

function toldOf({ id, name, created_by, created_at }: ReactorRow): Record<string, Json> {
  return { id, name, created_by, created_at: eventTime(created_at) }
}

function requireReactor(context: Context, id: string): ReactorRow {
  context.about(id)
  const row = findReactor(context.db, id)
  if (!row) throw new CofferError('not_found', 'There is no such reactor.')
  return row
}

function shown(context: Context, id: unknown) {
  context.about(String(id))
  const row = findReactor(context.db, String(id))
  if (!row) throw goneSince()
  return toReactor(context, row)
}

function replaced(context: Context, before: ReactorRow, input: NewReactor): ReactorRow {
  const row: ReactorRow = {
    ...before,
    ...contentOf(context, before.id, input, before),
    modified_by: actorId(context.actor),
    modified_at: context.now,
  }
  updateReactor(context.db, row)
  context.tell('reactor.updated', () => {
    const modified_at = eventTime(context.now)
    return { reactor: { ...toldOf(row), modified_by: row.modified_by, modified_at } }
  })
  return row
}

type Content = Pick<ReactorRow, 'name' | 'code' | 'configuration' | 'application_id' | 'runtime'>

/** The columns that a request gives; code is stored whether or not it compiles (rule F-01). Throws `invalid` for its application. */
function contentOf(context: Context, id: string, input: NewReactor, before?: ReactorRow): Content {
  const { name, code, application, configuration = {}, runtime } = input
  return {
    name,
    code,
    configuration: sealConfiguration(context, id, configuration),
    application_id: applicationOf(context, application, before?.application_id ?? null),
    runtime: runtime ? JSON.stringify(runtime) : null,
  }
}
