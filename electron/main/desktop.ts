import path from 'node:path'
import { app, type BrowserWindow, clipboard, nativeTheme, session } from 'electron'
import type { HostStatus } from '../../shared/host.ts'
import { Host } from '../host/host.ts'
import { channels } from '../preload/channels.ts'
import { serveAppScheme } from './app-protocol.ts'
import { isAllowedLink } from './external-links.ts'
import { hardenContents } from './harden-contents.ts'
import { hardenSession } from './harden-session.ts'
import { answerCalls } from './ipc.ts'
import { setMenu } from './menu.ts'
import { watchPower } from './power.ts'
import { quitInOrder } from './quit.ts'
import { SecretClipboard } from './secret-clipboard.ts'
import { openTray } from './tray.ts'
import { openWindow } from './window.ts'

/** Puts the host into a window, a tray and a menu. Electron is ready. */
export function startDesktop(dataDir: string, folder: string): void {
  const secrets = new SecretClipboard(clipboard)
  const host = new Host({
    version: app.getVersion(),
    shell: 'desktop',
    dataDir,
    autoLock: true,
    copySecret: (text) => secrets.copy(text),
  })
  process.on('uncaughtExceptionMonitor', (error) => host.report(error, 'process'))
  // Electron goes on after one, and so does Coffer.
  process.on('unhandledRejection', (error) => host.report(error, 'process'))
  let status: HostStatus = host.statusNow()
  let window: BrowserWindow | undefined

  const built = path.join(import.meta.dirname, '..')
  const resources = path.join(app.getAppPath(), 'resources')
  // SECURITY: a session in memory: nothing the page shows is written to a cache on disk.
  const pageSession = session.fromPartition('window')
  hardenSession(pageSession)
  hardenContents((url) => isAllowedLink(url, status.listener))
  serveAppScheme(pageSession, path.join(built, 'renderer'))
  answerCalls(host, () => window?.webContents)

  const show = () => {
    if (window) {
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
      return
    }
    const opened = openWindow({
      session: pageSession,
      preload: path.join(built, 'preload', 'index.cjs'),
      folder,
      icon: path.join(resources, 'icons', '256x256.png'),
      report: host.report,
    })
    window = opened
    opened.on('close', (event) => {
      if (isLeaving()) return
      if (status.listener.state === 'on') {
        // Applications that use the listener go on: the tray holds Coffer.
        event.preventDefault()
        opened.hide()
      } else if (process.platform !== 'darwin') {
        // The window stays while it is asked what to do with unfinished work.
        event.preventDefault()
        app.quit()
      }
    })
    opened.on('session-end', leaveAtOnce)
    opened.on('closed', () => {
      window = undefined
    })
  }
  const { isLeaving, leaveAtOnce } = quitInOrder(host, secrets)
  const redrawTray = openTray(host, path.join(resources, trayIcon()), show)

  const draw = (next: HostStatus) => {
    // SECURITY: whoever locks takes the copied secret along, and so does who opens another vault.
    if (status.vault && status.vault.tenant_id !== next.vault?.tenant_id) void secrets.forget()
    status = next
    nativeTheme.themeSource = next.settings.appearance
    redrawTray(next)
  }
  host.subscribe((event) => {
    if (event.type === 'status') draw(event.status)
    if (window && !window.isDestroyed()) window.webContents.send(channels.event, event)
  })
  draw(status)

  setMenu({ lock: () => host.lock() })
  watchPower({
    leave() {
      void secrets.forget()
      host.lockUnattended()
    },
    wake: () => host.checkIdle(),
  })

  app.on('second-instance', show)
  app.on('activate', show)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  show()
}

function trayIcon(): string {
  return process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
}
