import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** Starts a shell that keeps its variables and its folder between commands. It is killed when the test ends. */
export function startShell(cwd: string, env: Record<string, string>) {
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cwd,
    env: { ...env, HOME: cwd, LANG: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => {
    // The signal goes to the process group, so that programs in the background end too.
    if (shell.pid) process.kill(-shell.pid, 'SIGKILL')
  })
  let printed = ''
  let complained = ''
  let heard = () => {}
  let failed = () => {}
  shell.once('exit', () => failed())
  shell.stdout.on('data', (chunk) => {
    printed += chunk
    heard()
  })
  shell.stderr.on('data', (chunk) => {
    complained += chunk
  })
  const end = '--- the command ended with '

  /** Runs one command and returns its output. Rejects if the exit code is not 0. */
  return async function run(command: string): Promise<string> {
    printed = ''
    complained = ''
    // Standard input is empty, so that no program reads the next commands.
    shell.stdin.write(`{ ${command}\n} < /dev/null; ended=$?; echo; echo "${end}$ended"\n`)
    const code = await new Promise<string>((resolve, reject) => {
      heard = () => {
        const found = printed.lastIndexOf(end)
        if (found >= 0 && printed.endsWith('\n')) resolve(printed.slice(found + end.length).trim())
      }
      failed = () => reject(new Error(`The shell ended at: ${command}\n${complained}`))
    })
    const output = printed.slice(0, printed.lastIndexOf(end)).trim()
    if (code !== '0') throw new Error(`Ended with ${code}: ${command}\n${output}\n${complained}`)
    return output
  }
}
