import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ElectronApplication } from 'playwright-core'
import type { LaunchOptions } from './launch-stand-in.ts'
import type { DesktopProgram } from './start-desktop.ts'
import { pageSteps, type Steps } from './steps.ts'

type Electron = typeof import('electron')

/** Starts the built desktop program in the real Electron, without packaging it. */
export function launchElectron({ root, dataDir, args }: LaunchOptions): DesktopProgram {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-electron-'))
  const watcher = path.join(folder, 'watch.cjs')
  const errorsFile = path.join(folder, 'errors.txt')
  fs.writeFileSync(
    watcher,
    `(${recordCalls})(require('electron'), require('fs'), ${JSON.stringify(errorsFile)})`,
  )
  const errors: string[] = []
  const launched = import('playwright-core').then(({ _electron }) =>
    _electron.launch({
      args: ['-r', watcher, ...args, root],
      chromiumSandbox: true,
      env: {
        ...createEnvironment(),
        COFFER_DATA_DIR: dataDir,
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      },
    }),
  )
  const exit = launched.then(
    (program) => {
      const started = program.process()
      return started.exitCode ?? new Promise<number | null>((resolve) => started.on('exit', resolve))
    },
    // The program exited before Playwright could attach. Playwright usually reports the exit code. If it does not, the
    // code is 1 if a dialog was shown, otherwise 0.
    (reason: unknown) => Number(/exitCode=(\d+)/.exec(String(reason))?.[1] ?? fs.existsSync(errorsFile)),
  )
  const ended = exit.then((code) => {
    if (fs.existsSync(errorsFile)) errors.push(...fs.readFileSync(errorsFile, 'utf8').trimEnd().split('\n'))
    return code
  })
  return {
    async run(step, args) {
      const program = await launched
      // Does not use Playwright's page, which Playwright abandons once its process has crashed.
      if (step === 'runScript') return program.evaluate(runInPage, args[0] ?? '')
      if (step === 'saveFile') {
        await pageSteps.clickButton(await waitForFirstPage(program), args[0] ?? '')
        return program.evaluate(() => Reflect.get(globalThis, 'steps').waitForDownload())
      }
      if (Object.hasOwn(pageSteps, step)) {
        const act: (page: Awaited<ReturnType<typeof waitForFirstPage>>, ...rest: string[]) => unknown =
          pageSteps[step as keyof typeof pageSteps]
        return act(await waitForFirstPage(program), ...args)
      }
      return program.evaluate((_electron, [name, rest]) => Reflect.get(globalThis, 'steps')[name](...rest), [
        step,
        args,
      ] as const)
    },
    ended,
    errors,
    async stop() {
      const program = await launched.catch(() => undefined)
      // Exits from inside, because on Windows Playwright's process is only a shell that started the program.
      await program?.evaluate(({ app }) => app.exit(0)).catch(() => undefined)
      await ended
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Playwright sends this function to Electron as source text, so it must not refer to this module. */
async function runInPage({ app, BrowserWindow }: Electron, script: string): Promise<unknown> {
  let [window] = BrowserWindow.getAllWindows()
  if (!window) {
    await new Promise((resolve) => app.once('browser-window-created', resolve))
    ;[window] = BrowserWindow.getAllWindows()
  }
  return window?.webContents.executeJavaScript(script)
}

async function waitForFirstPage(program: ElectronApplication) {
  const page = await program.firstWindow()
  await page.waitForLoadState()
  return page
}

function createEnvironment(): Record<string, string> {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = process.env
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/**
 * Runs in Electron before the bundle. Records calls that are invisible from outside, and answers dialogs that would
 * wait for a person. It is sent as source text, so it must not refer to this module.
 */
function recordCalls(
  { app, BrowserWindow, clipboard, dialog, Menu, nativeTheme, powerMonitor, shell, Tray }: Electron,
  { appendFileSync }: typeof fs,
  errorsFile: string,
): void {
  const clock = Date.now
  let asleep = 0
  Date.now = () => clock() + asleep
  const opened: string[] = []
  const asked: string[] = []
  let trayMenu: Electron.Menu | null = null
  let reply: ((button: string) => void) | undefined
  const setContextMenu = Tray.prototype.setContextMenu
  Tray.prototype.setContextMenu = function (menu) {
    trayMenu = menu
    setContextMenu.call(this, menu)
  }
  shell.openExternal = async (url) => void opened.push(url)
  dialog.showErrorBox = (title, text) => appendFileSync(errorsFile, `${title}: ${text}\n`)
  const showQuestion = ({ message, buttons = [] }: Electron.MessageBoxOptions) => {
    asked.push(message)
    return new Promise<Electron.MessageBoxReturnValue>((resolve) => {
      reply = (button) => resolve({ response: buttons.indexOf(button), checkboxChecked: false })
    })
  }
  Object.assign(dialog, { showMessageBox: showQuestion })
  const saved = new Promise<string>((resolve) => {
    app.on('session-created', (session) => {
      session.on('will-download', (_event, item) => {
        item.setSavePath(`${app.getPath('userData')}/${item.getFilename()}`)
        resolve(item.getFilename())
      })
    })
  })
  const clickItem = (menu: Electron.Menu | null, label: string): boolean =>
    (menu?.items ?? []).some((item) => {
      if (item.label !== label || !item.enabled) return clickItem(item.submenu ?? null, label)
      item.click()
      return true
    })
  const getWindow = () => BrowserWindow.getAllWindows()[0]
  const steps: Steps = {
    readClipboard: () => clipboard.readText(),
    copyText: (text) => clipboard.writeText(text),
    listOpenedLinks: () => opened,
    clickMenu: (label) => clickItem(Menu.getApplicationMenu(), label),
    clickTray: (label) => clickItem(trayMenu, label),
    listTrayLabels: () => trayMenu?.items.flatMap(({ label }) => label || []) ?? [],
    getTheme: () => nativeTheme.themeSource,
    emitPowerEvent: (event) => void Reflect.apply(powerMonitor.emit, powerMonitor, [event]),
    moveClock(ms) {
      asleep += Number(ms)
    },
    listQuestions: () => asked,
    clickDialogButton: (button) => reply?.(button),
    closeWindow: () => getWindow()?.close(),
    isVisible: () => getWindow()?.isVisible() === true,
    getBounds: () => getWindow()?.getNormalBounds() ?? { x: 0, y: 0, width: 0, height: 0 },
    async crashPage() {
      const contents = getWindow()?.webContents
      const back = new Promise<void>((resolve) => contents?.once('did-finish-load', () => resolve()))
      contents?.forcefullyCrashRenderer()
      await back
    },
    quit: () => app.quit(),
  }
  Object.assign(globalThis, { steps: { ...steps, waitForDownload: () => saved } })
}
