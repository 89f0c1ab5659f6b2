import { randomUUID } from 'node:crypto'
import type { Context } from '../../pipeline/context.ts'
import { defineResource } from '../crud.ts'
import { type EnrollmentContent, openEnrollment } from './content.ts'
import { createAgenticError } from './errors.ts'
import { getState, toEnrollment } from './present.ts'
import { type EnrollmentCall, type EnrollmentState, takeEnrollmentStep } from './steps.ts'
import { type EnrollmentRow, enrollmentTable } from './store.ts'

/** Finds and presents enrollments. */
export const storedEnrollment = defineResource('enrollment', enrollmentTable.findRow, toEnrollment)

/**
 * Takes an enrollment to the state after a call. Throws `not_found`, and the error of a call that is out of order or
 * that the scenario of its card refuses.
 */
export function stepOn(
  context: Context,
  id: string,
  call: EnrollmentCall,
): { row: EnrollmentRow; content: EnrollmentContent } {
  const before = storedEnrollment.requireRow(context, id)
  const content = openEnrollment(context, before)
  const from = getState(before, context.now)
  if (from === 'ready' && before.state === 'otp_sent' && call !== 'start')
    throw createAgenticError('OTP_EXPIRED')
  const { next, error } = takeEnrollmentStep(content.scenario, before.type === 'agentic', from, call)
  const redirect_key = getRedirectKey(before, next)
  const row = { ...before, state: next, stepped_at: context.now, redirect_key }
  enrollmentTable.updateRow(context.db, row)
  if (error) throw error
  return { row, content }
}

/** Returns the key of the page of a network: a new one, or the same for the page that says what was answered. */
function getRedirectKey({ redirect_key }: EnrollmentRow, next: EnrollmentState): string | null {
  if (next === 'redirect_required') return randomUUID()
  return next === 'redirect_approved' ? redirect_key : null
}
