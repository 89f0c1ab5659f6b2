import { type ChildProcess, fork as forkChild } from 'node:child_process'
import { EventEmitter } from 'node:events'

export type UtilityOptions = {
  readonly execArgv: string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

const portSource = `import { EventEmitter } from 'node:events'
const port = (process.parentPort = new EventEmitter())
process.on('message', (data) => port.emit('message', { data }))`

/**
 * An Electron utility process, built on a Node child process. Messages go through `parentPort`, and there is no stdin.
 */
export class Utility extends EventEmitter {
  readonly #child: ChildProcess

  constructor(file: string, args: string[], { execArgv, env, cwd }: UtilityOptions) {
    super()
    const port = `data:text/javascript,${encodeURIComponent(portSource)}`
    this.#child = forkChild(file, args, {
      execArgv: [...execArgv, '--import', port],
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    })
    this.#child.once('spawn', () => this.emit('spawn'))
    this.#child.once('exit', (code, signal) => this.emit('exit', signal === 'SIGABRT' ? 134 : (code ?? 1)))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get stdout() {
    return this.#child.stdout
  }

  postMessage(message: string): void {
    this.#child.send(message, () => {})
  }
}
