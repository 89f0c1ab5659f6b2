import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { CofferError } from '../../../shared/errors.ts'

/** The most bytes of a body that has expressions or transforms (rule G-04). */
export const CHANGED_LIMIT = 1024 * 1024
/** The most bytes of a body that is passed on as it is (rule G-04). */
export const PASSED_LIMIT = 25 * 1024 * 1024

/** A body that was read whole, or its beginning and the rest of it. */
export type Beginning = { readonly bytes: Buffer; readonly rest: Readable | null }

/** Reads a body up to the limit of what may be changed. What is longer comes as its beginning and its rest. */
export async function beginningOf(body: Readable): Promise<Beginning> {
  const chunks: Buffer[] = []
  let length = 0
  while (length <= CHANGED_LIMIT) {
    const chunk = await nextChunk(body)
    if (chunk === null) return { bytes: Buffer.concat(chunks, length), rest: null }
    chunks.push(chunk)
    length += chunk.length
  }
  return { bytes: Buffer.concat(chunks, length), rest: body }
}

/** The next piece of a stream; null at its end. Rejects with the stream's error. */
function nextChunk(stream: Readable): Promise<Buffer | null> {
  const ready = stream.read() as Buffer | null
  if (ready !== null) return Promise.resolve(ready)
  if (stream.readableEnded) return Promise.resolve(null)
  if (stream.errored) return Promise.reject(stream.errored)
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => () => {
      stream.off('readable', readable).off('end', ended).off('error', failed).off('close', closed)
      act()
    }
    const readable = done(() => resolve(nextChunk(stream)))
    const ended = done(() => resolve(null))
    const closed = done(() => reject(stream.errored ?? new Error('The stream was closed.')))
    const failed = (error: Error) => done(() => reject(error))()
    stream.on('readable', readable).on('end', ended).on('error', failed).on('close', closed)
  })
}

/** The beginning and the rest of a body as one. Throws `too_large` beyond what may be passed on. */
export async function* passedOn({ bytes, rest }: Beginning): AsyncGenerator<Buffer> {
  let length = bytes.length
  yield bytes
  if (!rest) return
  // Where the destination fails, the caller is still there to be told.
  for await (const chunk of rest.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > PASSED_LIMIT) throw tooLarge('The body', PASSED_LIMIT)
    yield chunk
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
  throw tooLarge('The answer of the destination, which has transforms,', CHANGED_LIMIT)
}

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/**
 * Decodes a compressed answer that is to be changed. Throws `too_large` (X-52: a small answer that unpacks to a huge
 * one), `bad_gateway` (not compressed as it says, or by an unknown method).
 */
export async function decoded(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || bytes.length === 0) return bytes
  const decode = decoders[name as keyof typeof decoders]
  if (!Object.hasOwn(decoders, name))
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
