import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { MAX_FORWARDED_BYTES } from '../../http/proxy/proxy-caller.ts'
import { LARGE_BODY_BYTES, type UploadSlot } from '../../http/uploads.ts'

/** The maximum size in bytes of a body with expressions or transforms (rule G-04). */
export const CHANGED_LIMIT = 1024 * 1024

/** A complete body (`rest` is null), or the first bytes of a longer body and a stream of the rest. */
export type BodyPrefix = { readonly bytes: Buffer; readonly rest: Readable | null }

/**
 * Reads a body of up to `CHANGED_LIMIT` bytes completely. For a longer body, returns the first bytes and a stream of
 * the rest. A large body waits for its slot. Rejects with the error of the stream, or with the `timeout` of the slot.
 */
export function readPrefix(body: Readable, upload: UploadSlot | null = null): Promise<BodyPrefix> {
  if (body.errored) return Promise.reject(body.errored)
  const chunks: Buffer[] = []
  let length = 0
  let waits = upload
  return new Promise((resolve, reject) => {
    upload?.timedOut.catch(reject)
    const finish = (rest: Readable | null) => {
      body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      resolve({ bytes: Buffer.concat(chunks, length), rest })
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > CHANGED_LIMIT) {
        body.pause()
        return finish(body)
      }
      if (!waits || length <= LARGE_BODY_BYTES) return
      body.pause()
      waits.acquire().then(() => body.resume(), reject)
      waits = null
    }
    const onEnd = () => finish(null)
    const onError = (error: Error) => reject(error)
    const onClose = () => reject(body.errored ?? new Error('The stream was closed.'))
    body.on('end', onEnd).on('error', onError).on('close', onClose).on('data', onData)
  })
}

/** Yields the first bytes and the rest of a body. Throws `too_large` beyond `MAX_FORWARDED_BYTES`. */
export async function* streamBody(
  { bytes, rest }: BodyPrefix,
  upload: UploadSlot | null,
): AsyncGenerator<Buffer> {
  let length = bytes.length
  yield bytes
  if (!rest) return
  // Do not destroy the caller's body: if the destination fails, the error still needs the caller's connection.
  const chunks = rest.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), ...(upload ? [upload.timedOut] : [])])
      if (done) return
      length += value.length
      if (length > MAX_FORWARDED_BYTES) throw createTooLargeError('The body', MAX_FORWARDED_BYTES)
      yield value
    }
  } finally {
    // Not awaited: `return()` settles only when the client sends more or hangs up.
    chunks.return?.().catch(() => {})
  }
}

/** Drops a multi-byte character that is cut in two by the end of the bytes. */
export function trimPartialCharacter(bytes: Buffer): Buffer {
  const starts = [1, 2, 3].find((back) => ((bytes[bytes.length - back] ?? 0) & 0xc0) === 0xc0)
  return starts === undefined ? bytes : bytes.subarray(0, bytes.length - starts)
}

export function createTooLargeError(what: string, limit: number): CofferError {
  return new CofferError('too_large', `${what} is larger than ${limit / 1024 / 1024} MiB.`)
}

/** Reads the complete body of a response that will be transformed. Throws `too_large`. */
export async function readWholeResponse(body: Readable): Promise<Buffer> {
  const { bytes, rest } = await readPrefix(body)
  if (!rest) return bytes
  rest.destroy()
  throw createResponseTooLargeError()
}

export function createResponseTooLargeError(): CofferError {
  return createTooLargeError('The body of a response with transforms', CHANGED_LIMIT)
}

/** The timeout for a response that is read completely before it is forwarded (rule G-04). */
const RESPONSE_TIMEOUT_MS = 25_000

/**
 * Reads a response that is forwarded only when it is complete. Rejects with `timeout` if it arrives too slowly, and
 * with the errors of `read`.
 */
export async function readInTime<T>(
  body: Readable,
  host: string,
  read: (body: Readable) => Promise<T>,
  timeoutMs = RESPONSE_TIMEOUT_MS,
): Promise<T> {
  const timer = setTimeout(
    () => body.destroy(new CofferError('timeout', `${host} did not send its complete response in time.`)),
    timeoutMs,
  )
  try {
    return await read(body)
  } finally {
    clearTimeout(timer)
  }
}

/** Loads Node's decompression only when a response is compressed. Node before 22.15 does not support zstd. */
async function loadDecoders() {
  const { brotliDecompress, gunzip, inflate, zstdDecompress } = await import('node:zlib')
  return {
    gzip: promisify(gunzip),
    deflate: promisify(inflate),
    br: promisify(brotliDecompress),
    zstd: zstdDecompress && promisify(zstdDecompress),
  }
}

/**
 * Decompresses a response that will be transformed. Throws `too_large` (X-52: a small response that decompresses to a
 * huge one) and `bad_gateway` (an unknown Content-Encoding, or a body that does not match it).
 */
export async function decodeResponse(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || bytes.length === 0) return bytes
  const decoders = await loadDecoders()
  const decode = decoders[name as keyof typeof decoders]
  if (!Object.hasOwn(decoders, name))
    throw new CofferError('bad_gateway', 'The destination’s response has an unknown Content-Encoding header.')
  try {
    return await decode(bytes, { maxOutputLength: CHANGED_LIMIT })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw createTooLargeError('The destination’s decompressed response', CHANGED_LIMIT)
    }
    throw new CofferError(
      'bad_gateway',
      'The destination’s response does not match its Content-Encoding header.',
      {
        cause: error,
      },
    )
  }
}
