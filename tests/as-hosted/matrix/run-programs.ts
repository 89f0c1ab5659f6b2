import { execFile } from 'node:child_process'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { getTimeout } from '../../http/clients/timeouts.ts'
import { FORBIDDEN, startConstrained } from './constrained.ts'
import type { HostedProgram, HostedRuntime, OutsideResult } from './hosted-runtime.ts'

const OUTSIDE = 'https://outside.example/'
const SEPARATOR = '=== next program ==='
const cli = path.join(import.meta.dirname, '../../../electron/cli/run.mjs')
/** All that a program has in its environment, apart from what Coffer adds. */
const base = { PATH: process.env.PATH, HOME: process.env.HOME }

/** What became of a program. */
export type ProgramOutcome = {
  readonly title: string
  /** Whether it received 200 from the service. */
  readonly isAnswered: boolean
  /** Null for an application. */
  readonly outside: OutsideResult | null
  /**
   * Whether it says that it rejects a certificate that the authority's constraints forbid. Null if it does not accept
   * even the certificate that they permit, and for an application.
   */
  readonly isForbiddenRejected: boolean | null
  /** All that it has printed, to find out why it failed. */
  readonly printed: readonly string[]
}

/**
 * Runs the programs of a runtime one after another with `coffer run --as-hosted`, each without an argument and then with
 * a URL that Coffer does not answer. Then runs them against an authority whose constraints permit only one of two names.
 */
export async function runPrograms({ programs, folder }: HostedRuntime): Promise<ProgramOutcome[]> {
  const run = ['--disable-warning=ExperimentalWarning', cli, 'run', '--as-hosted', '--', 'sh', '-c']
  const outputs = await runScript(process.execPath, [...run, createScript(programs, OUTSIDE)], folder, base)
  const env = await startConstrained({ ...base, COFFER_API_KEY: 'key' })
  const constrained = await runScript(
    'sh',
    ['-c', createScript(programs, `https://${FORBIDDEN}/`)],
    folder,
    env,
  )
  return programs.map(({ title, isApplication }, at) => {
    const [own = '', other = ''] = outputs.slice(2 * at)
    const [permitted = '', forbidden = ''] = constrained.slice(2 * at)
    return {
      title,
      isAnswered: hasAnswer(own),
      outside: isApplication ? null : classifyOutside(other),
      isForbiddenRejected: !isApplication && hasAnswer(permitted) ? hasRejected(forbidden) : null,
      printed: [own, other, permitted, forbidden],
    }
  })
}

function hasAnswer(output: string): boolean {
  return /^\s*answered 200$/m.test(stripVTControlCharacters(output))
}

/** Whether a client says that it has rejected a certificate. The official client for Node says only that it failed. */
function hasRejected(output: string): boolean {
  return !hasAnswer(output) && /certif|constraint|subtree|PKIX|fetch failed/i.test(output)
}

function classifyOutside(output: string): OutsideResult {
  if (output.includes('outside.example is not an allowed destination')) return 'explained'
  return /\b403\b|tunnel/i.test(output) ? 'refused' : 'called'
}

function createScript(programs: readonly HostedProgram[], url: string): string {
  const calls = programs.flatMap(({ command, isApplication }) => {
    const line = ['timeout', '60', ...command].map(quoteWord).join(' ')
    return [line, isApplication ? ':' : `${line} ${url}`]
  })
  return ['exec 2>&1; export BT_API_KEY="$COFFER_API_KEY"', ...calls].join(`\necho; echo '${SEPARATOR}'\n`)
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Runs a script, and returns what each of its calls has printed. */
function runScript(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const options = { cwd, env, timeout: getTimeout(300_000), maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    // The exit code is that of the last call, which is meant to fail.
    execFile(command, args, options, (_error, stdout) => resolve(stdout.split(`${SEPARATOR}\n`).slice(1)))
  })
}
