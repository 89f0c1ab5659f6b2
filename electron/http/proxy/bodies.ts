import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { LARGE, type Upload } from '../uploads.ts'

/** The most bytes of a body that has expressions or transforms (rule G-04). */
export const CHANGED_LIMIT = 1024 * 1024
/** The most bytes of a body that is passed on as it is (rule G-04). */
export const PASSED_LIMIT = 25 * 1024 * 1024

/** A body that was read whole, or its beginning and the rest of it. */
export type Beginning = { readonly bytes: Buffer; readonly rest: Readable | null }

/**
 * Reads a body up to the limit of what may be changed. What is longer comes as its beginning and its rest. A large one
 * waits for its place. Rejects with the error of the stream, and as `Upload.late` does.
 */
export function beginningOf(body: Readable, upload: Upload | null = null): Promise<Beginning> {
  if (body.errored) return Promise.reject(body.errored)
  const chunks: Buffer[] = []
  let length = 0
  let waits = upload
  return new Promise((resolve, reject) => {
    upload?.late.catch(reject)
    const done = (rest: Readable | null) => {
      body.off('data', took).off('end', ended).off('error', failed).off('close', closed)
      resolve({ bytes: Buffer.concat(chunks, length), rest })
    }
    const took = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > CHANGED_LIMIT) {
        body.pause()
        return done(body)
      }
      if (!waits || length <= LARGE) return
      body.pause()
      waits.enter().then(() => body.resume(), reject)
      waits = null
    }
    const ended = () => done(null)
    const failed = (error: Error) => reject(error)
    const closed = () => reject(body.errored ?? new Error('The stream was closed.'))
    body.on('end', ended).on('error', failed).on('close', closed).on('data', took)
  })
}

/** The beginning and the rest of a body as one. Throws `too_large` beyond what may be passed on. */
export async function* passedOn({ bytes, rest }: Beginning, upload: Upload | null): AsyncGenerator<Buffer> {
  let length = bytes.length
  yield bytes
  if (!rest) return
  // Where the destination fails, the caller is still there to be told.
  const chunks = rest.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), ...(upload ? [upload.late] : [])])
      if (done) return
      length += value.length
      if (length > PASSED_LIMIT) throw tooLarge('The body', PASSED_LIMIT)
      yield value
    }
  } finally {
    // Not waited for: where the client is late, this is, too.
    chunks.return?.().catch(() => {})
  }
}

/** The beginning of a body without the character that its end cuts in two, if it does. */
export function wholeCharacters(bytes: Buffer): Buffer {
  const starts = [1, 2, 3].find((back) => ((bytes[bytes.length - back] ?? 0) & 0xc0) === 0xc0)
  return starts === undefined ? bytes : bytes.subarray(0, bytes.length - starts)
}

/** The error for a body that is too large. */
export function tooLarge(what: string, limit: number): CofferError {
  return new CofferError('too_large', `${what} is larger than ${limit / 1024 / 1024} MiB.`)
}

/** Reads the whole body of an answer that is to be changed. Throws `too_large`. */
export async function wholeAnswer(body: Readable): Promise<Buffer> {
  const { bytes, rest } = await beginningOf(body)
  if (!rest) return bytes
  rest.destroy()
  throw answerTooLarge()
}

/** The error for an answer that is too large to be changed. */
export function answerTooLarge(): CofferError {
  return tooLarge('The answer of the destination, which has transforms,', CHANGED_LIMIT)
}

/** How long an answer that is read before it is passed on may take to come (rule G-04). */
const WHOLE_MS = 25_000

/**
 * Reads an answer that is passed on only when it is whole. Rejects with `timeout` if it comes byte by byte without end,
 * and with what `read` throws.
 */
export async function readInTime<T>(
  body: Readable,
  host: string,
  read: (body: Readable) => Promise<T>,
  patience = WHOLE_MS,
): Promise<T> {
  const late = setTimeout(
    () => body.destroy(new CofferError('timeout', `${host} did not send its answer in time.`)),
    patience,
  )
  try {
    return await read(body)
  } finally {
    clearTimeout(late)
  }
}

/** Node's decompression is loaded for the first compressed answer. Node before 22.15 does not know zstd. */
async function decoders() {
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
export async function decoded(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || bytes.length === 0) return bytes
  const known = await decoders()
  const decode = known[name as keyof typeof known]
  if (!Object.hasOwn(known, name))
    throw new CofferError('bad_gateway', 'The destination compressed its answer by an unknown method.')
  try {
    return await decode(bytes, { maxOutputLength: CHANGED_LIMIT })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge('The answer of the destination, unpacked,', CHANGED_LIMIT)
    }
    throw new CofferError('bad_gateway', 'The destination’s answer is not compressed as it says.', {
      cause: error,
    })
  }
}
