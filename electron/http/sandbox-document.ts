import { z } from 'zod'
import type { ErrorCode } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import { faultReport, faultRule, faultRules } from '../../shared/schemas/fault.ts'
import { clockChange } from './sandbox-routes.ts'

/** How a route of the listener that is no operation is described. */
export type SandboxRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** As an operation is named: `sandbox.reset`. */
  readonly name: string
  readonly summary: string
  readonly description: string
  /** None: no key is needed. */
  readonly permission?: Permission
  readonly body?: z.ZodType
  readonly example?: Json
  /** None: 204. */
  readonly output?: z.ZodType
  readonly refusals: readonly ErrorCode[]
}

const inMemory = 'For a vault in memory; 404 for any other.'
const withFaults = 'For a vault in memory, or where the settings allow faults; 404 for any other.'

/** What each of them can refuse; `more` is its own. */
function refusals(...more: ErrorCode[]): ErrorCode[] {
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

const reads = { permission: 'tenant:read', refusals: refusals() } as const
const writes = { permission: 'tenant:update', refusals: refusals() } as const
const takesBody = { permission: 'tenant:update', refusals: refusals(...ofBodies) } as const

const clock = z.object({ now: z.string() })
const fault = { name: 'slow', operations: ['tokens.create'], delay_ms: 2000 }

/** What the listener answers beside the operations of the interface (rule A-16). */
export const sandboxDocument: readonly SandboxRoute[] = [
  {
    method: 'GET',
    path: '/_coffer/health',
    name: 'health.get',
    summary: 'Say that the listener answers',
    description: 'For anyone, also while the vault is locked.',
    output: z.object({ status: z.literal('ok') }),
    refusals: ['forbidden'],
  },
  {
    method: 'POST',
    path: '/_coffer/reset',
    name: 'sandbox.reset',
    summary: 'Put everything back as it was when the vault was ready',
    description: inMemory,
    ...writes,
    refusals: refusals('conflict'),
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
    summary: 'Set the clock of the vault, or advance it by seconds',
    description: `What has expired by then is removed at once. ${inMemory}`,
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
    summary: 'Keep the vault as it is under a name',
    description: `It takes the place of a snapshot of that name. ${inMemory}`,
    ...writes,
    refusals: refusals('invalid', 'unprocessable'),
  },
  {
    method: 'POST',
    path: '/_coffer/snapshots/{name}/restore',
    name: 'sandbox.restoreSnapshot',
    summary: 'Put the vault back to a snapshot',
    description: inMemory,
    ...writes,
  },
  {
    method: 'GET',
    path: '/_coffer/faults',
    name: 'sandbox.listFaults',
    summary: 'List the faults that are set, and how often each has hit',
    description: withFaults,
    output: faultReport,
    ...reads,
  },
  {
    method: 'PUT',
    path: '/_coffer/faults',
    name: 'sandbox.setFaults',
    summary: 'Set faults in the place of all others',
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
    description: `It takes the place of a fault of its name. ${withFaults}`,
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
