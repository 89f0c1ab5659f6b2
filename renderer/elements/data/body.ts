import type { ApiResponse } from './api.ts'

/** The body of a response: parsed JSON, or else its text; undefined if it is empty. */
export function parseBody(
  { text }: Pick<ApiResponse, 'text'>,
  read: (json: string) => unknown = JSON.parse,
): unknown {
  if (text === '') return undefined
  try {
    return read(text)
  } catch {
    return text
  }
}
