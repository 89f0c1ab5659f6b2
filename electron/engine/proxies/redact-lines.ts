import { setImmediate as turn } from 'node:timers/promises'
import { SecretRedactor } from './exchanges/secret-redactor.ts'
import { REDACTED } from './secrets.ts'

/** The most characters of a line that are shown, and how many are looked through in one turn (rule R-03). */
const MAX_LINE_LENGTH = 8 * 1024

/**
 * Returns what code printed or gave, line by line, with every secret as dots (rule F-04). Lines that are longer are cut.
 * Where there are more secrets than can be looked for, nothing is shown.
 */
export async function redactLines(text: string, secrets: readonly string[]): Promise<string> {
  if (text === '') return ''
  // A secret of several lines is printed as several lines.
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

/** A text in parts of whole lines. */
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
