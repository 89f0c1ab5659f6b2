import { createInvalidError } from '../../../../shared/errors.ts'
import {
  enrollmentVerification,
  methodChoice,
  otpEntry,
  type VerificationStatus,
  verification,
  verificationEnd,
  verificationStatuses,
} from '../../../../shared/schemas/agentic.ts'
import type { Context } from '../../pipeline/context.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { openEnrollment } from './content.ts'
import { stepOn, storedEnrollment } from './enrollments.ts'
import { agentic } from './errors.ts'
import { getState, METHOD_ID, toVerification } from './present.ts'

type StoredStep = readonly [id: string, status: VerificationStatus]

const step = {
  ...agentic,
  permission: 'enrollment:verify',
  entity: 'enrollment',
  output: verification,
  replay(context: Context, [id, status]: StoredStep) {
    const row = storedEnrollment.requireAgain(context, id)
    // With the enrollment, the address of the cardholder is gone; and the page of a network does not stay open.
    const isGone = status === 'redirect_required' && getState(row, context.now) !== status
    if (isGone || row.state === 'deleted') throw createDeletedSinceError()
    return toVerification(context, row, openEnrollment(context, row), status)
  },
} as const

function answerStep(context: Context, id: string, call: 'start' | 'method' | 'otp' | 'complete') {
  const { row, content } = stepOn(context, id, call)
  // A step has the name of its status; an enrollment that is active has passed.
  const passed = call === 'start' ? 'approved' : 'verified'
  const status = verificationStatuses.find((each) => each === row.state) ?? passed
  const stored: StoredStep = [id, status]
  context.storeReplay(stored)
  return toVerification(context, row, content, status)
}

export const startVerification = defineOperation({
  ...step,
  summary: 'Start the verification of the cardholder of an enrollment',
  route: 'POST /agentic/enrollments/{id}/verify',
  input: enrollmentVerification,
  handler: (context, { id }) => answerStep(context, id, 'start'),
})

export const selectMethod = defineOperation({
  ...step,
  summary: 'Choose how the code reaches the cardholder; no code is sent',
  route: 'POST /agentic/enrollments/{id}/verify/method',
  input: methodChoice,
  handler(context, { id, method_id }) {
    if (method_id !== METHOD_ID)
      throw createInvalidError('method_id', 'must be the id of a method of the start')
    return answerStep(context, id, 'method')
  },
})

export const submitOtp = defineOperation({
  ...step,
  summary: 'Submit the code of a cardholder; any code is accepted, unless the test card refuses all',
  route: 'POST /agentic/enrollments/{id}/verify/otp',
  input: otpEntry,
  handler: (context, { id }) => answerStep(context, id, 'otp'),
})

export const completeVerification = defineOperation({
  ...step,
  summary: 'Complete the verification of an enrollment, which is active then',
  route: 'POST /agentic/enrollments/{id}/verify/complete',
  bodyless: true,
  input: verificationEnd,
  handler: (context, { id }) => answerStep(context, id, 'complete'),
})
