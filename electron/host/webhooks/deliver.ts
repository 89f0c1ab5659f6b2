import type { KeyObject } from 'node:crypto'
import type { Readable } from 'node:stream'
import { toStableJson } from '../../../shared/stable-json.ts'
import { formatEventTime } from '../../../shared/time.ts'
import type { AttemptResult } from '../../engine/webhooks/deliveries/attempt.ts'
import type { DueDelivery } from '../../engine/webhooks/outbox.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { toOutboundError } from '../../outbound/outbound-error.ts'
import { signDelivery } from './sign.ts'

/** How long one delivery may take, with its answer (rule W-02). */
const DELIVERY_TIMEOUT_MS = 10_000
/** How much of an answer is kept (rule W-04). */
const MAX_STORED_BYTES = 4096

type DeliveryContext = {
  readonly outbound: Outbound
  readonly key: KeyObject
  readonly version: string
  /** The time of the vault, in epoch ms. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Sends an event to its webhook, once (rules W-02, W-03). Any 2xx acknowledges it, whatever becomes of the rest of the
 * answer; everything else is a failure with a sentence for the owner. Rejects with `cancelled` if the signal ends it.
 */
export async function sendDelivery(
  { url, event }: DueDelivery,
  context: DeliveryContext,
): Promise<AttemptResult> {
  const { outbound, key, version, signal } = context
  const at = context.now()
  const body = Buffer.from(toStableJson({ delivered_at: formatEventTime(at), event }))
  const signature = await signDelivery(body, key)
  const started = performance.now()
  const getDuration = () => Math.round(performance.now() - started)
  try {
    const {
      status,
      host,
      body: response,
    } = await outbound.send({
      method: 'POST',
      url,
      headers: [
        ['Content-Type', 'application/json'],
        ['User-Agent', 'Coffer'],
        // What is kept of an answer is never unpacked.
        ['Accept-Encoding', 'identity'],
        ['BT-SIGNATURE', signature],
        ['BT-SIGNATURE-VERSION', version],
      ],
      body,
      signal,
      timeout_ms: DELIVERY_TIMEOUT_MS,
    })
    const prefix = await readPrefix(response, DELIVERY_TIMEOUT_MS - getDuration())
    const failure = describeFailure(status, host)
    return { at, duration_ms: getDuration(), status, failure, answer: prefix }
  } catch (error) {
    const failure = toOutboundError(error, new URL(url).hostname)
    if (failure.code === 'cancelled') throw failure
    return { at, duration_ms: getDuration(), status: null, failure: failure.message, answer: Buffer.alloc(0) }
  }
}

function describeFailure(status: number, host: string): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `${host} answered with ${status}, a redirect. Redirects are not followed.`
    : `${host} answered with ${status}.`
}

/**
 * The first 4 KiB of an answer: of one that is cut, or that takes too long, what has come. A longer answer is not
 * read to its end, which costs its connection.
 */
function readPrefix(response: Readable, timeoutMs: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timeout)
      response.off('data', onData)
      response.destroy()
      resolve(Buffer.concat(chunks).subarray(0, MAX_STORED_BYTES))
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_STORED_BYTES) finish()
    }
    const timeout = setTimeout(finish, Math.max(timeoutMs, 0))
    if (response.closed) return finish()
    response.on('data', onData).once('end', finish).once('error', finish).once('close', finish)
  })
}
