import { type ChildProcess, fork as forkChild } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { forkUtility } from '../../electron/main/fork-reactor.ts'
import { ReactorPool } from '../../electron/reactors/pool.ts'

type Options = { readonly execArgv: string[]; readonly env: NodeJS.ProcessEnv; readonly cwd: string }
const electron = vi.hoisted(() => ({ honours: true }))

/** Electron's utility processes over Node's: messages are `parentPort`'s, and there is no input. */
class Utility extends EventEmitter {
  readonly #child: ChildProcess
  constructor(file: string, args: string[], { execArgv, env, cwd }: Options) {
    super()
    const port = `data:text/javascript,${encodeURIComponent(portOf)}`
    const kept = electron.honours ? execArgv : execArgv.filter((each) => !/^--(permission|allow)/.test(each))
    this.#child = forkChild(file, args, {
      execArgv: [...kept, '--import', port],
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    })
    this.#child.once('spawn', () => this.emit('spawn'))
    this.#child.once('exit', (code, signal) => this.emit('exit', signal === 'SIGABRT' ? 134 : (code ?? 1)))
  }
  get pid() {
    return this.#child.pid
  }
  get stdout() {
    return this.#child.stdout
  }
  postMessage(message: string) {
    this.#child.send(message, () => {})
  }
}

const portOf = `import { EventEmitter } from 'node:events'
const port = (process.parentPort = new EventEmitter())
process.on('message', (data) => port.emit('message', { data }))`

vi.mock('electron', () => ({
  utilityProcess: {
    fork: (file: string, args: string[], options: Options) => new Utility(file, args, options),
  },
}))

const run = {
  owner: 'reactor',
  code: 'module.exports = (req) => req.args',
  args: '[1]',
  configuration: {},
  application: null,
  limit_ms: 30_000,
}

test("F-02 reactors run in Electron's own processes where these keep the permission model, and only there", async () => {
  const pool = new ReactorPool({ packagesDir: null, fork: forkUtility })
  onTestFinished(() => pool.close())
  expect((await pool.run(run)).ended).toEqual({ kind: 'returned', value: '[1]' })
  const endless = { ...run, code: 'module.exports = () => { for (;;); }', limit_ms: 200 }
  expect((await pool.run(endless)).ended).toMatchObject({ kind: 'failed', reason: 'time' })
  electron.honours = false
  expect((await pool.run({ ...run, owner: 'other' })).ended).toMatchObject({
    kind: 'failed',
    reason: 'start',
    detail: expect.stringContaining('permission model'),
  })
})
