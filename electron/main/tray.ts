import { app, clipboard, Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron'
import type { HostStatus, ListenerState } from '../../shared/host/status.ts'
import type { Host } from '../host/host.ts'

function createTrayMenu(
  { vault, listener }: HostStatus,
  act: {
    show(): void
    lock(): void
    listenerOn(port?: number): void
    listenerOff(): void
    copy(text: string): void
    quit(): void
  },
): MenuItemConstructorOptions[] {
  const on = listener.state === 'on'
  const next = listener.state === 'refused' ? listener.next_port : undefined
  return [
    { label: vault ? `Vault ${vault.name} is open` : 'Locked', enabled: false },
    { label: describeListener(listener), enabled: false },
    { type: 'separator' },
    { label: 'Open Coffer', click: act.show },
    { label: 'Lock', enabled: vault !== null, click: act.lock },
    on
      ? { label: 'Turn listener off', click: act.listenerOff }
      : { label: 'Turn listener on', click: () => act.listenerOn() },
    ...(next === undefined
      ? []
      : [{ label: `Turn listener on, port ${next}`, click: () => act.listenerOn(next) }]),
    { label: 'Copy base URL', enabled: on, click: () => on && act.copy(listener.url) },
    { type: 'separator' },
    { label: 'Quit', click: act.quit },
  ]
}

function describeListener(listener: ListenerState): string {
  switch (listener.state) {
    case 'on':
      return `Listening on ${listener.url}`
    case 'off':
      return 'Listener off'
    case 'refused':
      return listener.reason
  }
}

/** Puts Coffer in the tray, if the desktop has one; returns a function that redraws its menu. */
export function openTray(host: Host, icon: string, show: () => void): (status: HostStatus) => void {
  const image = nativeImage.createFromPath(icon)
  image.setTemplateImage(process.platform === 'darwin')
  const tray = new Tray(image)
  tray.setToolTip('Coffer')
  // On macOS a click opens the menu and also emits this event.
  if (process.platform !== 'darwin') tray.on('click', show)
  const act = {
    show,
    lock: () => host.lock(),
    listenerOn: (port?: number) => void host.startListener(port),
    listenerOff: () => void host.listener.turnOff(),
    copy: (text: string) => void clipboard.writeText(text),
    quit: () => app.quit(),
  }
  return (status) => tray.setContextMenu(Menu.buildFromTemplate(createTrayMenu(status, act)))
}
