import { spawn } from 'node:child_process'
import type { StarterKeys } from '../../host/first-data/starter-applications.ts'
import { exitCodeOf } from './interrupted.ts'

/**
 * Runs a shell command with the vault in its environment. Returns its exit code, or that of the signal that ended it.
 * SIGTERM is forwarded; Ctrl-C in a terminal reaches the command anyway.
 */
export function runWithVault(command: string, url: string, keys: StarterKeys | undefined): Promise<number> {
  const child = spawn(command, { shell: true, stdio: 'inherit', env: environmentOf(url, keys) })
  const handOn = () => child.kill('SIGTERM')
  const wait = () => {}
  process.on('SIGTERM', handOn).on('SIGINT', wait)
  return new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(signal ? exitCodeOf(signal) : (code ?? 1)))
  }).finally(() => process.off('SIGTERM', handOn).off('SIGINT', wait))
}

/** The secrets that open a vault are no longer in the environment by now. */
function environmentOf(url: string, keys: StarterKeys | undefined): NodeJS.ProcessEnv {
  return {
    ...process.env,
    COFFER_BASE_URL: url,
    ...(keys && {
      COFFER_API_KEY: keys.private,
      COFFER_PUBLIC_KEY: keys.public,
      COFFER_MANAGEMENT_KEY: keys.management,
    }),
  }
}
