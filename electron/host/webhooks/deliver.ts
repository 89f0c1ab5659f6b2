import type { KeyObject } from 'node:crypto'
import type { Readable } from 'node:stream'
import { stableJson } from '../../../shared/stable-json.ts'
import { eventTime } from '../../../shared/time.ts'
import type { Attempt } from '../../engine/webhooks/deliveries/attempt.ts'
import type { Due } from '../../engine/webhooks/outbox.ts'
import { failureOf } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { signed } from './sign.ts'

/** How long one delivery may take, with its answer (rule W-02). */
const PATIENCE_MS = 10_000
/** How much of an answer is kept (rule W-04). */
const KEPT_BYTES = 4096

type Sending = {
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
export async function deliver({ url, event }: Due, sending: Sending): Promise<Attempt> {
  const { outbound, key, version, signal } = sending
  const at = sending.now()
  const body = Buffer.from(stableJson({ delivered_at: eventTime(at), event }))
  const signature = await signed(body, key)
  const started = performance.now()
  const duration = () => Math.round(performance.now() - started)
  try {
    const {
      status,
      host,
      body: answer,
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
      patience: PATIENCE_MS,
    })
    const beginning = await beginningOf(answer, PATIENCE_MS - duration())
    const failure = refusalOf(status, host)
    return { at, duration_ms: duration(), status, failure, answer: beginning }
  } catch (error) {
    const failure = failureOf(error, new URL(url).hostname)
    if (failure.code === 'cancelled') throw failure
    return { at, duration_ms: duration(), status: null, failure: failure.message, answer: Buffer.alloc(0) }
  }
}

function refusalOf(status: number, host: string): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `${host} answered with ${status}, a redirect. Redirects are not followed.`
    : `${host} answered with ${status}.`
}

/**
 * The first 4 KiB of an answer: of one that is cut, or that takes too long, what has come. A longer answer is not
 * read to its end, which costs its connection.
 */
function beginningOf(answer: Readable, patience: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late)
      answer.off('data', took)
      answer.destroy()
      resolve(Buffer.concat(chunks).subarray(0, KEPT_BYTES))
    }
    const took = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > KEPT_BYTES) done()
    }
    const late = setTimeout(done, Math.max(patience, 0))
    if (answer.closed) return done()
    answer.on('data', took).once('end', done).once('error', done).once('close', done)
  })
}
