import fs from 'node:fs'
import path from 'node:path'
import { areas, type Outcomes } from './areas.ts'
import { clients } from './clients.ts'

const file = path.join(import.meta.dirname, '../../../../docs/clients.md')
const begin = '<!-- Written by `npm run clients`. -->\n\n'
const end = '\n<!-- End of what it writes. -->'

/** The results of a run by client title: the outcomes, or why the client was not run. */
export type MatrixResults = ReadonlyMap<string, { readonly outcomes: Outcomes } | { readonly reason: string }>

type TableCell = 'yes' | 'no' | '–' | 'not run'

/** Formats the matrix as Markdown, with a row for each area and a column for each client. */
export function formatTable(seen: MatrixResults): string {
  const rows = areas.map((area) => [
    area,
    ...clients.map(({ title, lacks }): TableCell => {
      if (lacks.includes(area)) return '–'
      const client = seen.get(title)
      if (client === undefined || 'reason' in client) return 'not run'
      return client.outcomes[area] === 'ok' ? 'yes' : 'no'
    }),
  ])
  const lines = [['', ...clients.map(({ title }) => title)], ['---', ...clients.map(() => '---')], ...rows]
  const notRun = [...seen].flatMap(([title, each]) =>
    'reason' in each ? [`- ${title}: ${each.reason}.`] : [],
  )
  return [
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    ...(notRun.length > 0 ? ['', 'Not run:', '', ...notRun] : []),
    '',
  ].join('\n')
}

/** Returns docs/clients.md in three parts, of which the second is the matrix. */
function readParts(): [before: string, table: string, after: string] {
  // Git may have written the file with Windows line endings.
  const text = fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

export function readTable(): string {
  return readParts()[1]
}

/** Replaces the matrix in docs/clients.md with that of this run. */
export function writeTable(seen: MatrixResults): void {
  const [before, , after] = readParts()
  fs.writeFileSync(file, before + formatTable(seen) + after)
}
