import fs from 'node:fs'
import path from 'node:path'

const file = path.join(import.meta.dirname, '../../../docs/clients.md')

/** Returns docs/clients.md in three parts, of which the second is between two comments. */
function splitGuide(begin: string, end: string): [before: string, part: string, after: string] {
  // Git may have written the file with Windows line endings.
  const text = fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

/** Returns the part of docs/clients.md between two comments. */
export function readPart(begin: string, end: string): string {
  return splitGuide(begin, end)[1]
}

/** Replaces the part of docs/clients.md between two comments. */
export function writePart(begin: string, end: string, part: string): void {
  const [before, , after] = splitGuide(begin, end)
  fs.writeFileSync(file, before + part + after)
}
