import { createInvalidError } from '../../../../shared/errors.ts'
import {
  agenticId,
  enrollment,
  enrollmentPage,
  enrollmentsQuery,
  MAX_ENROLLMENTS,
  newEnrollment,
} from '../../../../shared/schemas/agentic.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { getCreatorId } from '../../access/actor.ts'
import { generateBase62 } from '../../crypto/base62.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { readCard } from './card.ts'
import { openEnrollment, sealContent } from './content.ts'
import { stepOn, storedEnrollment as stored } from './enrollments.ts'
import { agentic, createAgenticError } from './errors.ts'
import { readPage, toEnrollment } from './present.ts'
import { takeEnrollmentStep } from './steps.ts'
import {
  agentTable,
  type EnrollmentRow,
  enrollmentTable,
  linkEnrollment,
  listEnrollmentIds,
  listEnrollments,
  unlinkEnrollment,
} from './store.ts'

export const create = defineOperation({
  ...agentic,
  summary: 'Enroll the card of a token for payments of agents; its number decides the result',
  route: 'POST /agentic/enrollments',
  permission: 'enrollment:create',
  entity: 'enrollment',
  refusals: ['unprocessable'],
  location: ({ id }) => `/agentic/enrollments/${id}`,
  input: newEnrollment,
  output: enrollment,
  handler(context, { token_id, consumer, agent_id, agent_ids = [], wallet_name, type = 'agentic' }) {
    const { db, actor, now } = context
    const agents = agent_id === undefined ? agent_ids : [agent_id]
    for (const [at, each] of agents.entries())
      assertCanEnroll(context, each, agent_id === undefined ? `agent_ids[${at}]` : 'agent_id')
    const { card, scenario } = readCard(context, token_id)
    const { next, error } = takeEnrollmentStep(scenario, type === 'agentic', 'new', 'create')
    const id = `enr_${generateBase62(21)}`
    const row: EnrollmentRow = {
      id,
      token_id,
      type,
      provider: type === 'spt' ? 'stripe-mock' : `${card.brand}-mock`,
      wallet_name: wallet_name ?? 'Agent Wallet',
      state: next,
      stepped_at: now,
      redirect_key: null,
      content: sealContent(context, 'enrollment', id, { card, scenario, email: consumer.email }),
      created_by: getCreatorId(actor),
      created_at: now,
    }
    enrollmentTable.insertRow(db, row)
    for (const each of agents) linkEnrollment(db, each, id)
    context.setRecordEntity(id)
    if (error) throw error
    context.storeReplay(id)
    return toEnrollment(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  ...agentic,
  summary: 'List enrollments, newest first, without deleted ones',
  route: 'GET /agentic/enrollments',
  permission: 'enrollment:get',
  entity: 'enrollment',
  input: enrollmentsQuery,
  output: enrollmentPage,
  handler: (context, position) =>
    readPage(
      context,
      position,
      'enrollments',
      (limit, before) => listEnrollments(context.db, limit, before),
      (row) => toEnrollment(context, row),
    ),
})

export const get = defineOperation({
  ...agentic,
  summary: 'Get an enrollment, also a deleted one',
  route: 'GET /agentic/enrollments/{id}',
  permission: 'enrollment:get',
  entity: 'enrollment',
  input: agenticId,
  output: enrollment,
  handler: stored.get,
})

export const remove = defineOperation({
  ...agentic,
  summary: 'Delete an enrollment, whose instructions are then cancelled',
  route: 'DELETE /agentic/enrollments/{id}',
  permission: 'enrollment:delete',
  entity: 'enrollment',
  input: agenticId,
  output: nothing,
  handler(context, { id }) {
    const row = stored.requireRow(context, id)
    const { card, scenario } = openEnrollment(context, row)
    unlinkEnrollment(context.db, id)
    enrollmentTable.updateRow(context.db, {
      ...row,
      state: 'deleted',
      redirect_key: null,
      content: sealContent(context, 'enrollment', id, { card, scenario }),
    })
    return {}
  },
})

export const retry = defineOperation({
  ...agentic,
  summary: 'Enroll a card again that the network refused',
  route: 'POST /agentic/enrollments/{id}/retry',
  permission: 'enrollment:create',
  entity: 'enrollment',
  bodyless: true,
  refusals: ['unprocessable'],
  input: agenticId,
  output: enrollment,
  handler(context, { id }) {
    const { row } = stepOn(context, id, 'retry')
    context.storeReplay(id)
    return toEnrollment(context, row)
  },
  replay: stored.replay,
})

/** Throws unless this is an agent that can have another enrollment. */
function assertCanEnroll({ db }: Context, agent_id: string, path: string): void {
  if (!agentTable.findRow(db, agent_id)) throw createInvalidError(path, 'must be the id of an agent')
  if (listEnrollmentIds(db, agent_id).length >= MAX_ENROLLMENTS)
    throw createAgenticError('AGENT_ENROLLMENT_LIMIT')
}
