import { CofferError, type ErrorCode } from '../../../../shared/errors.ts'

type AgenticError = readonly [title: string, detail: string, code?: ErrorCode]

/** The errors that the hosted service names for agentic payments, by their `type` (rule Z-03). */
const agenticErrors = {
  INVALID_TOKEN: [
    'Invalid or inaccessible Basis Theory token',
    'token_id must be the id of a token of type card that this application may use.',
  ],
  UNSUPPORTED_PROVIDER: ['Card brand not supported', 'Use a card of Visa or Mastercard.'],
  AGENT_ENROLLMENT_LIMIT: [
    'Agent has reached the maximum number of enrollments (50)',
    'Remove enrollments from the agent first.',
  ],
  ENROLLMENT_PENDING: [
    'Enrollment is pending cardholder approval',
    'Verify the cardholder of this enrollment first.',
  ],
  INSTRUCTION_PENDING_VERIFICATION: [
    'Instruction requires verification before credentials can be retrieved',
    'Verify this instruction first.',
  ],
  INSTRUCTION_CANCELLED: ['Instruction has been cancelled', 'Create another instruction.'],
  INSTRUCTION_EXPIRED: ['Instruction has expired', 'Create another instruction.'],
  VERIFICATION_NOT_REQUIRED: [
    'Enrollment does not require verification',
    'The enrollment is already active.',
  ],
  VERIFICATION_STATE_INVALID: [
    'Verification state is invalid for this operation',
    'This call is out of order.',
  ],
  INVALID_OTP: ['The OTP code is invalid or expired', 'Enter another code.'],
  OTP_EXPIRED: ['OTP code expired, please request a new code', 'Start the verification again.'],
  MAX_ATTEMPTS_EXCEEDED: [
    'Too many failed attempts, please restart verification',
    'Start the verification again.',
  ],
  CARD_REJECTED: ['Card was rejected', 'This test card is always rejected.', 'unprocessable'],
  PROVIDER_ENROLLMENT_FAILED: [
    'Card enrollment failed at provider',
    'The enrollment is kept with the status failed. Retry it.',
    'unprocessable',
  ],
} as const satisfies Readonly<Record<string, AgenticError>>

export type AgenticErrorType = keyof typeof agenticErrors

/** What the operations of agentic payments have in common: how their validation errors are named. */
export const agentic = {
  invalidAs: { type: 'VALIDATION_ERROR', title: 'Request validation failed' },
} as const

type AgenticErrorOptions = { readonly keeps_writes?: boolean; readonly detail?: string }

/**
 * Returns the error of this type. With `keeps_writes`, what the call has written stays. `detail` says more than that of
 * the type.
 */
export function createAgenticError(
  type: AgenticErrorType,
  { keeps_writes, detail }: AgenticErrorOptions = {},
): CofferError {
  const [title, usual, code = 'invalid']: AgenticError = agenticErrors[type]
  return new CofferError(code, detail ?? usual, { type, title, keeps_writes })
}

/** Returns the error for the page of a network that is not open, or never was. */
export function createClosedPageError(): CofferError {
  return new CofferError(
    'not_found',
    'This page is closed. It stays open for 15 minutes, or until the cardholder answers. If the card is not confirmed yet, start its verification again.',
  )
}
