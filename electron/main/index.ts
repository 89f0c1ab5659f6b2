import fs from 'node:fs'
import path from 'node:path'
import { app, dialog } from 'electron'
import { CofferError } from '../../shared/errors.ts'
import { toCofferError } from '../engine/db/storage-error.ts'
import { dataDirectory, prepareDataDirectory } from '../host/files/data-dir.ts'
import { registerAppScheme } from './app-protocol.ts'
import { startDesktop } from './desktop.ts'

/** Switches that take a wall down, and what is said of them. */
const refused: Readonly<Record<string, string>> = {
  // SECURITY: a debugger would read the vault through its window, and its port is open to every program.
  'remote-debugging-port': 'Coffer does not start with a debugger. Start it without.',
  'remote-debugging-pipe': 'Coffer does not start with a debugger. Start it without.',
  // SECURITY: an AppImage adds this by itself where the system forbids Chromium's sandbox.
  'no-sandbox':
    'Coffer does not start without its sandbox. Where this system forbids it, install the deb package.',
}

app.setName('Coffer')
// SECURITY: every page's process in the operating system's sandbox, also one that forgets to ask for it.
app.enableSandbox()
registerAppScheme()

try {
  const wish = Object.keys(refused).find((name) => app.commandLine.hasSwitch(name))
  if (app.isPackaged && wish !== undefined) throw new CofferError('forbidden', refused[wish] ?? '')
  const dataDir = dataDirectory()
  // Chromium's own files; a folder that no vault can be named like.
  const folder = path.join(dataDir, '.window')
  prepareDataDirectory(dataDir)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  app.setPath('userData', folder)
  // A second start shows the window of the first.
  if (!app.requestSingleInstanceLock()) app.quit()
  // Not awaited here: Electron is ready only after this file is done.
  else
    app
      .whenReady()
      .then(() => startDesktop(dataDir, folder))
      .catch(fail)
} catch (error) {
  fail(error)
}

function fail(error: unknown): void {
  // Before that, Linux shows no box.
  void app.whenReady().then(() => {
    dialog.showErrorBox('Coffer cannot start', toCofferError(error).message)
    app.exit(1)
  })
}
