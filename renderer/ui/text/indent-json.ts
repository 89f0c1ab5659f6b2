import { readJson } from '../../../shared/json.ts'

/** JSON on lines of its own, with every number as it was written; any other text as it is. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(readJson(text), null, 2)
  } catch {
    // Not JSON, or JSON with dots in place of a number.
    return text
  }
}
