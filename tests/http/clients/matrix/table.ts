import { readPart, writePart } from '../guide-part.ts'
import { areas, type Outcomes } from './areas.ts'
import { clients } from './clients.ts'

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

export function readTable(): string {
  return readPart(begin, end)
}

/** Replaces the matrix in docs/clients.md with that of this run. */
export function writeTable(seen: MatrixResults): void {
  writePart(begin, end, formatTable(seen))
}
