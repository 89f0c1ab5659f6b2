import { z } from '../zod.ts'
import { createdId, json, nameObject, offsetPage, optionalField, page, removedField, size } from './common.ts'
import { application, configuration, configurationPatch } from './configured.ts'
import {
  callableState,
  reactorRuntime,
  reactorRuntimePatch,
  requestedError,
  storedReactorRuntime,
} from './runtime.ts'

/** The maximum number of characters of code (rule F-01). */
const MAX_CODE_LENGTH = 50_000

const name = z.string().min(1).max(200)
const code = z
  .string()
  .min(1)
  .refine(
    (text) => Array.from(text).length <= MAX_CODE_LENGTH,
    `must have at most ${MAX_CODE_LENGTH} characters`,
  )
  .meta({ documented: { type: 'string', minLength: 1, maxLength: MAX_CODE_LENGTH } })

const formula = removedField('is no longer supported; use code')

export const newReactor = z.strictObject({
  name,
  code,
  application: optionalField(application),
  configuration: optionalField(configuration),
  runtime: optionalField(reactorRuntime),
  formula,
})
export type NewReactor = z.output<typeof newReactor>

export const reactorUpdate = newReactor.extend({ id: createdId })

/** A merge patch of a reactor: null resets a member. */
export const reactorPatch = z.strictObject({
  id: createdId,
  name: name.optional(),
  code: code.optional(),
  application: application.nullable().optional(),
  configuration: configurationPatch.nullable().optional(),
  runtime: reactorRuntimePatch.nullable().optional(),
  formula,
})

/** What a reactor was asked to be, while packages of its runtime are not installed (rule F-03). */
const requestedReactor = nameObject('RequestedReactor', {
  reactor: z.object({
    code: z.string(),
    configuration: z.record(z.string(), z.string()),
    runtime: storedReactorRuntime.optional(),
  }),
  ...requestedError,
})

/** A reactor (rule F-01). */
export const reactor = nameObject('Reactor', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  name: z.string(),
  code: z.string(),
  state: callableState,
  application: z.object({ id: z.string() }).optional(),
  configuration: z.record(z.string(), z.string()),
  runtime: storedReactorRuntime.optional(),
  requested: requestedReactor.optional(),
  created_by: z.string().optional(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
})
export type ReactorObject = z.output<typeof reactor>

/** The body of a call of code in node-bt. */
export const reactRequest = z.strictObject({
  args: optionalField(json).describe('What the code gets as `req.args`, with expressions'),
  callback_url: removedField('is no longer supported; use react-async and a webhook of its event'),
})

/** A call of a reactor. Only its runtime decides what the body may be (rule F-03). */
export const invocation = z.strictObject({
  id: createdId,
  payload: json.optional().meta({
    documented: {
      description: 'In node-bt, `args`. In node22, any JSON, which the code gets as `event.req`',
      properties: { args: { description: 'What code in node-bt gets as `req.args`, with expressions' } },
    },
  }),
})

/** The response of a reactor: `raw` as the code returned it, and the tokens it created (rule F-03). */
export const reactResponse = nameObject('ReactResponse', {
  raw: json.optional(),
  tokens: json.optional(),
  body: json.optional(),
  headers: json.optional(),
})
export type ReactResult = z.output<typeof reactResponse>

export const asyncReactResponse = nameObject('AsyncReactResponse', { asyncReactorRequestId: z.uuid() })

export const pendingResult = nameObject('AsyncReactorPendingResult', { status: z.literal('pending') })

/** The position of an error in code. */
const place = z.object({ line: z.int(), column: z.int() })

/** Why a run failed: the error that the caller received, and the position in the code, if known. */
const runProblem = z.object({ status: z.int(), detail: z.string(), place: place.optional() })

const runSummary = z.object({
  id: z.string(),
  /** The trace id of the run's log records. */
  trace_id: z.string(),
  reactor_id: z.string().nullable(),
  /** The id of the proxy, if the code is one of the proxy's transforms. */
  proxy_id: z.string().nullable(),
  /** `try`: started in the window. */
  kind: z.enum(['react', 'react-async', 'transform', 'try']),
  status: z.int(),
  duration_ms: z.number(),
  created_at: z.string(),
})
export type RunSummary = z.output<typeof runSummary>

const runContent = z.object({
  /** The console output, with token values redacted; null if it is not stored (rule F-04). */
  console: z.string().nullable(),
  problem: runProblem.nullable(),
  /** The tokens in the arguments, and those created from the result. */
  token_ids: z.array(z.string()),
})
export type RunContent = z.output<typeof runContent>

/** A stored run of code, for the owner. */
export const run = runSummary.extend(runContent.shape)

export const runQuery = z.strictObject({
  reactor_id: z.string().max(100).optional(),
  proxy_id: z.string().max(100).optional(),
  trace_id: z.string().max(400).optional(),
  page,
  size,
})
export const runPage = offsetPage(runSummary)

/** A finished run, ready to be stored. */
export const newRun = z.strictObject({
  ...runSummary.omit({ id: true, created_at: true }).shape,
  content: runContent,
})
export type NewRun = z.output<typeof newRun>

/**
 * A test run from the window: the code of a stored reactor, or of its editor. Expressions in `args` are replaced, and
 * tokens created, with the permissions of the owner.
 */
export const tryReactor = z.strictObject({
  /** The id of the reactor that lists this run among its runs; null if the reactor is not stored. */
  reactor_id: createdId.nullable(),
  code: z.string().max(200_000),
  runtime: storedReactorRuntime.optional(),
  /** JSON text. */
  args: z.string().max(1_048_576),
  configuration: z.record(z.string(), z.string()).default({}),
  application_id: createdId.nullable().default(null),
})

/** The position and reason of a syntax error; lines and columns count from 1. */
export const syntaxProblem = z.object({ line: z.int(), column: z.int(), message: z.string() })
export type SyntaxProblem = z.output<typeof syntaxProblem>

export const reactorTestResult = z.object({
  status: z.int(),
  /** The response as JSON text, or the problem document, with token values redacted. */
  output: z.string(),
  console: z.string(),
  duration_ms: z.number(),
  trace_id: z.string(),
  problem: runProblem.nullable(),
  token_ids: z.array(z.string()),
})
export type ReactorTestResult = z.output<typeof reactorTestResult>
