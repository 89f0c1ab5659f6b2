import {
  type AgenticPageContent,
  agenticPageContent,
  pageAnswer,
  pageKey,
} from '../../../../shared/schemas/agentic.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { openEnrollment } from './content.ts'
import { stepOn } from './enrollments.ts'
import { createClosedPageError } from './errors.ts'
import { getState } from './present.ts'
import { type EnrollmentRow, findRedirect } from './store.ts'

const page = { permission: 'cardholder', entity: 'enrollment', output: agenticPageContent } as const

export const showRedirect = defineOperation({
  ...page,
  summary: 'Show the page of a network to the cardholder of an enrollment',
  input: pageKey,
  handler: (context, { key }) => toPage(context, requireRedirect(context, key)),
})

export const answerRedirect = defineOperation({
  ...page,
  summary: 'Approve or cancel an enrollment on the page of a network',
  effect: 'write',
  input: pageAnswer,
  handler(context, { key, choice }) {
    const before = requireRedirect(context, key)
    // A double click answers twice, and the browser shows the second response.
    if (before.state === 'redirect_approved') return toPage(context, before)
    return toPage(context, stepOn(context, before.id, choice).row)
  },
})

/** Returns the enrollment whose page is open, by the key of the page. Throws `not_found`. */
function requireRedirect(context: Context, key: string): EnrollmentRow {
  const row = findRedirect(context.db, key)
  if (!row || getState(row, context.now) !== row.state) throw createClosedPageError()
  context.setRecordEntity(row.id)
  return row
}

function toPage(context: Context, row: EnrollmentRow): AgenticPageContent {
  const { brand } = openEnrollment(context, row).card
  const answered = row.state === 'redirect_approved' ? 'approved' : 'cancelled'
  return {
    wallet_name: row.wallet_name,
    brand,
    state: row.state === 'redirect_required' ? 'waiting' : answered,
  }
}
