import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { MAX_LINE_LENGTH, MAX_PART_LINES } from '../../../shared/schemas/account-updater.ts'

/** The maximum size of an uploaded file in bytes. */
export const MAX_FILE_BYTES = 30 * 1024 * 1024

/**
 * Yields the lines of a file, a few at a time, as they arrive. Throws `too_large`, and `invalid` for a line that is too
 * long (rule R-03).
 */
export async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let length = 0
  let rest = ''
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_FILE_BYTES) throw createTooLargeError()
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if ([...lines, rest].some((line) => line.length > MAX_LINE_LENGTH))
      throw createInvalidError('body', 'must have lines of at most 2,000 characters')
    for (let at = 0; at < lines.length; at += MAX_PART_LINES) yield lines.slice(at, at + MAX_PART_LINES)
  }
  if (rest !== '') yield [rest]
}

export function createTooLargeError(): CofferError {
  return new CofferError('too_large', 'The file can be at most 30 MiB.')
}
