import type {
  agent,
  enrollment,
  InstructionStatus,
  instruction,
  PlatformType,
  Verification,
  VerificationStatus,
} from '../../../../shared/schemas/agentic.ts'
import { formatEventTime } from '../../../../shared/time.ts'
import type { z } from '../../../../shared/zod.ts'
import type { Context } from '../../pipeline/context.ts'
import { readCursorPage } from '../crud.ts'
import { type EnrollmentContent, openEnrollment, openInstruction } from './content.ts'
import { type EnrollmentState, isRunning, toEnrollmentStatus } from './steps.ts'
import {
  type AgentRow,
  type EnrollmentRow,
  enrollmentTable,
  type InstructionRow,
  listAgentIds,
  listEnrollmentIds,
} from './store.ts'

/** How long a verification may take. */
const VERIFICATION_MS = 15 * 60 * 1000

/**
 * Returns the state of an enrollment: a verification that takes too long starts anew, and so does one from before the
 * clock was set back (case X-27).
 */
export function getState({ state, stepped_at }: EnrollmentRow, now: number): EnrollmentState {
  return isRunning(state) && Math.abs(now - stepped_at) >= VERIFICATION_MS ? 'ready' : state
}

/** What stands for the picture of a card, in the colour of its network. */
const displays = {
  visa: toDisplay('#1a1f71', 'VISA'),
  mastercard: toDisplay('#eb001b', 'Mastercard'),
} as const

function toDisplay(background_color: string, name: string) {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 86 54"><rect width="86" height="54" rx="4" fill="${background_color}"/><text x="43" y="32" fill="#fff" font-family="sans-serif" font-size="13" text-anchor="middle">${name}</text></svg>`
  return { art_url: `data:image/svg+xml,${encodeURIComponent(picture)}`, background_color }
}

export function toAgent({ db }: Context, row: AgentRow): z.input<typeof agent> {
  return { ...toAgentWithoutIds(row), enrollment_ids: listEnrollmentIds(db, row.id) }
}

export function toAgentWithoutIds({ id, name, instance_details, created_at }: AgentRow) {
  return {
    id,
    name,
    status: 'active' as const,
    ...(instance_details !== null && { instance_details: JSON.parse(instance_details) }),
    created_at: formatEventTime(created_at),
  }
}

/** Returns an enrollment in the format of the API (rule Z-03). */
export function toEnrollment(context: Context, row: EnrollmentRow): z.input<typeof enrollment> {
  return { ...toEnrollmentWithoutIds(context, row), agent_ids: listAgentIds(context.db, row.id) }
}

export function toEnrollmentWithoutIds(context: Context, row: EnrollmentRow) {
  const { id, token_id, provider, state, wallet_name, type, created_at } = row
  const { card } = openEnrollment(context, row)
  return {
    id,
    token_id,
    provider,
    status: toEnrollmentStatus(state),
    card: { ...card, display: displays[card.brand] },
    wallet_name,
    type,
    created_at: formatEventTime(created_at),
  }
}

/** Returns the status of an instruction: it ends with its enrollment, and at its time. */
export function getInstructionStatus(
  { db, now }: Context,
  { state, enrollment_id, expires_at }: InstructionRow,
): InstructionStatus {
  if (state === 'cancelled' || enrollmentTable.findRow(db, enrollment_id)?.state === 'deleted')
    return 'cancelled'
  if (expires_at !== null && expires_at <= now) return 'expired'
  return state === 'approved' ? 'approved' : 'pending_verification'
}

/** Returns an instruction in the format of the API (rule Z-03). */
export function toInstruction(context: Context, row: InstructionRow): z.input<typeof instruction> {
  const { id, enrollment_id, credential_type, expires_at, created_at } = row
  const { amount, description, recurring } = openInstruction(context, row)
  return {
    id,
    enrollment_id,
    status: getInstructionStatus(context, row),
    type: enrollmentTable.findRow(context.db, enrollment_id)?.type ?? 'agentic',
    credential_type,
    amount,
    ...(description !== undefined && { description }),
    ...(expires_at !== null && { expires_at: formatEventTime(expires_at) }),
    ...(recurring && { recurring }),
    created_at: formatEventTime(created_at),
  }
}

/** The only way in which a code is sent. */
export const METHOD_ID = 'email'

/** Returns how far a verification has come, and what its next step needs (rule Z-03). */
export function toVerification(
  { base_url }: Context,
  row: EnrollmentRow,
  { card, email = '' }: EnrollmentContent,
  status: VerificationStatus,
  platform_type: PlatformType = 'WEB',
): Verification {
  const { redirect_key, stepped_at } = row
  const toPasskey = (action: 'REGISTER' | 'AUTHENTICATE') => ({
    // Nothing is there. Coffer asks no authenticator, and accepts any `assurance_data`.
    endpoint: 'https://passkey.coffer.test',
    identifier: row.id,
    payload: Buffer.from(row.id).toString('base64url'),
    action,
    platform_type,
    auth_preferences: { response_mode: 'com_visa_web_message', response_type: 'code' },
    display_context: { card_last4: card.last4, card_brand: card.brand },
  })
  return {
    status,
    brand: card.brand,
    ...(status === 'challenge' && { methods: [{ id: METHOD_ID, type: 'EMAIL', value: maskEmail(email) }] }),
    ...(status === 'device_bound' && { passkey_context: toPasskey('REGISTER') }),
    ...(status === 'passkey_required' && { passkey_context: toPasskey('AUTHENTICATE') }),
    ...(status === 'redirect_required' && {
      redirect: {
        uri: `${base_url}/agentic/pages/${redirect_key}`,
        uri_type: 'WEB_URI',
        expires_at: formatEventTime(stepped_at + VERIFICATION_MS),
      },
    }),
  }
}

/** SECURITY: who verifies a cardholder may have a public key, so the address is not shown. */
function maskEmail(email: string): string {
  return email.replace(/^(.).*@/, '$1***@')
}

type PagePosition = { readonly limit: number; readonly cursor?: string | undefined }

/** Reads one page of a list, newest first, in the format of agentic payments. Throws `invalid` for a cursor of another. */
export function readPage<Row extends { readonly seq: number }, Shown>(
  context: Context,
  { limit, cursor }: PagePosition,
  scope: string,
  list: (limit: number, before: number | null) => readonly Row[],
  present: (row: Row) => Shown,
) {
  const words = { name: 'cursor', hint: 'pass pagination.next_cursor' }
  const position = { start: cursor, size: limit }
  const { data, pagination } = readCursorPage(context, position, scope, list, present, words)
  const { next: next_cursor } = pagination
  return { data, pagination: { ...(next_cursor && { next_cursor }), has_more: next_cursor !== undefined } }
}
