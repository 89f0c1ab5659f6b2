import path from 'node:path'
import { app, clipboard, nativeTheme, powerMonitor, type Session, session } from 'electron'
import type { HostStatus } from '../../shared/host/status.ts'
import { openControlSocket } from '../host/control/serve-control.ts'
import { Host } from '../host/host.ts'
import { startWatchdog } from '../host/jobs/watchdog.ts'
import { wipeFreedMemory } from '../host/jobs/wipe-freed-memory.ts'
import { channels } from '../preload/channels.ts'
import { serveAppScheme } from './app-protocol.ts'
import { forkReactor } from './fork-reactor.ts'
import { hardenContents, hardenSession, isAllowedLink } from './harden-window.ts'
import { handleCalls } from './ipc.ts'
import { setMenu } from './menu.ts'
import { OneWindow } from './one-window.ts'
import { quitInOrder } from './quit.ts'
import { SecretClipboard } from './secret-clipboard.ts'
import { openTray } from './tray.ts'
import { openWindow } from './window.ts'

/** The build folder; the desktop program is in its `main` subfolder. */
const built = path.join(import.meta.dirname, '..')

/** Gives the host a window, a tray and a menu. Call once Electron is ready. */
export function startDesktop(dataDir: string, folder: string): void {
  const secrets = new SecretClipboard(clipboard)
  const host = new Host({
    version: app.getVersion(),
    shell: 'desktop',
    dataDir,
    autoLock: true,
    copySecret: (text) => secrets.copySecret(text),
    fork: forkReactor,
    onLocked: () => void wipeFreedMemory(),
  })
  void openControlSocket(host).catch((error) => host.reportIncident(error, 'control socket'))
  startWatchdog(host.reportIncident)
  process.on('uncaughtExceptionMonitor', (error) => host.reportIncident(error, 'process'))
  // A listener for unhandled rejections keeps Node from exiting: Coffer reports them and goes on.
  process.on('unhandledRejection', (error) => host.reportIncident(error, 'process'))
  let status: HostStatus = host.getStatus()
  const resources = path.join(app.getAppPath(), 'resources')
  const pageSession = createWindowSession(() => status)
  const { isQuitting, quitNow } = quitInOrder(host, secrets)
  const window = new OneWindow(
    () =>
      openWindow({
        session: pageSession,
        preload: path.join(built, 'preload', 'index.cjs'),
        folder,
        icon: path.join(resources, 'icons', '256x256.png'),
        report: host.reportIncident,
      }),
    { isQuitting, quitNow, isListening: () => status.listener.state === 'on' },
  )
  handleCalls(host, () => window.contents)
  const showWindow = () => window.show()
  const redrawTray = openTray(host, path.join(resources, loadTrayIcon()), showWindow)

  const applyStatus = (next: HostStatus) => {
    // SECURITY: clear a copied secret from the clipboard when the vault is locked or another one is opened.
    if (status.vault && status.vault.tenant_id !== next.vault?.tenant_id) void secrets.clearSecret()
    status = next
    nativeTheme.themeSource = next.settings.appearance
    redrawTray(next)
  }
  host.subscribe((event) => {
    if (event.type === 'status') applyStatus(event.status)
    window.contents?.send(channels.event, event)
  })
  applyStatus(status)

  setMenu({ lock: () => host.lock() })
  watchPower({
    onLeave() {
      void secrets.clearSecret()
      host.lockUnattended()
    },
    onWake: () => host.checkIdle(),
  })
  app.on('second-instance', showWindow)
  app.on('activate', showWindow)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  showWindow()
}

/** SECURITY: an in-memory session: nothing the page shows is cached on disk. */
function createWindowSession(status: () => HostStatus): Session {
  const pageSession = session.fromPartition('window')
  hardenSession(pageSession)
  hardenContents((url) => isAllowedLink(url, status().listener))
  serveAppScheme(pageSession, path.join(built, 'renderer'))
  return pageSession
}

function loadTrayIcon(): string {
  return process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
}

/** Locks when nobody is at the computer. Linux reports sleep, but not its lock screen. */
function watchPower({ onLeave, onWake }: { onLeave: () => void; onWake: () => void }): void {
  // SECURITY: wipe the keys before the computer sleeps or someone else can sit down.
  powerMonitor.on('suspend', onLeave)
  powerMonitor.on('lock-screen', onLeave)
  powerMonitor.on('user-did-resign-active', onLeave)
  // SECURITY: timers do not run during sleep, so check on waking whether the vault should have been locked.
  powerMonitor.on('resume', onWake)
  powerMonitor.on('unlock-screen', onWake)
}
