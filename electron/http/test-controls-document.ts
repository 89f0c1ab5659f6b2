import type { ErrorCode } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import { faultReport, faultRule, faultRules } from '../../shared/schemas/fault.ts'
import { z } from '../../shared/zod.ts'
import { clockChange, trigger } from './test-control-routes.ts'

/** The description of a route that is not an operation. */
export type TestControlRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** The name, in the form of an operation's name: `sandbox.reset`. */
  readonly name: string
  readonly summary: string
  readonly description: string
  /** The permission that a key needs. Without it, the route needs no key. */
  readonly permission?: Permission
  readonly body?: z.ZodType
  readonly example?: Json
  /** The schema of the response. Without it, the response is a 204. */
  readonly output?: z.ZodType
  readonly refusals: readonly ErrorCode[]
}

const inMemory = 'Only for an in-memory vault; otherwise 404.'
const withFaults = 'Only for an in-memory vault, or if the settings allow faults; otherwise 404.'

/** Lists the error codes that all routes in this document share, and `more`. */
function listErrorCodes(...more: ErrorCode[]): ErrorCode[] {
  return [
    'unauthenticated',
    'forbidden',
    'not_found',
    'locked',
    'internal',
    'unavailable',
    'storage_full',
    ...more,
  ]
}
const ofBodies = ['invalid', 'too_large', 'unsupported_media_type'] as const

const reads = { permission: 'tenant:read', refusals: listErrorCodes() } as const
const writes = { permission: 'tenant:update', refusals: listErrorCodes() } as const
const takesBody = { permission: 'tenant:update', refusals: listErrorCodes(...ofBodies) } as const

const clock = z.object({ now: z.string() })
const fault = { name: 'slow', operations: ['tokens.create'], delay_ms: 2000 }

/** The routes of the listener that are not operations, for the OpenAPI document (rule A-16). */
export const testControlsDocument: readonly TestControlRoute[] = [
  {
    method: 'GET',
    path: '/_coffer/health',
    name: 'health.get',
    summary: 'Check that the listener responds and the disk accepts writes',
    description:
      'Needs no key. Responds 200 even while the vault is locked, and 503 with the reason while its files are missing or its disk rejects writes.',
    output: z.object({ status: z.literal('ok') }),
    refusals: ['forbidden', 'unavailable'],
  },
  {
    method: 'GET',
    path: '/_coffer/ready',
    name: 'health.ready',
    summary: 'Check that the vault is open and can be read and written',
    description:
      'Needs no key. Responds 503 with the reason while the vault is locked, its file cannot be read, or its disk rejects writes.',
    output: z.object({ status: z.literal('ready') }),
    refusals: ['forbidden', 'unavailable'],
  },
  {
    method: 'POST',
    path: '/_coffer/reset',
    name: 'sandbox.reset',
    summary: 'Reset the vault to its initial state',
    description: inMemory,
    ...writes,
    refusals: listErrorCodes('conflict'),
  },
  {
    method: 'GET',
    path: '/_coffer/clock',
    name: 'sandbox.getClock',
    summary: 'Read the clock of the vault',
    description: inMemory,
    output: clock,
    ...reads,
  },
  {
    method: 'POST',
    path: '/_coffer/clock',
    name: 'sandbox.setClock',
    summary: 'Set the clock of the vault, or advance it by a number of seconds',
    description: `Anything that has expired by then is removed immediately. ${inMemory}`,
    body: clockChange,
    example: { advance: 3600 },
    output: clock,
    ...takesBody,
  },
  {
    method: 'GET',
    path: '/_coffer/snapshots',
    name: 'sandbox.listSnapshots',
    summary: 'List the snapshots',
    description: inMemory,
    output: z.object({ data: z.array(z.object({ name: z.string(), created_at: z.string() })) }),
    ...reads,
  },
  {
    method: 'PUT',
    path: '/_coffer/snapshots/{name}',
    name: 'sandbox.saveSnapshot',
    summary: 'Save a snapshot under a name',
    description: `Replaces a snapshot with the same name. ${inMemory}`,
    ...writes,
    refusals: listErrorCodes('invalid', 'unprocessable'),
  },
  {
    method: 'POST',
    path: '/_coffer/snapshots/{name}/restore',
    name: 'sandbox.restoreSnapshot',
    summary: 'Restore a snapshot',
    description: inMemory,
    ...writes,
  },
  {
    method: 'GET',
    path: '/_coffer/events',
    name: 'sandbox.listEvents',
    summary: 'List up to 5,000 of the newest events since recording started or was last reset',
    description: `The first call starts recording events, even without a webhook. ${inMemory}`,
    output: z.object({ data: z.array(z.looseObject({ id: z.string(), type: z.string() })) }),
    ...reads,
  },
  {
    method: 'GET',
    path: '/_coffer/webhooks',
    name: 'sandbox.listWebhooks',
    summary: 'List the ids of the webhooks',
    description: 'Calls are not logged, so that programs can poll this route.',
    permission: 'webhooks:read',
    output: z.object({ data: z.array(z.object({ id: z.string() })) }),
    refusals: listErrorCodes(),
  },
  {
    method: 'POST',
    path: '/_coffer/webhooks/trigger',
    name: 'sandbox.triggerEvent',
    summary: 'Send a test event to every webhook subscribed to its type',
    description: 'The ids in the event do not exist in the vault.',
    permission: 'webhooks:update',
    body: trigger,
    example: { type: 'token.created' },
    output: z.object({ webhooks: z.int() }),
    refusals: listErrorCodes(...ofBodies),
  },
  {
    method: 'GET',
    path: '/_coffer/faults',
    name: 'sandbox.listFaults',
    summary: 'List the faults with their hit counts',
    description: withFaults,
    output: faultReport,
    ...reads,
  },
  {
    method: 'PUT',
    path: '/_coffer/faults',
    name: 'sandbox.setFaults',
    summary: 'Replace all faults',
    description: withFaults,
    body: faultRules,
    example: { rules: [fault] },
    output: faultReport,
    ...takesBody,
  },
  {
    method: 'POST',
    path: '/_coffer/faults',
    name: 'sandbox.addFault',
    summary: 'Add a fault, or several as `rules`',
    description: `Replaces a fault with the same name. ${withFaults}`,
    body: z.union([faultRule, faultRules]),
    example: fault,
    output: faultReport,
    ...takesBody,
  },
  {
    method: 'DELETE',
    path: '/_coffer/faults/{name}',
    name: 'sandbox.removeFault',
    summary: 'Remove a fault',
    description: withFaults,
    ...writes,
  },
  {
    method: 'DELETE',
    path: '/_coffer/faults',
    name: 'sandbox.removeFaults',
    summary: 'Remove every fault',
    description: withFaults,
    ...writes,
  },
]
