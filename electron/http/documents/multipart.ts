import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'

/** One part of a multipart body. Its body must be read to the end before the next part is requested. */
export type MultipartPart = {
  readonly name: string
  /** The content type that the part declares; null if it declares none. */
  readonly content_type: string | null
  readonly body: AsyncIterable<Buffer>
}

/**
 * The maximum number of parts that the parser accepts. A request has two. A body with more parts is rejected before
 * the rest of it has arrived.
 */
const MAX_PARTS = 3
/** The maximum length of a part's headers in characters. The parser silently truncates them at twice that length. */
const MAX_HEADERS_LENGTH = 8 * 1024

/**
 * Returns the boundary that a `Content-Type` names. Throws `unsupported_media_type` for another type, `invalid` if the
 * boundary is missing or not allowed by RFC 2046.
 */
export function parseBoundary(content_type: string | undefined): string {
  const [type = ''] = (content_type ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'multipart/form-data')
    throw new CofferError('unsupported_media_type', 'Send the body with Content-Type: multipart/form-data.')
  const boundary = findParameter(content_type ?? '', 'boundary')
  if (boundary === null || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new CofferError('invalid', 'The Content-Type must name a boundary of 1 to 70 characters.', {
      errors: { body: ['must have a boundary'] },
    })
  return boundary
}

/**
 * Yields the parts of a body in order, in bounded memory: an unread part pauses the body. Ends after the last boundary.
 * Throws `invalid` for an incomplete body or a part without a name, `too_large` beyond `maxBytes`, and the error of
 * `timedOut`.
 */
export async function* parseParts(
  body: Readable,
  { boundary, maxBytes, timedOut }: { boundary: string; maxBytes: number; timedOut: Promise<never> | null },
): AsyncGenerator<MultipartPart> {
  const parts = new Queue<MultipartPart>()
  const parser = createParser(boundary)
  const streams: Readable[] = []
  const failBody = (error: unknown) => {
    parts.fail(error)
    for (const stream of streams) stream.destroy(error as Error)
  }
  parser.on('part', (stream) => {
    // A part may still fail after its reader has stopped. That error is ignored.
    stream.on('error', () => {})
    streams.push(stream)
    if (streams.length > MAX_PARTS) return failBody(createInvalidError('body', 'must have no other parts'))
    stream.on('header', (header) => {
      try {
        parts.add(toPart(header as Record<string, string[]>, readContent(stream, parts)))
      } catch (error) {
        failBody(error)
      }
    })
  })
  parser.on('finish', () => parts.end())
  parser.on('error', () => failBody(createIncompleteBodyError()))
  let length = 0
  const onData = (chunk: Buffer) => {
    length += chunk.length
    if (length > maxBytes) failBody(createTooLargeError())
    else if (!parser.write(chunk)) body.pause()
  }
  const onDrain = () => body.resume()
  const onEnd = () => parser.end()
  const onClose = () => {
    if (!body.readableEnded) failBody(createIncompleteBodyError())
  }
  timedOut?.catch(failBody)
  parser.on('drain', onDrain)
  body.on('end', onEnd).on('close', onClose).on('error', onClose).on('data', onData)
  try {
    yield* parts
  } finally {
    body.off('data', onData).off('end', onEnd).off('close', onClose).pause()
    parser.off('drain', onDrain)
  }
}

function createParser(boundary: string): Dicer {
  // `maxHeaderSize` is missing from the types of the parser.
  const config = { boundary, maxHeaderPairs: 20, maxHeaderSize: 2 * MAX_HEADERS_LENGTH }
  return new Dicer(config)
}

function toPart(
  header: Readonly<Record<string, readonly string[]>>,
  body: AsyncIterable<Buffer>,
): MultipartPart {
  const length = Object.entries(header).reduce(
    (sum, [name, values]) => sum + name.length + values.join().length,
    0,
  )
  if (length > MAX_HEADERS_LENGTH)
    throw createInvalidError('body', 'must have parts with headers of at most 8,192 characters')
  const [disposition = ''] = header['content-disposition'] ?? []
  const name = /^form-data\s*(?:;|$)/i.test(disposition) ? findParameter(disposition, 'name') : null
  if (name === null)
    throw createInvalidError('body', 'must have parts with Content-Disposition: form-data and a name')
  return { name, content_type: header['content-type']?.[0]?.trim() || null, body }
}

/** The content of a part. If the part ends early, throws the error of the body instead of the parser's. */
async function* readContent(stream: Readable, parts: Queue<MultipartPart>): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    throw parts.failure ?? error
  }
}

/** Returns a parameter of a header, such as `name` in `form-data; name="document"`; null if there is none. */
function findParameter(header: string, parameter: string): string | null {
  for (const [, name, quoted, plain] of header.matchAll(/;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g))
    if (name?.toLowerCase() === parameter) return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? null
  return null
}

function createIncompleteBodyError(): CofferError {
  return createInvalidError('body', 'must be complete: it ended before its last boundary')
}

export function createTooLargeError(): CofferError {
  return new CofferError('too_large', 'A document can be at most 50 MiB.')
}

class Queue<T> {
  readonly #waiting: T[] = []
  #isEnded = false
  #failure: unknown = null
  #notify: () => void = () => {}

  add(item: T): void {
    this.#waiting.push(item)
    this.#notify()
  }

  end(): void {
    this.#isEnded = true
    this.#notify()
  }

  fail(error: unknown): void {
    this.#failure ??= error
    this.#notify()
  }

  /** The first error passed to `fail`; null if there is none. */
  get failure(): unknown {
    return this.#failure
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next !== undefined) yield next
      else if (this.#failure !== null) throw this.#failure
      else if (this.#isEnded) return
      else
        await new Promise<void>((resolve) => {
          this.#notify = resolve
        })
    }
  }
}
