import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Operations } from '../../electron/engine/operations.ts'
import type { HostCommands } from '../../electron/host/commands/catalogue.ts'
import { createClient, type Reply } from '../../shared/client.ts'
import type { WindowCall } from '../../shared/host/window-call.ts'
import { readJson } from '../../shared/json.ts'
import { createTempFolder } from '../vault.ts'
import type { StandInRecord } from './electron-stand-in.ts'
import { launchElectron } from './launch-electron.ts'
import { launchStandIn } from './launch-stand-in.ts'
import type { PageSteps, Steps } from './steps.ts'

const root = path.join(import.meta.dirname, '..', '..')

/** Whether the tests use the real Electron instead of the stand-in. */
export const isElectron = process.env.COFFER_ELECTRON === '1'

/** A running desktop program, from the built bundles. */
export type DesktopProgram = {
  run(step: string, args: readonly string[]): Promise<unknown>
  /** The exit code of the program, once it has exited. */
  readonly ended: Promise<number | null>
  /** The messages of the dialogs that the program showed before it exited. */
  readonly errors: readonly string[]
  stop(): Promise<void>
}

type AllSteps = Steps & PageSteps & StandInRecord
type StepInput<Step extends keyof AllSteps> = Step extends keyof PageSteps
  ? Parameters<PageSteps[Step]> extends [unknown, ...infer Rest]
    ? Rest
    : never
  : Parameters<AllSteps[Step]>

/** Starts the program like `launchDesktop`, and stops it when the test ends. */
export function startDesktop({
  dataDir = path.join(createTempFolder(), 'data'),
  args = [] as string[],
} = {}) {
  const desktop = launchDesktop(dataDir, args)
  onTestFinished(desktop.stop)
  return desktop
}

/** Starts the built desktop program: main bundle, preload and window. */
export function launchDesktop(
  dataDir: string,
  args: readonly string[] = [],
  bundle = path.join(root, 'out', 'main', 'index.js'),
) {
  if (!fs.existsSync(bundle)) throw new Error('The desktop shell is not built. Run: npm run build')
  const launch = isElectron ? launchElectron : launchStandIn
  const { run, ended, errors, stop } = launch({ root, bundle, dataDir, args })
  const runStep = <Step extends keyof AllSteps>(step: Step, ...input: StepInput<Step>) =>
    run(step, input as string[])
  const runScript = (script: string) => run('runScript', [script])
  /** Calls as the window does, through the built preload and IPC. */
  const window = createClient<Operations & HostCommands>(
    async (name, input) =>
      readJson((await runScript(callScript({ name, input }))) as string) as unknown as Reply,
  )
  return { runStep, runScript, window, ended, errors, dataDir, stop }
}

/** Returns the script that makes a call in the page. */
export function callScript(call: WindowCall): string {
  return `window.vault.call(${JSON.stringify(JSON.stringify(call))})`
}
