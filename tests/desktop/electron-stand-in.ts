// What Coffer uses of Electron, over Node and a real Chromium; steered by the test that started this process.
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { app } from './stand-in-app.ts'
import { ipcMain } from './stand-in-ipc.ts'
import { session } from './stand-in-session.ts'
import { BrowserWindow } from './stand-in-window.ts'

export { app, BrowserWindow, ipcMain, session }

type Item = { label?: string; enabled?: boolean; click?: () => void; submenu?: Item[]; role?: string }

let schemes: unknown
export const protocol = {
  registerSchemesAsPrivileged(given: unknown): void {
    schemes = given
  },
}

let copied = ''
export const clipboard = {
  readText: async () => copied,
  async writeText(text: string): Promise<void> {
    copied = text
  },
  clear(): void {
    copied = ''
  },
}

const opened: string[] = []
export const shell = {
  async openExternal(url: string): Promise<void> {
    opened.push(url)
  },
}

let menu: Item[] = []
export const Menu = {
  buildFromTemplate: (template: Item[]) => template,
  setApplicationMenu(given: Item[]): void {
    menu = given
  },
}

let trayMenu: Item[] = []
export class Tray extends EventEmitter {
  setToolTip(): void {}
  setContextMenu(given: Item[]): void {
    trayMenu = given
  }
}

export const nativeImage = {
  createFromPath(file: string) {
    if (!fs.existsSync(file)) throw new Error(`no image ${file}`)
    return { setTemplateImage() {} }
  },
}
export const nativeTheme = { themeSource: 'system', shouldUseDarkColors: false }
export const powerMonitor = new EventEmitter()
export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] }
const errors: string[] = []
export const dialog = {
  showErrorBox(title: string, text: string): void {
    errors.push(`${title}: ${text}`)
    process.send?.({ error: `${title}: ${text}` })
  },
}

function clickIn(items: readonly Item[], label: string): boolean {
  return items.some((item) => {
    if (item.label === label && item.enabled !== false) {
      item.click?.()
      return true
    }
    return clickIn(item.submenu ?? [], label)
  })
}

/** The one window, once it is there and shows its page. */
async function theWindow(): Promise<BrowserWindow> {
  while (!BrowserWindow.all[0]) await new Promise(setImmediate)
  const [window] = BrowserWindow.all
  await window.loaded
  return window
}

const steps = {
  page: async (script: string) => (await theWindow()).webContents.page?.evaluate(script),
  refused: async () => (await theWindow()).refused,
  async window() {
    const window = await theWindow()
    const { webPreferences, ...rest } = window.options
    const { session: used, ...preferences } = webPreferences
    return {
      visible: window.visible,
      partition: used.partition,
      spellChecker: used.spellChecker,
      preferences,
      rest,
    }
  },
  closeWindow: async () => (await theWindow()).close(),
  schemes: () => schemes,
  calls: () => app.calls,
  power(event: string) {
    powerMonitor.emit(event)
  },
  clipboard: () => copied,
  copy(text: string) {
    copied = text
  },
  opened: () => opened,
  menu: (label: string) => clickIn(menu, label),
  tray: (label: string) => clickIn(trayMenu, label),
  trayLabels: () => trayMenu.map(({ label }) => label).filter(Boolean),
  theme: () => nativeTheme.themeSource,
  grants: (permission: string, url: string) => session.fromPartition('window').grants(permission, url),
  cancelled: (url: string) => session.fromPartition('window').isCancelled(url),
  quit() {
    app.quit()
  },
}
export type Steps = typeof steps

process.on('message', async ({ id, step, args }: { id: number; step: keyof Steps; args: string[] }) => {
  try {
    const run: (...given: string[]) => unknown = steps[step]
    process.send?.({ id, result: (await run(...args)) ?? null })
  } catch (error) {
    process.send?.({ id, failure: String(error) })
  }
})
process.on('disconnect', () => app.exit(1))
