import { fork } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Operations } from '../../electron/engine/operations.ts'
import { createClient, type Reply } from '../../shared/client.ts'
import type { HostCommands } from '../../shared/host.ts'
import { tempFolder } from '../vault.ts'
import type { Steps } from './electron-stand-in.ts'

const root = path.join(import.meta.dirname, '..', '..')
const bundle = path.join(root, 'out', 'main', 'index.js')

type Answer = { id?: number; result?: unknown; failure?: string; error?: string }

/** As `launchDesktop`, gone when the test ends. */
export function startDesktop({ dataDir = path.join(tempFolder(), 'data') } = {}) {
  const desktop = launchDesktop(dataDir)
  onTestFinished(desktop.stop)
  return desktop
}

/** Starts the built main bundle over the stand-in for Electron. */
export function launchDesktop(dataDir: string) {
  if (!fs.existsSync(bundle)) throw new Error('The desktop shell is not built. Run: npm run build')
  const child = fork(bundle, {
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--import',
      path.join(import.meta.dirname, 'register.ts'),
    ],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      CHROMIUM_PATH: process.env.CHROMIUM_PATH,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      COFFER_DATA_DIR: dataDir,
      STAND_IN_PACKAGED: '1',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  const errors: string[] = []
  let last = 0
  child.on('message', (answer: Answer) => {
    if (answer.error !== undefined) errors.push(answer.error)
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const stop = async () => {
    if (child.connected) child.disconnect()
    await ended
  }

  /** Has the stand-in do or tell something. */
  const ask = (step: keyof Steps, ...args: string[]) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ result, failure }) =>
        failure === undefined ? resolve(result) : reject(new Error(failure)),
      )
      void ended.then(() => reject(new Error('The desktop shell has ended.')))
      child.send({ id, step, args }, (error) => error && reject(error))
    })
  const page = (script: string) => ask('page', script)
  /** The window's own way: through the built preload and IPC. */
  const window = createClient<Operations & HostCommands>(
    async (name, input) => (await page(`window.vault.call(${JSON.stringify({ name, input })})`)) as Reply,
  )
  return { ask, page, window, ended, errors, dataDir, stop }
}
