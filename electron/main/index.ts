import fs from 'node:fs'
import path from 'node:path'
import { app, dialog } from 'electron'
import { CofferError } from '../../shared/errors.ts'
import { toCofferError } from '../engine/index.ts'
import { getDataDirectory, prepareDataDirectory } from '../host/files/data-dir.ts'
import { inDataFolder } from '../host/files/data-folder.ts'
import { registerAppScheme } from './app-protocol.ts'
import { startDesktop } from './desktop.ts'

/** Switches that would remove a protection, and the message for each. */
const rejectedSwitches: Readonly<Record<string, string>> = {
  // SECURITY: a debugger could read the vault through its window, and its port is open to every program.
  'remote-debugging-port': 'Coffer does not start with a debugger. Start it without one.',
  'remote-debugging-pipe': 'Coffer does not start with a debugger. Start it without one.',
  // SECURITY: an AppImage adds this switch where the system forbids Chromium's sandbox.
  'no-sandbox':
    'Coffer does not start without its sandbox. If this system forbids the sandbox, install the deb package.',
}

app.setName('Coffer')
// SECURITY: runs every page's process in the operating system's sandbox, even one that does not request it.
app.enableSandbox()
registerAppScheme()

try {
  const rejected = Object.keys(rejectedSwitches).find((name) => app.commandLine.hasSwitch(name))
  if (app.isPackaged && rejected !== undefined)
    throw new CofferError('forbidden', rejectedSwitches[rejected] ?? '')
  const dataDir = getDataDirectory()
  const folder = path.join(dataDir, inDataFolder.window)
  prepareDataDirectory(dataDir)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  app.setPath('userData', folder)
  // A second instance quits, and the first one shows its window.
  if (!app.requestSingleInstanceLock()) app.quit()
  // Not awaited: Electron becomes ready only after this file has finished.
  else
    app
      .whenReady()
      .then(() => startDesktop(dataDir, folder))
      .catch(showFailure)
} catch (error) {
  showFailure(error)
}

function showFailure(error: unknown): void {
  // Linux shows no dialog before Electron is ready.
  void app.whenReady().then(() => {
    dialog.showErrorBox('Coffer cannot start', toCofferError(error).message)
    app.exit(1)
  })
}
