import { createInvalidError } from '../../../../shared/errors.ts'
import {
  agent,
  agenticId,
  agentOverview,
  agentUpdate,
  MAX_ENROLLMENTS,
  newAgent,
} from '../../../../shared/schemas/agentic.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { getCreatorId } from '../../access/actor.ts'
import { generateBase62 } from '../../crypto/base62.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { assertBelow, defineResource } from '../crud.ts'
import { agentic, createAgenticError } from './errors.ts'
import { getState, toAgent, toAgentWithoutIds, toEnrollmentWithoutIds } from './present.ts'
import { getNextStep } from './steps.ts'
import {
  type AgentRow,
  agentTable,
  countAgents,
  deleteAgent,
  enrollmentTable,
  listAgents,
  listEnrollments,
  replaceEnrollments,
} from './store.ts'

const stored = defineResource('agent', agentTable.findRow, toAgent)
const MAX_AGENTS = 1000

export const create = defineOperation({
  ...agentic,
  summary: 'Create an agent',
  route: 'POST /agentic/agents',
  permission: 'agent:create',
  entity: 'agent',
  refusals: ['unprocessable'],
  location: ({ id }) => `/agentic/agents/${id}`,
  input: newAgent,
  output: agent,
  handler(context, { name, enrollment_ids = [], instance_details }) {
    const { db, actor, now } = context
    assertBelow(countAgents(db), MAX_AGENTS, 'agents')
    requireEnrollments(context, enrollment_ids)
    const row: AgentRow = {
      id: `agt_${generateBase62(21)}`,
      name,
      instance_details: instance_details ? JSON.stringify(instance_details) : null,
      created_by: getCreatorId(actor),
      created_at: now,
    }
    agentTable.insertRow(db, row)
    replaceEnrollments(db, row.id, enrollment_ids)
    context.setRecordEntity(row.id)
    context.storeReplay(row.id)
    return toAgent(context, row)
  },
  replay: stored.replay,
})

export const get = defineOperation({
  ...agentic,
  summary: 'Get an agent',
  route: 'GET /agentic/agents/{id}',
  permission: 'agent:get',
  entity: 'agent',
  input: agenticId,
  output: agent,
  handler: stored.get,
})

export const getOverview = defineOperation({
  summary: 'List the agents, and the newest enrollments with their next steps',
  entity: 'agent',
  input: nothing,
  output: agentOverview,
  handler: (context) => ({
    agents: listAgents(context.db, MAX_AGENTS).map((row) => ({
      ...toAgentWithoutIds(row),
      enrollments: row.enrollments,
    })),
    enrollments: listEnrollments(context.db, 100, null).map((row) => ({
      ...toEnrollmentWithoutIds(context, row),
      next: getNextStep(getState(row, context.now)),
    })),
  }),
})

export const update = defineOperation({
  ...agentic,
  summary: 'Update an agent',
  route: 'PATCH /agentic/agents/{id}',
  permission: 'agent:update',
  entity: 'agent',
  alsoAccepts: ['application/json'],
  input: agentUpdate,
  output: agent,
  handler(context, { id, name, enrollment_ids, instance_details }) {
    const before = stored.requireRow(context, id)
    const row = {
      ...before,
      ...(name !== undefined && { name }),
      ...(instance_details && { instance_details: JSON.stringify(instance_details) }),
    }
    if (enrollment_ids) {
      requireEnrollments(context, enrollment_ids)
      replaceEnrollments(context.db, id, enrollment_ids)
    }
    agentTable.updateRow(context.db, row)
    context.storeReplay(id)
    return toAgent(context, row)
  },
  replay: stored.replay,
})

export const remove = defineOperation({
  ...agentic,
  summary: 'Delete an agent with its instructions; its enrollments stay',
  route: 'DELETE /agentic/agents/{id}',
  permission: 'agent:delete',
  entity: 'agent',
  input: agenticId,
  output: nothing,
  handler(context, { id }) {
    stored.requireRow(context, id)
    deleteAgent(context.db, id)
    return {}
  },
})

/** Throws unless these are enrollments, and as many as an agent can have. */
function requireEnrollments({ db }: Context, ids: readonly string[]): void {
  if (new Set(ids).size > MAX_ENROLLMENTS) throw createAgenticError('AGENT_ENROLLMENT_LIMIT')
  for (const [at, id] of ids.entries()) {
    const row = enrollmentTable.findRow(db, id)
    if (!row || row.state === 'deleted')
      throw createInvalidError(`enrollment_ids[${at}]`, 'must be the id of an enrollment')
  }
}
