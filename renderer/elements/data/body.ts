import type { Received } from './api.ts'

/** The body of an answer: JSON, else its text; undefined if it is empty. */
export function bodyOf(
  { text }: Pick<Received, 'text'>,
  read: (json: string) => unknown = JSON.parse,
): unknown {
  if (text === '') return undefined
  try {
    return read(text)
  } catch {
    return text
  }
}
