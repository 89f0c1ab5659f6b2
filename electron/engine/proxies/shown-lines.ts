import { setImmediate as turn } from 'node:timers/promises'
import { Hidden } from './exchanges/hide.ts'
import { DOTS } from './secrets.ts'

/** The most characters of a line that are shown, and how many are looked through in one turn (rule R-03). */
const LINE = 8 * 1024

/**
 * Returns what code printed or gave, line by line, with every secret as dots (rule F-04). Lines that are longer are cut.
 * Where there are more secrets than can be looked for, nothing is shown.
 */
export async function shownLines(text: string, secrets: readonly string[]): Promise<string> {
  if (text === '') return ''
  // A secret of several lines is printed as several lines.
  const hidden = new Hidden(secrets.flatMap((secret) => [secret, ...linesOf(secret)]))
  if (hidden.isTooMuch) return DOTS
  const shown: string[] = []
  for (const part of partsOf(text)) {
    const isLong = part.length > LINE
    shown.push(isLong ? `${hidden.inBeginning(part.slice(0, LINE))}…\n` : hidden.in(part))
    await turn()
  }
  return shown.join('')
}

function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/)
  return lines.length === 1 ? [] : lines.filter((line) => line.trim().length >= 6)
}

/** A text in parts of whole lines. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const line of text.split(/(?<=\n)/)) {
    if (part !== '' && part.length + line.length > LINE) {
      parts.push(part)
      part = ''
    }
    part += line
  }
  return [...parts, part]
}
