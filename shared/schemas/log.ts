import { conditionsOn } from '../conditions.ts'
import { createdTogether } from '../find.ts'
import { z } from '../zod.ts'
import { nameObject, page, pageSizeUpTo, removedField, start } from './common.ts'
import { moment } from './moment.ts'

/** What actions do, in the words of the hosted service. It documents all but `invoke`. */
const logOperation = z.enum(['create', 'read', 'update', 'delete', 'invoke'])
export type LogOperation = z.output<typeof logOperation>

/** A log record in a response (rule O-05). */
const log = nameObject('Log', {
  id: z.string(),
  tenant_id: z.uuid(),
  actor_id: z.string().optional(),
  actor_type: z.string().optional(),
  entity_type: z.string(),
  entity_id: z.string().optional(),
  operation: logOperation,
  action: z.string().describe('The full name, such as tokens.create'),
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
export type LogObject = z.output<typeof log>

/** A log record in the owner's list: also has the program, the sizes, and the error that the caller received. */
const ownerLog = z.object({
  ...log.shape,
  /** The program, according to its user agent. */
  agent: z.string().optional(),
  request_bytes: z.int().optional(),
  /** Absent if unknown, such as for a streamed response. */
  answer_bytes: z.int().optional(),
  detail: z.string().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})
export type OwnerLog = z.output<typeof ownerLog>

/** A complete log record, for the owner. */
export const fullLog = z.object({
  ...ownerLog.shape,
  /** The ids of at most 100 entities, if the record concerns several. */
  entity_ids: z.array(z.string()),
  /** The created tokens, if there are too many to list their ids. */
  created: createdTogether.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Parameters by name; null for a value that was not stored. */
  query: z.record(z.string(), z.string().nullable()).optional(),
  missing: z
    .object({ permissions: z.array(z.string()), containers: z.array(z.string()).optional() })
    .optional(),
  /** The application, if the owner was viewing as one. */
  looked_as: z.string().optional(),
  /** The unknown members that were ignored, each with the known name that may have been meant. */
  ignored: z.array(z.string()).optional(),
})
export type FullLog = z.output<typeof fullLog>

const pagination = z.object({
  total_items: z.int().optional(),
  page_number: z.int().optional(),
  page_size: z.int(),
  total_pages: z.int().optional(),
  next: z.string().optional(),
})

/**
 * A page of the log. It has a total if the page was requested by number and the total is known. Unless it is the last
 * page, it has a cursor for the next one.
 */
export const logPage = z.object({ pagination, data: z.array(log) })

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
  action: z.string().min(1).max(100).optional().describe('An action, such as tokens.create'),
  // SECURITY: ignoring the earlier name of the filter would widen a list.
  operation: removedField('is no filter; use action, such as action=tokens.create'),
  actor_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The id of an application or session; owner, vault, cardholder or unknown for records without one',
    ),
  trace_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The trace id that the response had in SVC-TRACE-ID'),
  q: z
    .string()
    .min(1)
    .max(400)
    .optional()
    .describe(
      'A status, a status class, part of the name of an action, or the beginning of a trace id, entity id or actor id',
    ),
  start,
  page,
  size: pageSizeUpTo(5000),
})

export const ownerLogPage = z.object({ pagination, data: z.array(ownerLog) })

const filters = logQuery.omit({ start: true, page: true, size: true }).shape

/** The fields of a record that the owner's lists filter by. `app` is the caller, and `program` its user agent. */
export const logFields = [
  'status',
  'app',
  'method',
  'path',
  'took',
  'program',
  'action',
  'about',
  'decision',
  'size',
  'key',
  'id',
  'trace',
] as const
export type LogField = (typeof logFields)[number]

const where = conditionsOn(logFields)

export const ownerLogQuery = z.strictObject({ ...logQuery.shape, where })

/** The position in the log where counting continues. */
const before = z.int().positive().optional()

export const logTimelineQuery = z.strictObject({
  ...filters,
  where,
  /** The maximum number of spans. */
  spans: z.int().min(1).max(500).default(80),
  /** The length of a span in ms. To continue counting, pass the length from the first response. */
  step_ms: z.int().min(1000).optional(),
  before,
})

/** The number of records over time. A response may count a part of the log; the total is the sum of all. */
export const logTimeline = z.object({
  /** The start of the first span. */
  from: z.string(),
  until: z.string(),
  step_ms: z.int(),
  /** Spans with records, oldest first. */
  spans: z.array(z.object({ at: z.string(), done: z.int(), refused: z.int(), failed: z.int() })),
  /** To continue, pass this as `before`, with `step_ms` and `from`; null if everything was counted. */
  next: z.int().nullable(),
})
export type LogTimeline = z.output<typeof logTimeline>

export const logProgramsQuery = z.strictObject({ ...filters, where, before })

/** The number of records of each program. A response may count a part of the log; the total is the sum of all. */
export const logPrograms = z.object({
  data: z.array(
    z.object({
      /** The id of an application, session or proxy; the kind of actor for records without an id. */
      actor: z.string(),
      actor_type: z.string(),
      agent: z.string(),
      records: z.int(),
      refused: z.int(),
    }),
  ),
  next: z.int().nullable(),
})
export type LogPrograms = z.output<typeof logPrograms>
