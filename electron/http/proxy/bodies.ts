import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { LARGE_BODY_BYTES, type UploadSlot } from '../uploads.ts'

/** The most bytes of a body that has expressions or transforms (rule G-04). */
export const CHANGED_LIMIT = 1024 * 1024
/** The most bytes of a body that is passed on as it is (rule G-04). */
export const MAX_FORWARDED_BYTES = 25 * 1024 * 1024

/** A body that was read whole, or its beginning and the rest of it. */
export type BodyPrefix = { readonly bytes: Buffer; readonly rest: Readable | null }

/**
 * Reads a body up to the limit of what may be changed. What is longer comes as its beginning and its rest. A large one
 * waits for its place. Rejects with the error of the stream, and as `Upload.late` does.
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

/** The beginning and the rest of a body as one. Throws `too_large` beyond what may be passed on. */
export async function* streamBody(
  { bytes, rest }: BodyPrefix,
  upload: UploadSlot | null,
): AsyncGenerator<Buffer> {
  let length = bytes.length
  yield bytes
  if (!rest) return
  // Where the destination fails, the caller is still there to be told.
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
    // Not waited for: where the client is late, this is, too.
    chunks.return?.().catch(() => {})
  }
}

/** The beginning of a body without the character that its end cuts in two, if it does. */
export function trimPartialCharacter(bytes: Buffer): Buffer {
  const starts = [1, 2, 3].find((back) => ((bytes[bytes.length - back] ?? 0) & 0xc0) === 0xc0)
  return starts === undefined ? bytes : bytes.subarray(0, bytes.length - starts)
}

/** The error for a body that is too large. */
export function createTooLargeError(what: string, limit: number): CofferError {
  return new CofferError('too_large', `${what} is larger than ${limit / 1024 / 1024} MiB.`)
}

/** Reads the whole body of an answer that is to be changed. Throws `too_large`. */
export async function readWholeResponse(body: Readable): Promise<Buffer> {
  const { bytes, rest } = await readPrefix(body)
  if (!rest) return bytes
  rest.destroy()
  throw createResponseTooLargeError()
}

/** The error for an answer that is too large to be changed. */
export function createResponseTooLargeError(): CofferError {
  return createTooLargeError('The answer of the destination, which has transforms,', CHANGED_LIMIT)
}

/** How long an answer that is read before it is passed on may take to come (rule G-04). */
const RESPONSE_TIMEOUT_MS = 25_000

/**
 * Reads an answer that is passed on only when it is whole. Rejects with `timeout` if it comes byte by byte without end,
 * and with what `read` throws.
 */
export async function readInTime<T>(
  body: Readable,
  host: string,
  read: (body: Readable) => Promise<T>,
  timeoutMs = RESPONSE_TIMEOUT_MS,
): Promise<T> {
  const timer = setTimeout(
    () => body.destroy(new CofferError('timeout', `${host} did not send its answer in time.`)),
    timeoutMs,
  )
  try {
    return await read(body)
  } finally {
    clearTimeout(timer)
  }
}

/** Node's decompression is loaded for the first compressed answer. Node before 22.15 does not know zstd. */
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
 * Decodes a compressed answer that is to be changed. Throws `too_large` (X-52: a small answer that unpacks to a huge
 * one), `bad_gateway` (not compressed as it says, or by an unknown method).
 */
export async function decodeResponse(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || bytes.length === 0) return bytes
  const decoders = await loadDecoders()
  const decode = decoders[name as keyof typeof decoders]
  if (!Object.hasOwn(decoders, name))
    throw new CofferError('bad_gateway', 'The destination compressed its answer by an unknown method.')
  try {
    return await decode(bytes, { maxOutputLength: CHANGED_LIMIT })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw createTooLargeError('The answer of the destination, unpacked,', CHANGED_LIMIT)
    }
    throw new CofferError('bad_gateway', 'The destination’s answer is not compressed as it says.', {
      cause: error,
    })
  }
}
