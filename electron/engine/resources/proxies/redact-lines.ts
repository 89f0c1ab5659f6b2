import { setImmediate as turn } from 'node:timers/promises'
import { SecretRedactor } from './exchanges/secret-redactor.ts'
import { REDACTED } from './secrets.ts'

/** The maximum length of a returned line, and of the text searched in one turn, in characters (rule R-03). */
const MAX_LINE_LENGTH = 8 * 1024

/**
 * Redacts every secret in the output or result of code, line by line (rule F-04). Lines longer than 8,192 characters
 * are truncated. If there are too many secrets to search for, the whole text is redacted.
 */
export async function redactLines(text: string, secrets: readonly string[]): Promise<string> {
  if (text === '') return ''
  // The lines of a secret with several lines are also secrets, because the search is line by line.
  const redactor = new SecretRedactor(secrets.flatMap((secret) => [secret, ...splitLines(secret)]))
  if (redactor.hasTooManySecrets) return REDACTED
  const redacted: string[] = []
  for (const chunk of splitIntoChunks(text)) {
    const isLong = chunk.length > MAX_LINE_LENGTH
    redacted.push(
      isLong ? `${redactor.redactPrefix(chunk.slice(0, MAX_LINE_LENGTH))}…\n` : redactor.redact(chunk),
    )
    await turn()
  }
  return redacted.join('')
}

function splitLines(secret: string): string[] {
  const lines = secret.split(/\r?\n/)
  return lines.length === 1 ? [] : lines.filter((line) => line.trim().length >= 6)
}

/** Splits the output into chunks of complete lines. */
function splitIntoChunks(text: string): string[] {
  const chunks: string[] = []
  let chunk = ''
  for (const line of text.split(/(?<=\n)/)) {
    if (chunk !== '' && chunk.length + line.length > MAX_LINE_LENGTH) {
      chunks.push(chunk)
      chunk = ''
    }
    chunk += line
  }
  return [...chunks, chunk]
}
