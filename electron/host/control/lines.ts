import type { Readable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'

const LINE_END = 10

/**
 * Yields the lines of a stream as text. Throws `too_large` for a line of more than `maxBytes`. An unfinished last
 * line is dropped.
 */
export async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  let buffered: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      buffered.push(chunk.subarray(from, end))
      bytes += end - from
      if (bytes > maxBytes) throw createTooLongError()
      yield Buffer.concat(buffered).toString('utf8')
      buffered = []
      bytes = 0
      from = end + 1
    }
    buffered.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > maxBytes) throw createTooLongError()
  }
}

function createTooLongError(): CofferError {
  return new CofferError('too_large', 'A message over the control socket is too long.')
}
