import { CofferError } from '../../../../shared/errors.ts'
import type { EnrollmentStatus, NextStep } from '../../../../shared/schemas/agentic.ts'
import { type AgenticErrorType, createAgenticError } from './errors.ts'
import type { CardScenario } from './scenarios.ts'

/** How far an enrollment has come. Those between `ready` and `active` are steps of its verification. */
export type EnrollmentState =
  | 'new'
  | 'failed'
  | 'ready'
  | 'challenge'
  | 'otp_sent'
  | 'device_bound'
  | 'redirect_required'
  | 'redirect_approved'
  | 'active'
  | 'deleted'
export type EnrollmentCall =
  | 'create'
  | 'retry'
  | 'start'
  | 'method'
  | 'otp'
  | 'complete'
  | 'approve'
  | 'cancel'

/** The next state, an error, or both. */
type EnrollmentStep = EnrollmentState | { readonly error: AgenticErrorType; readonly next?: EnrollmentState }
type EnrollmentPath = {
  readonly [From in EnrollmentState]?: { readonly [Call in EnrollmentCall]?: EnrollmentStep }
}

const otp: EnrollmentPath = {
  new: { create: 'ready' },
  ready: { start: 'challenge' },
  challenge: { method: 'otp_sent' },
  otp_sent: { method: 'otp_sent', otp: 'device_bound' },
  device_bound: { complete: 'active' },
}
const failing = { error: 'PROVIDER_ENROLLMENT_FAILED' } as const

/** What each call does to an enrollment, by the scenario of its card (rule Z-03). What is missing is out of order. */
const enrollmentPaths: Readonly<Record<CardScenario, EnrollmentPath>> = {
  approved: { new: { create: 'active' } },
  bypass: { new: { create: 'ready' }, ready: { start: 'active' } },
  otp,
  invalid_otp: { ...otp, otp_sent: { method: 'otp_sent', otp: { error: 'INVALID_OTP' } } },
  max_attempts: {
    ...otp,
    otp_sent: { method: 'otp_sent', otp: { error: 'MAX_ATTEMPTS_EXCEEDED', next: 'ready' } },
  },
  redirect: {
    new: { create: 'ready' },
    ready: { start: 'redirect_required' },
    redirect_required: {
      approve: 'redirect_approved',
      cancel: 'ready',
      complete: { error: 'ENROLLMENT_PENDING' },
    },
    redirect_approved: { complete: 'active' },
  },
  rejected: { new: { create: { error: 'CARD_REJECTED' } } },
  fails_once: { ...otp, new: { create: { ...failing, next: 'failed' } }, failed: { retry: 'ready' } },
  fails: { new: { create: { ...failing, next: 'failed' } }, failed: { retry: failing } },
}

/**
 * Returns the next state of an enrollment, and the error that a call nevertheless gets (null without one). Throws the
 * error of a call that changes nothing. `isVerified` is false for the types that need no verification.
 */
export function takeEnrollmentStep(
  scenario: CardScenario,
  isVerified: boolean,
  from: EnrollmentState,
  call: EnrollmentCall,
): { readonly next: EnrollmentState; readonly error: CofferError | null } {
  const usual = enrollmentPaths[scenario][from]?.[call]
  const step = usual === 'ready' && !isVerified ? 'active' : usual
  if (typeof step === 'string') return { next: step, error: null }
  if (step?.next) return { next: step.next, error: createAgenticError(step.error, { keeps_writes: true }) }
  if (step) throw createAgenticError(step.error)
  if (call === 'start' && from === 'active') throw createAgenticError('VERIFICATION_NOT_REQUIRED')
  if (call === 'start' && isRunning(from)) {
    throw new CofferError(
      'conflict',
      'A verification of this enrollment is in progress. Complete it, or wait until it expires.',
    )
  }
  throw createAgenticError('VERIFICATION_STATE_INVALID', { detail: adviseOn(from) })
}

/** Whether an enrollment is in the middle of its verification. */
export function isRunning(state: EnrollmentState): boolean {
  return toEnrollmentStatus(state) === 'pending_verification' && state !== 'ready'
}

export function toEnrollmentStatus(state: EnrollmentState): EnrollmentStatus {
  return state === 'active' || state === 'failed' || state === 'deleted' ? state : 'pending_verification'
}

const nextSteps: Readonly<Record<EnrollmentState, NextStep>> = {
  new: 'none',
  failed: 'retry',
  ready: 'start',
  challenge: 'method',
  otp_sent: 'otp',
  device_bound: 'complete',
  redirect_required: 'page',
  redirect_approved: 'complete',
  active: 'none',
  deleted: 'none',
}

/** Returns what a program or a person has to do next for an enrollment. */
export function getNextStep(state: EnrollmentState): NextStep {
  return nextSteps[state]
}

const stepTexts: Readonly<Record<Exclude<NextStep, 'none'>, string>> = {
  retry: 'retry the enrollment',
  start: 'start the verification',
  method: 'choose a method',
  otp: 'submit the code',
  complete: 'complete the verification',
  page: 'answer on the page of the network',
}

/** Says what to do instead of a call that is out of order. */
function adviseOn(state: EnrollmentState): string {
  const step = nextSteps[state]
  if (step !== 'none') return adviseStep(step)
  return state === 'deleted'
    ? 'The enrollment is deleted. Create another enrollment.'
    : 'The enrollment is already active.'
}

function adviseStep(step: keyof typeof stepTexts): string {
  return `This call is out of order. The next step is to ${stepTexts[step]}.`
}

export type InstructionState = 'ready' | 'passkey_required' | 'approved' | 'cancelled'
type InstructionCall = 'start' | 'passkey'
type InstructionPath = {
  readonly [From in InstructionState]?: { readonly [Name in InstructionCall]?: InstructionState }
}

const direct: InstructionPath = { ready: { start: 'approved' } }
const passkey: InstructionPath = {
  ready: { start: 'passkey_required' },
  passkey_required: { start: 'passkey_required', passkey: 'approved' },
}

/** Returns the state of an instruction after a call. Throws the error of a call that is out of order. */
export function takeInstructionStep(
  scenario: CardScenario,
  from: InstructionState,
  call: InstructionCall,
): InstructionState {
  const path = scenario === 'approved' || scenario === 'bypass' ? direct : passkey
  const step = path[from]?.[call]
  if (step === undefined)
    throw createAgenticError('VERIFICATION_STATE_INVALID', {
      detail: from === 'approved' ? 'The instruction is already approved.' : adviseStep('start'),
    })
  return step
}
