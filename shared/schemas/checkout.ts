import { isOrigin } from '../origins.ts'
import { z } from '../zod.ts'
import { newApplication } from './application.ts'
import { newProxy } from './proxy.ts'
import { newWebhook } from './webhook.ts'

const { name } = newApplication.shape

/** What is made for a program that takes payments: two applications, a proxy and a webhook. */
export const newCheckout = z.strictObject({
  name,
  page_name: name,
  server_name: name,
  proxy_name: newProxy.shape.name,
  webhook_name: newWebhook.shape.name,
  /** The origin of the page. */
  origin: z
    .string()
    .max(300)
    .refine(isOrigin, 'must be scheme, host and port, such as http://localhost:3000'),
  /** Whether the listener did not allow the origin before, so that it is removed with the checkout. */
  added_origin: z.boolean(),
  destination_url: newProxy.shape.destination_url,
  webhook_url: newWebhook.shape.url,
})
export type NewCheckout = z.output<typeof newCheckout>

/** What a vault stores about a checkout: its origin, and the ids of what was made. Some of them may be deleted since. */
export const storedCheckout = newCheckout
  .pick({ name: true, origin: true, added_origin: true })
  .extend({ page_id: z.string(), server_id: z.string(), proxy_id: z.string(), webhook_id: z.string() })

export const checkout = storedCheckout.extend({ id: z.string(), created_at: z.string() })
export type Checkout = z.output<typeof checkout>

/** A new checkout with its keys, which are shown only once. */
export const createdCheckout = checkout.extend({ page_key: z.string(), server_key: z.string() })
export type CreatedCheckout = z.output<typeof createdCheckout>
