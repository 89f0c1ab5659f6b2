import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { _electron, type ElectronApplication } from 'playwright-core'
import type { Launch } from './launch-stand-in.ts'
import type { Program } from './start-desktop.ts'
import { pageSteps, type Steps } from './steps.ts'

type Electron = typeof import('electron')

/** Starts the built shell on the real Electron, not packaged. */
export function launchElectron({ root, dataDir, args }: Launch): Program {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-electron-'))
  const watcher = path.join(folder, 'watch.cjs')
  fs.writeFileSync(watcher, `(${watch})(require('electron'))`)
  const errors: string[] = []
  const launched = _electron.launch({
    args: ['-r', watcher, ...args, root],
    chromiumSandbox: true,
    env: { ...environment(), COFFER_DATA_DIR: dataDir, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
  })
  const note = (text: string) => {
    for (const [, said = ''] of text.matchAll(/coffer-error: (.*)/g)) errors.push(said)
  }
  const child = launched.then((program) => {
    const started = program.process()
    started.stderr?.on('data', (bytes: Buffer) => note(bytes.toString()))
    return started
  })
  const ended = child.then(
    (started) => started.exitCode ?? new Promise<number | null>((resolve) => started.on('exit', resolve)),
    // Ended before Playwright could take hold of it; what it said is in the reason.
    (reason: unknown) => {
      note(String(reason))
      return 1
    },
  )
  return {
    async run(step, given) {
      const program = await launched
      if (Object.hasOwn(pageSteps, step)) {
        const act: (page: Awaited<ReturnType<typeof firstPage>>, ...rest: string[]) => unknown =
          pageSteps[step as keyof typeof pageSteps]
        return act(await firstPage(program), ...given)
      }
      return program.evaluate((_electron, [name, rest]) => Reflect.get(globalThis, 'steps')[name](...rest), [
        step,
        given,
      ] as const)
    },
    ended,
    errors,
    async stop() {
      const program = await launched.catch(() => undefined)
      program?.process().kill()
      await ended
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function firstPage(program: ElectronApplication) {
  const page = await program.firstWindow()
  await page.waitForLoadState()
  return page
}

function environment(): Record<string, string> {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = process.env
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/**
 * Runs in Electron before the bundle: notes what nobody outside can see, and answers what would wait for a person.
 * Its text crosses, so it uses nothing of this module.
 */
function watch({
  app,
  BrowserWindow,
  clipboard,
  dialog,
  Menu,
  nativeTheme,
  powerMonitor,
  shell,
  Tray,
}: Electron): void {
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
  dialog.showErrorBox = (title, text) => void process.stderr.write(`coffer-error: ${title}: ${text}\n`)
  const ask = ({ message, buttons = [] }: Electron.MessageBoxOptions) => {
    asked.push(message)
    return new Promise<Electron.MessageBoxReturnValue>((resolve) => {
      reply = (button) => resolve({ response: buttons.indexOf(button), checkboxChecked: false })
    })
  }
  Object.assign(dialog, { showMessageBox: ask })
  app.on('session-created', (session) => {
    session.on('will-download', (_event, item) =>
      item.setSavePath(`${app.getPath('userData')}/${item.getFilename()}`),
    )
  })
  const click = (menu: Electron.Menu | null, label: string): boolean =>
    (menu?.items ?? []).some((item) => {
      if (item.label !== label || !item.enabled) return click(item.submenu ?? null, label)
      item.click()
      return true
    })
  const window = () => BrowserWindow.getAllWindows()[0]
  const steps: Steps = {
    clipboard: () => clipboard.readText(),
    copy: (text) => clipboard.writeText(text),
    opened: () => opened,
    menu: (label) => click(Menu.getApplicationMenu(), label),
    tray: (label) => click(trayMenu, label),
    trayLabels: () => trayMenu?.items.flatMap(({ label }) => label || []) ?? [],
    theme: () => nativeTheme.themeSource,
    power: (event) => void Reflect.apply(powerMonitor.emit, powerMonitor, [event]),
    sleep(ms) {
      asleep += Number(ms)
    },
    asked: () => asked,
    answer: (button) => reply?.(button),
    closeWindow: () => window()?.close(),
    isVisible: () => window()?.isVisible() === true,
    bounds: () => window()?.getNormalBounds() ?? { x: 0, y: 0, width: 0, height: 0 },
    crash: () => window()?.webContents.forcefullyCrashRenderer(),
    quit: () => app.quit(),
  }
  Object.assign(globalThis, { steps })
}
