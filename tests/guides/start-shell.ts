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
  let errors = ''
  let onOutput = () => {}
  let onExit = () => {}
  shell.once('exit', () => onExit())
  shell.stdout.on('data', (chunk) => {
    printed += chunk
    onOutput()
  })
  shell.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const end = '--- the command ended with '

  /** Runs one command and returns its output. Rejects if the exit code is not 0. */
  return async function run(command: string): Promise<string> {
    printed = ''
    errors = ''
    // Standard input is empty, so that no program reads the next commands.
    shell.stdin.write(`{ ${command}\n} < /dev/null; ended=$?; echo; echo "${end}$ended"\n`)
    const code = await new Promise<string>((resolve, reject) => {
      onOutput = () => {
        const found = printed.lastIndexOf(end)
        if (found >= 0 && printed.endsWith('\n')) resolve(printed.slice(found + end.length).trim())
      }
      onExit = () => reject(new Error(`The shell ended at: ${command}\n${errors}`))
    })
    const output = printed.slice(0, printed.lastIndexOf(end)).trim()
    if (code !== '0') throw new Error(`Ended with ${code}: ${command}\n${output}\n${errors}`)
    return output
  }
}
