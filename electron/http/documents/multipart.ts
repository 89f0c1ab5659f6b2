import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'

/** One part of a multipart body. Its own body must be read to its end before the next part is asked for. */
export type MultipartPart = {
  readonly name: string
  /** As the part declares it; null where it does not. */
  readonly content_type: string | null
  readonly body: AsyncIterable<Buffer>
}

/** A request has two parts; those that follow are refused, so nobody waits for more of them. */
const MAX_PARTS = 3
/** The most characters of the headers of one part. The parser silently cuts them off at twice as many. */
const MAX_HEADERS_LENGTH = 8 * 1024

/**
 * Returns the boundary that a `Content-Type` names. Throws `unsupported_media_type` for another type, `invalid` where
 * there is no boundary, or none that RFC 2046 allows.
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
 * The parts of a body, in their order, in bounded memory: a part that nobody reads stops the body. Ends after the last
 * boundary. Throws `invalid` for a body that is not whole or has a part without a name, `too_large` beyond `most` bytes,
 * and what `late` rejects with.
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
    // A part that nobody reads any more may end early.
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
  // `maxHeaderSize` is missing from its types.
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
  if (length > MAX_HEADERS_LENGTH) throw createInvalidError('body', 'must have parts with shorter headers')
  const [disposition = ''] = header['content-disposition'] ?? []
  const name = /^form-data\s*(?:;|$)/i.test(disposition) ? findParameter(disposition, 'name') : null
  if (name === null)
    throw createInvalidError('body', 'must have parts with Content-Disposition: form-data and a name')
  return { name, content_type: header['content-type']?.[0]?.trim() || null, body }
}

/** The content of a part. What ends it early is what went wrong with the body, however the parser puts it. */
async function* readContent(stream: Readable, parts: Queue<MultipartPart>): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    throw parts.failure ?? error
  }
}

/** A parameter of a header, such as `name` in `form-data; name="document"`; null if there is none. */
function findParameter(header: string, parameter: string): string | null {
  for (const [, name, quoted, plain] of header.matchAll(/;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g))
    if (name?.toLowerCase() === parameter) return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? null
  return null
}

function createIncompleteBodyError(): CofferError {
  return createInvalidError('body', 'must be whole: it ended before its last boundary')
}

/** The refusal of a document that is too large. */
export function createTooLargeError(): CofferError {
  return new CofferError('too_large', 'A document may have at most 50 MiB.')
}

/** What was added, in order, for one reader. */
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

  /** What `fail` was first called with; null if it was not. */
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
