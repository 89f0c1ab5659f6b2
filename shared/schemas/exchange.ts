import { z } from '../zod.ts'
import { offsetPage, page, size } from './common.ts'

/** Names and values, in order. */
const headers = z.array(z.tuple([z.string(), z.string()]))

const body = z.object({
  /** Null if the body is not stored; `omitted` says why. */
  text: z.string().nullable(),
  omitted: z.enum(['none', 'binary', 'masked', 'too_much', 'code']).optional(),
  /** Whether only the beginning is stored. */
  cut: z.boolean(),
})

const message = z.object({ headers, body })
const request = message.extend({ method: z.string(), url: z.string() })

/** The messages of a call through a proxy, with every token value redacted (rule G-07). */
const exchangeContent = z.object({
  /** The program's request, with its expressions as written. */
  sent: request,
  /** The request to the destination. */
  went_out: request.nullable(),
  came_back: message.extend({ status: z.int() }).nullable(),
  /** The response to the program, if a transform has changed it. */
  handed_back: message.nullable(),
  /** Why the proxy itself rejected the call or failed. */
  problem: z.object({ status: z.int(), detail: z.string() }).nullable(),
  token_ids: z.array(z.string()),
})
export type ExchangeContent = z.output<typeof exchangeContent>
export type ExchangeMessage = z.output<typeof message>

const summary = z.object({
  id: z.string(),
  trace_id: z.string(),
  proxy_id: z.string().nullable(),
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.int().nullable(),
  duration_ms: z.number(),
  created_at: z.string(),
})
export type ExchangeSummary = z.output<typeof summary>

export const exchange = summary.extend(exchangeContent.shape)
export type Exchange = z.output<typeof exchange>

export const exchangeQuery = z.strictObject({
  proxy_id: z.string().max(100).optional(),
  trace_id: z.string().max(400).optional(),
  page,
  size,
})
export const exchangePage = offsetPage(summary)

/** A finished call, ready to be stored. */
export const newExchange = z.strictObject({
  ...summary.omit({ id: true, duration_ms: true, created_at: true }).shape,
  duration_us: z.number(),
  content: exchangeContent,
})
export type NewExchange = z.output<typeof newExchange>
