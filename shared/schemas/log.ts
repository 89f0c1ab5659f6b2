import { z } from 'zod'
import { page, size, start } from './common.ts'
import { moment } from './moment.ts'

/** A record of the log as it is answered (rule O-05). */
const log = z
  .object({
    id: z.string(),
    tenant_id: z.uuid(),
    actor_id: z.string().optional(),
    actor_type: z.string().optional(),
    entity_type: z.string(),
    entity_id: z.string().optional(),
    operation: z.string(),
    status: z.int(),
    message: z.string(),
    trace_id: z.string(),
    duration_ms: z.number(),
    created_at: z.string(),
  })
  .meta({ id: 'Log' })
export type Log = z.output<typeof log>

/** A page of the log: counted where it was asked for by number, and with a cursor to go on from in any case. */
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
  start_date: moment.optional().describe('Only records from this moment on'),
  end_date: moment.optional().describe('Only records from before this moment'),
  start,
  page,
  size,
})
