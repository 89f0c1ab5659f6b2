import { z } from 'zod'
import { page, sizeUpTo, start } from './common.ts'
import { moment } from './moment.ts'

/** A record of the log as it is returned (rule O-05). */
const log = z
  .object({
    id: z.string(),
    tenant_id: z.uuid(),
    actor_id: z.string().optional(),
    actor_type: z.string().optional(),
    entity_type: z.string(),
    entity_id: z.string().optional(),
    operation: z.string(),
    method: z.string().optional().describe('The method of a request to the listener'),
    path: z.string().optional().describe('The path of a request to the listener, without its query'),
    key_hint: z.string().optional().describe('The last four characters of the key that was used'),
    status: z.int(),
    code: z.string().optional().describe('The code of a refusal'),
    message: z.string(),
    note: z.string().optional().describe('How access was decided, or what was refused'),
    trace_id: z.string(),
    duration_ms: z.number(),
    created_at: z.string(),
  })
  .meta({ id: 'Log' })
export type Log = z.output<typeof log>

/** A record as the owner sees it: with the refusal that the caller received. */
export const fullLog = z.object({
  ...log.shape,
  /** The entities of a record about several, at most a hundred. */
  entity_ids: z.array(z.string()),
  detail: z.string().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  missing: z
    .object({ permissions: z.array(z.string()), containers: z.array(z.string()).optional() })
    .optional(),
  /** The application whose key the owner looked through. */
  looked_as: z.string().optional(),
})
export type FullLog = z.output<typeof fullLog>

/**
 * A page of the log. It has a total if it was requested by number and the total is known, and a cursor for the next
 * page in any case.
 */
export const logPage = z.object({
  pagination: z.object({
    total_items: z.int().optional(),
    page_number: z.int().optional(),
    page_size: z.int(),
    total_pages: z.int().optional(),
    next: z.string().optional(),
  }),
  data: z.array(log),
})

export const logQuery = z.strictObject({
  entity_type: z.string().max(100).optional(),
  entity_id: z.string().max(400).optional(),
  start_date: moment.optional().describe('Only records at or after this moment'),
  end_date: moment.optional().describe('Only records before this moment'),
  status: z
    .string()
    .regex(/^[1-5](xx|\d\d)$/, 'must be a status such as 404, or a class such as 4xx')
    .optional()
    .describe('A status such as 404, or a class such as 4xx'),
  operation: z.string().min(1).max(100).optional().describe('Such as tokens.create'),
  actor_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The id of an application or session; owner, vault, cardholder or unknown for records without one',
    ),
  trace_id: z.string().min(1).max(200).optional().describe('As SVC-TRACE-ID answered it'),
  q: z
    .string()
    .min(1)
    .max(400)
    .optional()
    .describe(
      'A status or class of them, a part of the name of the operation, or the beginning of a trace id, entity id or actor id',
    ),
  start,
  page,
  size: sizeUpTo(5000),
})
