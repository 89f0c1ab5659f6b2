import { z } from '../zod.ts'

const members = {
  /** The fault's name in the `Coffer-Fault` header, the log and the status. */
  name: z.string().regex(/^[A-Za-z0-9_-]{1,50}$/, 'must be 1 to 50 letters, digits, - or _'),
  /** `tokens.create`, or `tokens.*`; every operation if absent. */
  operations: z
    .array(z.string().regex(/^\w+\.(\w+|\*)$/, 'must be like tokens.create or tokens.*'))
    .min(1)
    .max(100)
    .optional(),
  delay_ms: z.int().min(1).max(60_000).optional(),
  /** Respond with this status instead. */
  status: z.int().min(400).max(599).optional(),
  /** Seconds, for the `Retry-After` header of that response. */
  retry_after: z.int().min(0).max(86_400).optional(),
  /** Close the connection instead of responding. */
  cut: z.boolean().optional(),
  /** `after`: the operation is executed, and only its response is lost. */
  when: z.enum(['before', 'after']).default('before'),
  /** The share of calls that it affects. */
  share: z.number().gt(0).max(1).default(1),
  /** The maximum number of calls that it affects. */
  count: z.int().min(1).max(1_000_000).optional(),
}

const cuts = { properties: { cut: { const: true } }, required: ['cut'] }

/** A fault: which calls it affects, how often, and how. */
export const faultRule = z
  .strictObject(members)
  .refine(
    (rule) => rule.delay_ms !== undefined || rule.status !== undefined || rule.cut === true,
    'needs delay_ms, status or cut',
  )
  .refine((rule) => rule.status === undefined || rule.cut !== true, 'takes status or cut, not both')
  .refine(
    (rule) => rule.retry_after === undefined || rule.status !== undefined,
    'takes retry_after only together with status',
  )
  .meta({
    not: {
      anyOf: [
        { not: { anyOf: [{ required: ['delay_ms'] }, { required: ['status'] }, cuts] } },
        { allOf: [{ required: ['status'] }, cuts] },
        { required: ['retry_after'], not: { required: ['status'] } },
      ],
    },
  })
export type FaultRule = z.output<typeof faultRule>
export type NewFaultRule = z.input<typeof faultRule>

/** All faults, in the order in which they are tried. */
export const faultRules = z.strictObject({
  rules: z
    .array(faultRule)
    .max(100)
    .refine(
      (rules) => new Set(rules.map(({ name }) => name)).size === rules.length,
      'must not use a name twice',
    ),
})

/** The active faults, and how many calls each has affected. */
export const faultReport = z.object({ rules: z.array(z.object({ ...members, hits: z.int() })) })
export type FaultReport = z.output<typeof faultReport>
