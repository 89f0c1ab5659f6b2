import { type ExecFileOptions, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { getTimeout, getTimeoutWithRegistry } from '../timeouts.ts'

/**
 * Runs a program and returns its output. It is stopped after five minutes or at the end of the matrix's time limit.
 * Rejects if the program is missing or fails.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const all = {
    maxBuffer: 64 * 1024 * 1024,
    timeout: getTimeout(300_000),
    ...options,
    encoding: 'utf8' as const,
  }
  const { stdout, stderr } = await promisify(execFile)(program, args, all)
  return stdout + stderr
}

/** Runs a program that may contact a registry. Returns whether it succeeded. */
export async function hasSucceeded(program: string, args: readonly string[], options?: ExecFileOptions) {
  return runCommand(program, args, { timeout: getTimeoutWithRegistry(300_000), ...options }).then(
    () => true,
    () => false,
  )
}
