import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import type * as Electron from 'electron'
import manifest from '../../package.json' with { type: 'json' }

/** An event whose default action can be prevented, like Electron's events. */
export class Preventable {
  defaultPrevented = false
  preventDefault(): void {
    this.defaultPrevented = true
  }
}

/**
 * The part of Electron's `app` that Coffer uses. Its single-instance lock is real: a lock file, and a second file that
 * the first instance watches.
 */
class App
  extends EventEmitter
  implements
    Pick<
      Electron.App,
      | 'isPackaged'
      | 'setName'
      | 'enableSandbox'
      | 'setPath'
      | 'getVersion'
      | 'getAppPath'
      | 'setAboutPanelOptions'
      | 'showAboutPanel'
      | 'requestSingleInstanceLock'
      | 'whenReady'
      | 'quit'
      | 'exit'
    >
{
  readonly isPackaged = process.env.STAND_IN_PACKAGED === '1'
  readonly calls: string[] = []
  readonly commandLine = {
    hasSwitch: (name) => process.argv.some((each) => each.split('=')[0] === `--${name}`),
  } satisfies Pick<Electron.CommandLine, 'hasSwitch'>
  readonly root = path.join(import.meta.dirname, '..', '..')
  /** Called before the process exits. */
  onEnd: () => Promise<void> = async () => {}
  closeWindows: () => boolean = () => true
  isStarted = false
  #userData = ''

  setName(name: string): void {
    this.calls.push(`setName ${name}`)
  }
  enableSandbox(): void {
    this.calls.push('enableSandbox')
  }
  setPath(name: string, folder: string): void {
    if (!fs.existsSync(folder)) throw new Error('Failed to set path')
    if (name === 'userData') this.#userData = folder
  }
  getVersion(): string {
    return manifest.version
  }
  getAppPath(): string {
    return this.root
  }
  setAboutPanelOptions(): void {}
  showAboutPanel(): void {
    this.calls.push('showAboutPanel')
  }

  requestSingleInstanceLock(): boolean {
    const file = path.join(this.#userData, 'stand-in.lock')
    const holder = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0
    if (isAlive(holder)) {
      fs.writeFileSync(path.join(this.#userData, 'stand-in.second'), '')
      return false
    }
    fs.writeFileSync(file, String(process.pid))
    fs.watch(this.#userData, (_event, name) => {
      if (name === 'stand-in.second') this.emit('second-instance', new Preventable(), [], '')
    }).unref()
    return true
  }

  whenReady(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.isStarted = true
        resolve()
      })
    })
  }

  quit(): void {
    const event = new Preventable()
    this.emit('before-quit', event)
    if (event.defaultPrevented || !this.closeWindows()) return
    this.emit('will-quit', new Preventable())
    void this.onEnd().then(() => process.exit(0))
  }

  exit(code: number): void {
    void this.onEnd().then(() => process.exit(code))
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

export const app = new App()
