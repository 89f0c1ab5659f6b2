import { constants, type KeyObject, sign } from 'node:crypto'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { toStableJson } from '../../../shared/stable-json.ts'
import { formatEventTime } from '../../../shared/time.ts'
import type { AttemptResult, DueDelivery } from '../../engine/index.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { toOutboundError } from '../../outbound/outbound-error.ts'

/** The maximum duration of one delivery, including its response, in ms (rule W-02). */
const DELIVERY_TIMEOUT_MS = 10_000
/** The maximum number of bytes of a response that are stored (rule W-04). */
const MAX_STORED_BYTES = 4096

type DeliveryContext = {
  readonly outbound: Outbound
  readonly key: KeyObject
  readonly version: string
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Sends an event to its webhook once (rules W-02, W-03). Any 2xx status acknowledges it, even if the rest of the
 * response fails. Any other outcome is a failure, described by a sentence for the owner. Rejects with `cancelled` if
 * the signal aborts.
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
        // Requests no compression, because the stored part of a response is never decompressed.
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
    ? `${host} responded with ${status}, a redirect. Redirects are not followed.`
    : `${host} responded with ${status}.`
}

/**
 * Reads the first 4 KiB of a response, or the received part if it breaks off or takes too long. A longer response is
 * not read to its end, so its connection is closed and cannot be reused.
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

const signInPool = promisify<string, Buffer, SignOptions, Buffer>(sign)

type SignOptions = { readonly key: KeyObject; readonly padding: number; readonly saltLength: number }

/**
 * Returns the signature of a body in base64: RSA-PSS with SHA-256 (rule W-03). It is computed in the thread pool,
 * because it takes longer than a request. The salt is as long as the hash, which every library accepts by default.
 */
async function signDelivery(body: Buffer, key: KeyObject): Promise<string> {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants
  return (await signInPool('sha256', body, { key, padding, saltLength })).toString('base64')
}
