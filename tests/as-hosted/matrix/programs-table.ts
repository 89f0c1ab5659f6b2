import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { HostedProgram, HostedRuntime } from './hosted-runtime.ts'
import type { ProgramOutcome } from './run-programs.ts'
import { runtimes } from './runtimes.ts'

const file = path.join(import.meta.dirname, '../../../docs/clients.md')
const begin = '<!-- Written by `npm run clients`, by running tests/as-hosted/programs. -->\n\n'
const end = '\n<!-- End of the programs. -->'

/** Returns the parts of docs/clients.md before the table of programs, the table, and what follows it. */
function readParts(): [before: string, table: string, after: string] {
  // Git may have written the file with Windows line endings.
  const text = fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

/** The runtimes and clients that the table in docs/clients.md has, in its order. */
export function listRows(): string[] {
  const rows = readParts()[1].split('\n').slice(2)
  return rows
    .filter((row) => row !== '')
    .map((row) =>
      row
        .split(' | ')
        .slice(0, 2)
        .join(' | ')
        .replace(/ \d[\w.-]* \|/, ' |'),
    )
}

/** Writes the table of programs into docs/clients.md, if all runtimes have been run. */
export function writePrograms(seen: ReadonlyMap<string, readonly ProgramOutcome[]>): void {
  const rows = runtimes.flatMap((runtime) => {
    const version = readVersion(runtime)
    const outcomes = seen.get(runtime.title) ?? []
    return runtime.programs.map((program, at) => {
      const outcome = outcomes[at]
      return outcome
        ? [`${runtime.title} ${version}`, program.title, ...describeOutcome(program, outcome)]
        : []
    })
  })
  if (rows.some((row) => row.length === 0)) return
  const head = ['Runtime', 'Client', 'Result', 'Way', 'Another name', 'Forbidden certificate']
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const [before, , after] = readParts()
  fs.writeFileSync(file, `${before}${lines.join('\n')}\n${after}`)
}

function describeOutcome(
  { isApplication, fails }: HostedProgram,
  { isAnswered, outside, accepts }: ProgramOutcome,
) {
  const result = isAnswered ? 'works' : `fails: ${fails}`
  const route = !isAnswered ? '–' : outside === 'called' || isApplication ? 'preload' : 'proxy'
  const certificate = accepts === null || !accepts[0] ? 'not tried' : accepts[1] ? 'accepted' : 'refused'
  return [result, route, outside ?? 'not tried', certificate]
}

function readVersion({ version: [program = '', ...args] }: HostedRuntime): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return /\d+(\.\d+)+/.exec(stdout + stderr)?.[0] ?? ''
}
