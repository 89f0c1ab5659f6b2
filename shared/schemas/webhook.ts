import { isEventType } from '../webhook-events.ts'
import { z } from '../zod.ts'
import { checkAddress } from './address-problem.ts'
import { createdId, json, optionalField, withJsonSchema } from './common.ts'

const name = z.string().min(1).max(200)
/** Where a webhook is told: an `https:` address, or this machine by either scheme (rules W-01, G-03). */
const url = z
  .string()
  .max(2000)
  .superRefine((text, context) => {
    const problem = findUrlProblem(text)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ documented: { type: 'string', maxLength: 2000, format: 'uri' } })

function findUrlProblem(text: string): string | undefined {
  const { problem } = checkAddress(text)
  return problem ?? (new URL(text).hash ? 'must not contain a fragment' : undefined)
}

/** The types a webhook wants. SECURITY: a refused name is repeated only if it begins like one. */
const events = z
  .array(
    z
      .string()
      .max(100)
      .superRefine((text, context) => {
        if (!isEventType(text)) context.addIssue({ code: 'custom', message: describeUnknownType(text) })
      }),
  )
  .min(1)
  .max(200)

function describeUnknownType(text: string): string {
  const dotName = text.replaceAll(':', '.')
  if (isEventType(dotName)) return `is not an event type; its name is written with dots: ${dotName}`
  return /^(3ds|account-updater|application|google-pay|http|proxy|reactor|session|tenant|token|token-intent)[.:][a-z.:-]{1,30}$/.test(
    text,
  )
    ? `${text} is not an event type; GET /webhooks/event-types lists them`
    : 'is not an event type; GET /webhooks/event-types lists them'
}

const status = z.enum(['enabled', 'disabled'])
export type WebhookStatus = z.output<typeof status>

/** An address, or '' for none, which Terraform's provider sends where its configuration names no address. */
const notifyEmail = withJsonSchema(
  z
    .string()
    .max(320)
    .transform((text) => (text === '' ? undefined : text))
    .pipe(z.email({ error: 'must be an email address' }).optional()),
  { type: 'string', maxLength: 320, format: 'email' },
)

export const newWebhook = z.strictObject({
  name,
  url,
  events,
  notify_email: optionalField(notifyEmail),
})

export const webhookUpdate = newWebhook.extend({ id: createdId, status: optionalField(status) })

/** A webhook (rule W-01). */
export const webhook = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    status,
    name: z.string(),
    url: z.string(),
    notify_email: z.string().optional(),
    events: z.array(z.string()),
    created_by: z.string(),
    created_at: z.string(),
    modified_by: z.string().optional(),
    modified_at: z.string().optional(),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.output<typeof webhook>

/** How a webhook fares, for the owner. */
export const webhookHealth = z.object({
  id: z.uuid(),
  status,
  /** Why Coffer disabled it; null where the owner or a program did, and while it is enabled. */
  disabled_reason: z.string().nullable(),
  /** How many deliveries have not ended. */
  waiting: z.int(),
  /** How many attempts have failed since the last one that succeeded. */
  failures: z.int(),
  /** No delivery is attempted before; null while nothing holds them up. */
  paused_until: z.string().nullable(),
  last_success_at: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  /** What the last attempt that failed ended with. */
  last_failure: z.string().nullable(),
  /** How many events were never delivered: given up, too old, or more than may wait. */
  dropped: z.int(),
  dropped_at: z.string().nullable(),
  dropped_reason: z.string().nullable(),
})
export type WebhookHealth = z.output<typeof webhookHealth>

/** The public half of a key that signs events. */
export const signingKey = z.object({ id: z.string(), public_key: z.string(), created_at: z.string() })
export type SigningKey = z.output<typeof signingKey>

const deliveryStates = ['waiting', 'delivered', 'given_up'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** One event for one webhook, as lists show it (rule W-04). */
export const deliverySummary = z.object({
  id: z.string(),
  webhook_id: z.uuid(),
  event_id: z.uuid(),
  type: z.string(),
  created_at: z.string(),
  state: z.enum(deliveryStates),
  /** The owner asked for it: sent again, or a test event. */
  by_owner: z.boolean(),
  attempts: z.int(),
  /** When it is tried again; null where it waits for its turn, or has ended. */
  next_at: z.string().nullable(),
  ended_at: z.string().nullable(),
})
export type DeliverySummary = z.output<typeof deliverySummary>

/** One attempt at a delivery. */
export const deliveryAttempt = z.object({
  at: z.string(),
  duration_ms: z.int(),
  /** The status of the answer; null where there was none. */
  status: z.int().nullable(),
  /** Why it failed; null where it succeeded. */
  failure: z.string().nullable(),
  /** The first 4 KiB of the answer's body, as text. */
  answer: z.string(),
})

export type DeliveryAttempt = z.output<typeof deliveryAttempt>

/** One delivery with the body that was sent, without `delivered_at`, and every attempt. */
export const delivery = deliverySummary.extend({ event: json, tried: z.array(deliveryAttempt) })
export type Delivery = z.output<typeof delivery>
