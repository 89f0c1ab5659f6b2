import { type ExecFileOptions, execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program for at most five minutes, and gives what it prints. Rejects where it is not there, or fails. */
export async function command(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const all = { maxBuffer: 64 * 1024 * 1024, timeout: 300_000, ...options, encoding: 'utf8' as const }
  const { stdout, stderr } = await promisify(execFile)(program, args, all)
  return stdout + stderr
}

/** Whether a program runs and ends well. */
export async function succeeds(program: string, args: readonly string[], options?: ExecFileOptions) {
  return command(program, args, options).then(
    () => true,
    () => false,
  )
}
