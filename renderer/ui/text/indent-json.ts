import { readJson } from '../../../shared/json.ts'

/** Indents JSON without changing how numbers are written. Any other text is returned unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(readJson(text), null, 2)
  } catch {
    // Not JSON, or JSON in which a number is redacted.
    return text
  }
}
