import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { toolEnvironment } from './download.ts'
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
  const rows = readParts()[1].split('\n').slice(2, -1)
  return rows.map((row) => {
    const [runtime = '', , client = ''] = row.slice(2).split(' | ')
    return `${runtime}, ${client}`
  })
}

/** Writes the table of programs into docs/clients.md, if all runtimes have been run with the expected results. */
export function writePrograms(seen: ReadonlyMap<string, readonly ProgramOutcome[]>): void {
  const rows = runtimes.flatMap((runtime) => {
    const version = readVersion(runtime)
    const outcomes = seen.get(runtime.title) ?? []
    return runtime.programs.map((program, at) => {
      const outcome = outcomes[at]
      return outcome ? [runtime.title, version, program.title, ...describeOutcome(program, outcome)] : []
    })
  })
  if (rows.some((row) => row.length === 0)) return
  const head = ['Runtime', 'Version', 'Client', 'Result', 'Way', 'Another name', 'Forbidden certificate']
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const [before, , after] = readParts()
  fs.writeFileSync(file, `${before}${lines.join('\n')}\n${after}`)
}

function describeOutcome(
  { outside: expected, fails }: HostedProgram,
  { isAnswered, outside, isForbiddenRejected }: ProgramOutcome,
) {
  const result = isAnswered ? 'works' : `fails: ${fails}`
  const route = !isAnswered ? '–' : expected === 'called' ? 'preload' : 'proxy'
  const certificate =
    isForbiddenRejected === null ? 'not tried' : isForbiddenRejected ? 'refused' : 'accepted'
  return [result, route, outside ?? 'not tried', certificate]
}

function readVersion({ version: [program = '', ...args] }: HostedRuntime): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: toolEnvironment })
  return /\d+(\.\d+)+/.exec(stdout + stderr)?.[0] ?? ''
}
