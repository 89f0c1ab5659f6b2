import { fork } from 'node:child_process'
import path from 'node:path'
import { findChromium } from '../e2e/chromium.ts'
import type { DesktopProgram } from './start-desktop.ts'

type StepResponse = { id?: number; result?: unknown; failure?: string; error?: string }
export type LaunchOptions = {
  readonly root: string
  readonly bundle: string
  readonly dataDir: string
  /** Command-line arguments of the program. */
  readonly args: readonly string[]
}

/** Starts the built main bundle with the stand-in for Electron. */
export function launchStandIn({ bundle, dataDir, args }: LaunchOptions): DesktopProgram {
  const child = fork(bundle, args, {
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--import',
      new URL('register.ts', import.meta.url).href,
    ],
    env: {
      ...process.env,
      CHROMIUM_PATH: findChromium(),
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      COFFER_DATA_DIR: path.resolve(dataDir),
      STAND_IN_PACKAGED: '1',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, (answer: StepResponse) => void>()
  const errors: string[] = []
  let last = 0
  child.on('message', (response: StepResponse) => {
    if (response.error !== undefined) errors.push(response.error)
    if (response.id !== undefined) waiting.get(response.id)?.(response)
  })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return {
    run: (step, input) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, ({ result, failure }) => {
          waiting.delete(id)
          if (failure === undefined) resolve(result)
          else reject(new Error(failure))
        })
        void ended.then(() => reject(new Error('The desktop shell has ended.')))
        child.send({ id, step, args: input }, (error) => error && reject(error))
      }),
    ended,
    errors,
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
