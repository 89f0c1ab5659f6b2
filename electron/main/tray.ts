import { app, clipboard, Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron'
import type { HostStatus } from '../../shared/host.ts'
import type { Host } from '../host/host.ts'

/** The tray's menu for a state of things. */
export function trayMenu(
  { vault, listener }: HostStatus,
  act: {
    show(): void
    lock(): void
    listenerOn(): void
    listenerOff(): void
    copy(text: string): void
    quit(): void
  },
): MenuItemConstructorOptions[] {
  const on = listener.state === 'on'
  return [
    { label: vault ? `Vault ${vault.name} is open` : 'Locked', enabled: false },
    { label: on ? `Listening on ${listener.url}` : 'Listener off', enabled: false },
    { type: 'separator' },
    { label: 'Open Coffer', click: act.show },
    { label: 'Lock', enabled: vault !== null, click: act.lock },
    on
      ? { label: 'Turn listener off', click: act.listenerOff }
      : { label: 'Turn listener on', click: act.listenerOn },
    { label: 'Copy base URL', enabled: on, click: () => on && act.copy(listener.url) },
    { type: 'separator' },
    { label: 'Quit', click: act.quit },
  ]
}

/** Puts Coffer into the tray, where the desktop has one; gives what redraws its menu. */
export function openTray(host: Host, icon: string, show: () => void): (status: HostStatus) => void {
  const image = nativeImage.createFromPath(icon)
  image.setTemplateImage(process.platform === 'darwin')
  const tray = new Tray(image)
  tray.setToolTip('Coffer')
  tray.on('click', show)
  const act = {
    show,
    lock: () => host.lock(),
    listenerOn: () => void host.listenerOn({}),
    listenerOff: () => void host.listenerOff(),
    copy: (text: string) => void clipboard.writeText(text),
    quit: () => app.quit(),
  }
  return (status) => tray.setContextMenu(Menu.buildFromTemplate(trayMenu(status, act)))
}
