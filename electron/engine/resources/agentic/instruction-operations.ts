import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import {
  type CredentialType,
  confirmations,
  credentials,
  credentialsRequest,
  instruction,
  instructionId,
  instructionPage,
  instructionsQuery,
  instructionUpdate,
  instructionVerification,
  newInstruction,
  type PlatformType,
  passkeyEntry,
  type VerificationStatus,
  verification,
} from '../../../../shared/schemas/agentic.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { formatEventTime } from '../../../../shared/time.ts'
import { getCreatorId } from '../../access/actor.ts'
import { generateBase62 } from '../../crypto/base62.ts'
import type { Context } from '../../pipeline/context.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { createMissingError } from '../crud.ts'
import { openEnrollment, openInstruction, sealContent } from './content.ts'
import { agentic, createAgenticError } from './errors.ts'
import { getInstructionStatus, readPage, toInstruction, toVerification } from './present.ts'
import { takeInstructionStep, toEnrollmentStatus } from './steps.ts'
import {
  agentTable,
  countInstructions,
  type EnrollmentRow,
  enrollmentTable,
  findInstruction,
  type InstructionRow,
  insertInstruction,
  listInstructions,
  updateInstruction,
} from './store.ts'

const MAX_INSTRUCTIONS = 10_000
/** How long credentials are valid if the instruction does not expire. */
const CREDENTIALS_LIFETIME_MS = 24 * 60 * 60 * 1000

type InstructionIds = { readonly agent_id: string; readonly id: string }
/** What the replay of a call needs. */
type StoredIds = readonly [agent_id: string, id: string]
type StoredStart = readonly [...StoredIds, status: VerificationStatus, platform: PlatformType]

export const create = defineOperation({
  ...agentic,
  summary: 'Create an instruction: what an agent may pay for with an enrollment',
  route: 'POST /agentic/agents/{agent_id}/instructions',
  permission: 'agent:instruction:create',
  entity: 'instruction',
  refusals: ['unprocessable'],
  status: 201,
  input: newInstruction,
  output: instruction,
  handler(context, { agent_id, enrollment_id, expires_at, mpp, amount, description, merchant, recurring }) {
    const { db, actor, now } = context
    requireAgent(context, agent_id)
    const { type } = requireActive(context, enrollment_id)
    if (mpp && type !== 'spt') throw createInvalidError('mpp', 'needs an enrollment of the type spt')
    if (countInstructions(db, agent_id) >= MAX_INSTRUCTIONS) {
      throw new CofferError(
        'unprocessable',
        `An agent can have at most ${MAX_INSTRUCTIONS} instructions, including cancelled and expired ones. Create another agent.`,
      )
    }
    const id = `ins_${generateBase62(21)}`
    const content = { amount, description, recurring, merchant }
    const row: InstructionRow = {
      id,
      agent_id,
      enrollment_id,
      credential_type: type !== 'spt' ? 'card' : mpp ? 'mpp' : 'spt',
      state: type === 'agentic' ? 'ready' : 'approved',
      content: sealContent(context, 'instruction', id, content),
      expires_at: expires_at === undefined ? null : parseExpiresAt(expires_at, now, 'expires_at').at,
      created_by: getCreatorId(actor),
      created_at: now,
    }
    insertInstruction(db, row)
    context.setHeader('Location', `/agentic/agents/${agent_id}/instructions/${id}`)
    context.setRecordEntity(id)
    return answerChanged(context, row)
  },
  replay: repeatInstruction,
})

export const list = defineOperation({
  ...agentic,
  summary: 'List the instructions of an agent, newest first',
  route: 'GET /agentic/agents/{agent_id}/instructions',
  permission: 'agent:instruction:get',
  entity: 'instruction',
  input: instructionsQuery,
  output: instructionPage,
  handler(context, { limit, cursor, ...of }) {
    requireAgent(context, of.agent_id)
    return readPage(
      context,
      { limit, cursor },
      `instructions ${of.agent_id} ${of.enrollment_id ?? ''}`,
      (limit, before) => listInstructions(context.db, of, limit, before),
      (row) => toInstruction(context, row),
    )
  },
})

export const get = defineOperation({
  ...agentic,
  summary: 'Get an instruction',
  route: 'GET /agentic/agents/{agent_id}/instructions/{id}',
  permission: 'agent:instruction:get',
  entity: 'instruction',
  input: instructionId,
  output: instruction,
  handler: (context, ids) => toInstruction(context, requireInstruction(context, ids)),
})

export const update = defineOperation({
  ...agentic,
  summary: 'Update an instruction, which must be verified again then',
  route: 'PATCH /agentic/agents/{agent_id}/instructions/{id}',
  permission: 'agent:instruction:update',
  entity: 'instruction',
  alsoAccepts: ['application/json'],
  input: instructionUpdate,
  output: instruction,
  handler(context, { amount, description, expires_at, ...ids }) {
    const before = requireOpen(context, ids)
    const old = openInstruction(context, before)
    const content = { ...old, amount: amount ?? old.amount, description: description ?? old.description }
    const row: InstructionRow = {
      ...before,
      state: requireEnrollment(context, before).type === 'agentic' ? 'ready' : 'approved',
      content: sealContent(context, 'instruction', before.id, content),
      ...(expires_at !== undefined && {
        expires_at: parseExpiresAt(expires_at, context.now, 'expires_at').at,
      }),
    }
    updateInstruction(context.db, row)
    return answerChanged(context, row)
  },
  replay: repeatInstruction,
})

export const remove = defineOperation({
  ...agentic,
  summary: 'Cancel an instruction',
  route: 'DELETE /agentic/agents/{agent_id}/instructions/{id}',
  permission: 'agent:instruction:delete',
  entity: 'instruction',
  input: instructionId,
  output: nothing,
  handler(context, ids) {
    updateInstruction(context.db, { ...requireInstruction(context, ids), state: 'cancelled' })
    return {}
  },
})

export const startVerification = defineOperation({
  ...agentic,
  summary: 'Start the verification of an instruction',
  route: 'POST /agentic/agents/{agent_id}/instructions/{id}/verify',
  permission: 'agent:instruction:verify',
  entity: 'instruction',
  input: instructionVerification,
  output: verification,
  handler(context, { device_context: { platform_type }, ...ids }) {
    const row = stepOn(context, ids, 'start')
    const status = row.state === 'approved' ? 'verified' : 'passkey_required'
    const stored: StoredStart = [ids.agent_id, ids.id, status, platform_type]
    context.storeReplay(stored)
    return presentVerification(context, row, status, platform_type)
  },
  replay(context, [agent_id, id, status, platform]: StoredStart) {
    return presentVerification(context, requireAgain(context, [agent_id, id]), status, platform)
  },
})

export const submitPasskey = defineOperation({
  ...agentic,
  summary: 'Approve an instruction with a passkey; any assurance data is accepted',
  route: 'POST /agentic/agents/{agent_id}/instructions/{id}/verify/passkey',
  permission: 'agent:instruction:verify',
  entity: 'instruction',
  input: passkeyEntry,
  output: instruction,
  handler: (context, ids) => answerChanged(context, stepOn(context, ids, 'passkey')),
  replay: repeatInstruction,
})

export const getCredentials = defineOperation({
  ...agentic,
  summary: 'Get what an agent pays with: made-up values that no network accepts',
  route: 'POST /agentic/agents/{agent_id}/instructions/{id}/credentials',
  permission: 'agent:instruction:credentials',
  entity: 'instruction',
  effect: 'read',
  input: credentialsRequest,
  output: credentials,
  handler(context, { merchant, ...ids }) {
    const row = requireApproved(context, ids)
    if (row.credential_type === 'card' && !merchant && !openInstruction(context, row).merchant)
      throw createInvalidError('merchant', 'is required, because the instruction has none')
    return {
      ...makeCredentials(context, row),
      expires_at: formatEventTime(row.expires_at ?? context.now + CREDENTIALS_LIFETIME_MS),
    }
  },
})

export const confirm = defineOperation({
  ...agentic,
  summary: 'Confirm how a payment went; its record in the log says it',
  route: 'POST /agentic/agents/{agent_id}/instructions/{id}/confirmations',
  permission: 'agent:instruction:credentials',
  entity: 'instruction',
  effect: 'read',
  input: confirmations,
  output: instruction,
  handler(context, { confirmation_data, ...ids }) {
    // Refunds and chargebacks come after the instruction has ended.
    const row = requireInstruction(context, ids)
    if (getInstructionStatus(context, row) === 'pending_verification')
      throw createAgenticError('INSTRUCTION_PENDING_VERIFICATION')
    const outcomes = confirmation_data.map((each) => `${each.transaction_type} ${each.transaction_status}`)
    context.setRecordEntity(row.id, [...new Set(outcomes)].join(', '))
    return toInstruction(context, row)
  },
})

function requireAgent({ db }: Context, agent_id: string): void {
  if (!agentTable.findRow(db, agent_id)) throw createMissingError('agent')
}

/** Returns an enrollment that may pay. Throws `ENROLLMENT_PENDING`, `invalid`. */
function requireActive({ db }: Context, enrollment_id: string): EnrollmentRow {
  const row = enrollmentTable.findRow(db, enrollment_id)
  if (row?.state === 'active') return row
  if (row && toEnrollmentStatus(row.state) === 'pending_verification')
    throw createAgenticError('ENROLLMENT_PENDING')
  throw createInvalidError('enrollment_id', 'must be the id of an active enrollment')
}

function requireEnrollment({ db }: Context, { enrollment_id }: InstructionRow): EnrollmentRow {
  const row = enrollmentTable.findRow(db, enrollment_id)
  if (!row) throw createMissingError('enrollment')
  return row
}

function requireInstruction(context: Context, { agent_id, id }: InstructionIds): InstructionRow {
  context.setRecordEntity(id)
  const row = findInstruction(context.db, agent_id, id)
  if (!row) throw createMissingError('instruction')
  return row
}

/** Returns an instruction that is still in force. Throws `INSTRUCTION_CANCELLED`, `INSTRUCTION_EXPIRED`. */
function requireOpen(context: Context, ids: InstructionIds): InstructionRow {
  const row = requireInstruction(context, ids)
  const status = getInstructionStatus(context, row)
  if (status === 'cancelled') throw createAgenticError('INSTRUCTION_CANCELLED')
  if (status === 'expired') throw createAgenticError('INSTRUCTION_EXPIRED')
  return row
}

function requireApproved(context: Context, ids: InstructionIds): InstructionRow {
  const row = requireOpen(context, ids)
  if (row.state !== 'approved') throw createAgenticError('INSTRUCTION_PENDING_VERIFICATION')
  return row
}

function stepOn(context: Context, ids: InstructionIds, call: 'start' | 'passkey'): InstructionRow {
  const before = requireOpen(context, ids)
  const { scenario } = openEnrollment(context, requireEnrollment(context, before))
  const row = { ...before, state: takeInstructionStep(scenario, before.state, call) }
  updateInstruction(context.db, row)
  return row
}

function answerChanged(context: Context, row: InstructionRow) {
  const stored: StoredIds = [row.agent_id, row.id]
  context.storeReplay(stored)
  return toInstruction(context, row)
}

function requireAgain(context: Context, [agent_id, id]: StoredIds): InstructionRow {
  const row = findInstruction(context.db, agent_id, id)
  if (!row) throw createDeletedSinceError()
  return row
}

function repeatInstruction(context: Context, ids: StoredIds) {
  return toInstruction(context, requireAgain(context, ids))
}

function presentVerification(
  context: Context,
  row: InstructionRow,
  status: VerificationStatus,
  platform: PlatformType,
) {
  const enrollment = requireEnrollment(context, row)
  return toVerification(context, enrollment, openEnrollment(context, enrollment), status, platform)
}

/** Makes what an instruction is paid with. It is the same each time. */
function makeCredentials(context: Context, row: InstructionRow) {
  const { last4 } = openEnrollment(context, requireEnrollment(context, row)).card
  const secret = row.id.slice('ins_'.length)
  const made: Readonly<Record<CredentialType, object>> = {
    card: {
      card: {
        number: `400000100000${last4}`,
        expiration_month: 12,
        expiration_year: new Date(row.created_at).getUTCFullYear() + 3,
        cvc: '123',
      },
    },
    spt: { spt: { id: `spt_${secret}` } },
    mpp: { mpp: { credential: `mpp_${secret}` } },
  }
  return made[row.credential_type]
}
