import fs from 'node:fs'
import path from 'node:path'
import { app, dialog } from 'electron'
import { CofferError, toCofferError } from '../../shared/errors.ts'
import { dataDirectory, prepareDataDirectory } from '../host/data-dir.ts'
import { registerAppScheme } from './app-protocol.ts'
import { startDesktop } from './desktop.ts'

const debuggers = ['remote-debugging-port', 'remote-debugging-pipe']

app.setName('Coffer')
// SECURITY: every page's process in the operating system's sandbox, also one that forgets to ask for it.
app.enableSandbox()
registerAppScheme()

try {
  // SECURITY: a debugger would read the vault through its window, and its port is open to every program.
  if (app.isPackaged && debuggers.some((name) => app.commandLine.hasSwitch(name))) {
    throw new CofferError('forbidden', 'Coffer does not start with a debugger. Start it without.')
  }
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
  dialog.showErrorBox('Coffer cannot start', toCofferError(error).message)
  app.exit(1)
}
