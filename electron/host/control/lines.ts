import type { Readable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'

const LINE_END = 10

/** The lines of a stream as text. Throws `too_large` for one of more than `most` bytes. A last line without an end is no line. */
export async function* linesOf(stream: Readable, most: number): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      pieces.push(chunk.subarray(from, end))
      bytes += end - from
      if (bytes > most) throw tooLong()
      yield Buffer.concat(pieces).toString('utf8')
      pieces = []
      bytes = 0
      from = end + 1
    }
    pieces.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > most) throw tooLong()
  }
}

function tooLong(): CofferError {
  return new CofferError('too_large', 'A message over the control socket is too long.')
}
