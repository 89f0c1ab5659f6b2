// The part of Electron's API that Coffer uses, implemented with Node and a real Chromium. The test that started this
// process controls it.
import { EventEmitter, once } from 'node:events'
import fs from 'node:fs'
import type * as Electron from 'electron'
import type { Page } from 'playwright-core'
import { app, Preventable } from './stand-in-app.ts'
import { ipcMain } from './stand-in-ipc.ts'
import { session } from './stand-in-session.ts'
import { Utility, type UtilityOptions } from './stand-in-utility.ts'
import { BrowserWindow } from './stand-in-window.ts'
import { type PageSteps, pageSteps, type Steps } from './steps.ts'

export { app, BrowserWindow, ipcMain, session }

// The wall clock can be moved, as it moves while a computer sleeps.
const clock = Date.now
let asleep = 0
Date.now = () => clock() + asleep

type MenuItem = Pick<Electron.MenuItemConstructorOptions, 'label' | 'enabled'> & {
  click?: () => void
  submenu?: MenuItem[]
}

let schemes: Electron.CustomScheme[] = []
export const protocol = {
  registerSchemesAsPrivileged(customSchemes) {
    schemes = customSchemes
  },
} satisfies Pick<Electron.Protocol, 'registerSchemesAsPrivileged'>

let copied = ''
export const clipboard = {
  readText: async () => copied,
  async writeText(text) {
    copied = text
  },
  clear() {
    copied = ''
  },
} satisfies Pick<Electron.Clipboard, 'readText' | 'writeText' | 'clear'>

const opened: string[] = []
export const shell = {
  async openExternal(url) {
    opened.push(url)
  },
} satisfies Pick<Electron.Shell, 'openExternal'>

let menu: MenuItem[] = []
export const Menu = {
  buildFromTemplate: (template: MenuItem[]) => template,
  setApplicationMenu(items: MenuItem[]): void {
    menu = items
  },
}

let trayMenu: MenuItem[] = []
export class Tray extends EventEmitter {
  setToolTip(_text: Parameters<Electron.Tray['setToolTip']>[0]): void {}
  setContextMenu(items: MenuItem[]): void {
    trayMenu = items
  }
}

export const nativeImage = {
  createFromPath(file: string) {
    if (!fs.existsSync(file)) throw new Error(`no image ${file}`)
    return { setTemplateImage() {} }
  },
}
export const nativeTheme = {
  themeSource: 'system',
  shouldUseDarkColors: false,
} satisfies Pick<Electron.NativeTheme, 'themeSource' | 'shouldUseDarkColors'>
export const powerMonitor = new EventEmitter()

export const utilityProcess = {
  fork: (file: string, args: string[], options: UtilityOptions) => new Utility(file, args, options),
}
const display = { workArea: { x: 0, y: 0, width: 1920, height: 1080 } } satisfies Partial<Electron.Display>
export const screen = { getAllDisplays: () => [display] }

const asked: string[] = []
let reply: ((button: string) => void) | undefined
export const dialog = {
  showErrorBox(title: string, text: string): void {
    // On Linux, a dialog before the program is ready is invisible.
    process.send?.({ error: app.isStarted ? `${title}: ${text}` : 'a box that came too early' })
  },
  showMessageBox({ message, buttons = [] }: Electron.MessageBoxOptions) {
    asked.push(message)
    return new Promise<Electron.MessageBoxReturnValue>((resolve) => {
      reply = (button) => resolve({ response: buttons.indexOf(button), checkboxChecked: false })
    })
  },
} satisfies Pick<Electron.Dialog, 'showErrorBox'> & { showMessageBox: unknown }

function clickItem(items: readonly MenuItem[], label: string): boolean {
  return items.some((item) => {
    if (item.label === label && item.enabled !== false) {
      item.click?.()
      return true
    }
    return clickItem(item.submenu ?? [], label)
  })
}

/** The window, once it exists and shows its page. */
async function requireWindow(): Promise<BrowserWindow> {
  // The constructor of BrowserWindow emits this event.
  if (!BrowserWindow.all[0]) await once(app, 'web-contents-created')
  const [window] = BrowserWindow.all
  if (!window) throw new Error('there is no window')
  await window.loaded
  return window
}

const sharedSteps = {
  readClipboard: () => copied,
  copyText(text) {
    copied = text
  },
  listOpenedLinks: () => opened,
  clickMenu: (label) => clickItem(menu, label),
  clickTray: (label) => clickItem(trayMenu, label),
  listTrayLabels: () => trayMenu.flatMap(({ label }) => label ?? []),
  getTheme: () => nativeTheme.themeSource,
  emitPowerEvent(event) {
    powerMonitor.emit(event, new Preventable())
  },
  moveClock(ms) {
    asleep += Number(ms)
  },
  listQuestions: () => asked,
  clickDialogButton(button) {
    reply?.(button)
    reply = undefined
  },
  closeWindow: () => void BrowserWindow.all[0]?.close(),
  isVisible: () => BrowserWindow.all[0]?.visible === true,
  getBounds: () => BrowserWindow.all[0]?.getNormalBounds() ?? nowhere,
  crashPage: () => BrowserWindow.all[0]?.crashPage(),
  quit: () => app.quit(),
} satisfies Steps

const nowhere = { x: 0, y: 0, width: 0, height: 0 }

/** The program's calls to Electron, which only the stand-in can report. */
const ownSteps = {
  listBlockedUrls: async () => (await requireWindow()).blockedUrls,
  async getWindowOptions() {
    const { webPreferences, ...rest } = (await requireWindow()).options
    const { session: used, ...preferences } = webPreferences
    const { partition, spellChecker, proxy } = used
    const { webRtc } = (await requireWindow()).webContents
    return { partition, spellChecker, proxy, webRtc, preferences, rest }
  },
  getSchemes: () => schemes,
  listCalls: () => app.calls,
  listGrants: (permission: string, url: string) =>
    session.fromPartition('window').listGrants(permission, url),
  isCancelled: (url: string) => session.fromPartition('window').isCancelled(url),
  canRecordScreen: () => session.fromPartition('window').canRecordScreen(),
  /** Emits the event that Windows sends when the user logs off. */
  endSession: () => void BrowserWindow.all[0]?.emit('session-end', new Preventable()),
  canDownload: (url: string) => session.fromPartition('window').canDownload(url),
  runInSibling: async (script: string) => (await requireWindow()).runInSibling(script),
  leavePage: async () => (await requireWindow()).leavePage(),
}
export type StandInRecord = typeof ownSteps

const steps = { ...sharedSteps, ...ownSteps }

process.on('message', async ({ id, step, args }: { id: number; step: string; args: string[] }) => {
  try {
    if (Object.hasOwn(pageSteps, step)) {
      const run: (page: Page, ...texts: string[]) => unknown = pageSteps[step as keyof PageSteps]
      const { page } = (await requireWindow()).webContents
      if (!page) throw new Error('there is no page')
      process.send?.({ id, result: (await run(page, ...args)) ?? null })
    } else {
      const run: (...texts: string[]) => unknown = steps[step as keyof typeof steps]
      process.send?.({ id, result: (await run(...args)) ?? null })
    }
  } catch (error) {
    process.send?.({ id, failure: String(error) })
  }
})
process.on('disconnect', () => app.exit(1))
