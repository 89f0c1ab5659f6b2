import { eventTypes, isEventType } from '../webhook-events.ts'
import { z } from '../zod.ts'
import { checkAddress } from './address-problem.ts'
import { createdId, email, json, nameObject, optionalField, withJsonSchema } from './common.ts'

const name = z.string().min(1).max(200)
/** The URL that receives events: an `https:` URL, or an `http:` URL on this machine (rules W-01, G-03). */
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

/** The event types of a webhook. SECURITY: an error repeats a rejected name only if it begins like an event type. */
const events = z
  .array(
    z
      .string()
      .max(100)
      .superRefine((text, context) => {
        if (!isEventType(text)) context.addIssue({ code: 'custom', message: describeUnknownType(text) })
      })
      .meta({ id: 'WebhookEventType', documented: { type: 'string', enum: eventTypes } }),
  )
  .min(1)
  .max(200)

function describeUnknownType(text: string): string {
  const dotName = text.replaceAll(':', '.')
  if (isEventType(dotName)) return `is not an event type; its name is written with dots: ${dotName}`
  return /^(3ds|account-updater|apple-pay|application|google-pay|http|network-token|proxy|reactor|session|tenant|token|token-intent)[.:][a-z.:-]{1,30}$/.test(
    text,
  )
    ? `${text} is not an event type; GET /webhooks/event-types lists them`
    : 'is not an event type; GET /webhooks/event-types lists them'
}

const status = z.enum(['enabled', 'disabled'])
export type WebhookStatus = z.output<typeof status>

/** An email address, or '' for none. Terraform's provider sends '' if the configuration has no address. */
const notifyEmail = withJsonSchema(
  z
    .string()
    .max(320)
    .transform((text) => (text === '' ? undefined : text))
    .pipe(email.optional()),
  { type: 'string', maxLength: 320, pattern: '^$|^[^@]{1,64}@' },
)

export const newWebhook = z.strictObject({
  name,
  url,
  events,
  notify_email: optionalField(notifyEmail),
})

export const webhookUpdate = newWebhook.extend({ id: createdId, status: optionalField(status) })

/** A webhook (rule W-01). */
export const webhook = nameObject('Webhook', {
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
export type Webhook = z.output<typeof webhook>

/** The health of a webhook, for the owner. */
export const webhookHealth = z.object({
  id: z.uuid(),
  status,
  /** Why Coffer disabled the webhook; null while it is enabled, or if the owner or a program disabled it. */
  disabled_reason: z.string().nullable(),
  waiting: z.int(),
  /** How many attempts have failed since the last success. */
  failures: z.int(),
  /** No delivery is attempted before this time; null while deliveries are not paused. */
  paused_until: z.string().nullable(),
  last_success_at: z.string().nullable(),
  last_failure_at: z.string().nullable(),
  last_failure: z.string().nullable(),
  /** How many events were dropped because they were given up, were too old, or exceeded the limit of pending events. */
  dropped: z.int(),
  dropped_at: z.string().nullable(),
  dropped_reason: z.string().nullable(),
})
export type WebhookHealth = z.output<typeof webhookHealth>

/** The public key of a signing key for events. */
export const signingKey = z.object({ id: z.string(), public_key: z.string(), created_at: z.string() })
export type SigningKey = z.output<typeof signingKey>

const deliveryStates = ['waiting', 'delivered', 'given_up'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** One event for one webhook, in a list (rule W-04). */
export const deliverySummary = z.object({
  id: z.string(),
  webhook_id: z.uuid(),
  event_id: z.uuid(),
  type: z.string(),
  created_at: z.string(),
  state: z.enum(deliveryStates),
  /** Whether the owner requested it: a resent event or a test event. */
  by_owner: z.boolean(),
  attempts: z.int(),
  /** The time of the next attempt; null while the delivery is queued, or once it has ended. */
  next_at: z.string().nullable(),
  ended_at: z.string().nullable(),
})
export type DeliverySummary = z.output<typeof deliverySummary>

/** One attempt at a delivery. */
export const deliveryAttempt = z.object({
  at: z.string(),
  duration_ms: z.int(),
  /** The status of the response; null if there was none. */
  status: z.int().nullable(),
  /** Why the attempt failed; null if it succeeded. */
  failure: z.string().nullable(),
  /** The first 4 KiB of the response body, as text. */
  answer: z.string(),
})

export type DeliveryAttempt = z.output<typeof deliveryAttempt>

/** One delivery with every attempt and the body that was sent, without `delivered_at`. */
export const delivery = deliverySummary.extend({ event: json, tried: z.array(deliveryAttempt) })
export type Delivery = z.output<typeof delivery>

/** The fields that a list of deliveries filters by. */
export const deliveryFields = ['state', 'event', 'attempts', 'by'] as const
export type DeliveryField = (typeof deliveryFields)[number]
