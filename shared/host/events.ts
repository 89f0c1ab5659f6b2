import type { EntityChange } from '../entity-changes.ts'
import { z } from '../zod.ts'
import type { HostStatus } from './status.ts'

/** A log record, as pushed to the window. */
const logEntry = z.object({
  id: z.string(),
  actor_type: z.string(),
  actor_id: z.string().nullable(),
  operation: z.string(),
  entity_type: z.string(),
  entity_id: z.string().nullable(),
  status: z.int(),
  /** How access was decided, or which members were refused. Contains no data. */
  note: z.string().nullable(),
  trace_id: z.string(),
  duration_ms: z.number(),
  created_at: z.string(),
})
export type LogEntry = z.output<typeof logEntry>

/** The host's jobs, by the name that progress events report and `cancel` takes. */
export const jobNames = [
  'create vault',
  'backup',
  'verify',
  'restore',
  'rotate data key',
  'rotate master',
  'import',
  'export',
  'selected tokens',
  'conform',
] as const
export type JobName = (typeof jobNames)[number]

/** What the host pushes to the window. */
export type HostEvent =
  | { readonly type: 'status'; readonly status: HostStatus }
  | { readonly type: 'log'; readonly records: readonly LogEntry[] }
  | { readonly type: 'changes'; readonly changes: readonly EntityChange[] }
  | {
      readonly type: 'progress'
      /** `sample data` is a part of `create vault`. */
      readonly job: JobName | 'sample data'
      readonly done: number
      readonly total: number
    }
  | { readonly type: 'ended'; readonly job: JobName }
  /** Programs have come to the hosted names. */
  | { readonly type: 'connections' }
