import { spawn } from 'node:child_process'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '..', '..')

type ProgramOptions = { readonly cwd?: string; readonly env?: Record<string, string> }

/** Runs a program in a folder, by default the checkout, and returns its exit code and output. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd = root, env = {} }: ProgramOptions = {},
): Promise<{ code: number | null; text: string }> {
  // Without these variables, a nested test run does not consider itself part of this one.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|TEST_|JEST_|NODE_ENV$)/.test(name),
  )
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(own), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return new Promise((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve({ code, text })),
  )
}
