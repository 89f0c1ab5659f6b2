import type { Readable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'
import type { Caller, CallInfo, Engine, Headers, ProxyCall } from '../../engine/index.ts'
import type { UploadSlot } from '../uploads.ts'

/** The maximum size in bytes of a body that is forwarded unchanged (rule G-04). */
export const MAX_FORWARDED_BYTES = 25 * 1024 * 1024

/** A call through a proxy, as the listener or the window received it. */
export type IncomingCall = Omit<ProxyCall, 'body'> & {
  readonly engine: Engine
  readonly body: Readable | null
  /** The slot for a body that may be large; null for a small body. */
  readonly upload: UploadSlot | null
  readonly caller: Caller
  readonly info: CallInfo
  /** When the call arrived, on the clock of `performance.now()`. */
  readonly started: number
  readonly signal: AbortSignal
  /** Runs a step of the engine on a body. Large bodies are changed one at a time (rule R-03). */
  readonly runLimited: <T>(body: Buffer | undefined, step: () => Promise<T>) => Promise<T>
}

/** The response to the caller. */
export type ProxyResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: Readable | Buffer
  /** The status of the destination, before any transform; null if code responded in its place. */
  readonly destination_status: number | null
  readonly host: string | null
  /** The id of the pre-configured proxy; null for an ephemeral call. */
  readonly proxy_id: string | null
  /** The application that a code or tokenize transform acted for; null if none acted for one. */
  readonly application_id: string | null
}

/** Makes the calls of proxies. The host implements it, so that the listener only reads requests and sends responses. */
export type ProxyCaller = {
  /** The hosts and networks that calls may reach now, besides this machine. */
  readonly allowedDestinations: readonly string[]
  /** Makes a call. Rejects with every error of the proxy itself, which is then recorded. */
  makeCall(call: IncomingCall): Promise<ProxyResponse>
  /** Records the response that the caller gets, and later whether its body was interrupted. Throws `storage_full`. */
  recordResponse(call: IncomingCall, response: ProxyResponse): void
}

/** A proxy caller that rejects every call. */
export const noProxies: ProxyCaller = {
  allowedDestinations: [],
  makeCall: () => Promise.reject(new CofferError('unavailable', 'This listener makes no calls of proxies.')),
  recordResponse() {},
}
