import { z } from '../zod.ts'

/** A place where an answer is not what was expected. Without keys and ids. */
const answerDifference = z.strictObject({ at: z.string(), expected: z.string(), received: z.string() })

const statementOutcome = z.strictObject({
  area: z.string(),
  rule: z.string(),
  says: z.string(),
  source: z.string(),
  /** Whether the documents are silent, and the expectation is Coffer's own decision. */
  decision: z.boolean(),
  result: z.enum(['holds', 'differs', 'unanswered', 'skipped']),
  /** Why there was no answer, or why the statement was skipped. */
  reason: z.string().optional(),
  /** The request whose answer differs. */
  request: z.string().optional(),
  differences: z.array(answerDifference),
})
export type StatementOutcome = z.output<typeof statementOutcome>

/** What a run of statements has found. It contains neither keys nor ids, so that it can be sent to others. */
export const conformReport = z.strictObject({
  server: z.string(),
  /** What the two sides of each difference are. */
  sides: z.strictObject({ expected: z.string(), received: z.string() }),
  started_at: z.string(),
  seconds: z.number(),
  requests: z.int(),
  /** How many resources could not be deleted. The next run tries again. */
  left: z.int(),
  outcomes: z.array(statementOutcome),
})
export type ConformReport = z.output<typeof conformReport>
