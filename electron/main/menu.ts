import { app, Menu, type MenuItemConstructorOptions } from 'electron'

/** The program's menu, with the shortcuts people expect on their system. */
export function setMenu({ lock }: { lock: () => void }): void {
  const mac = process.platform === 'darwin'
  const about: MenuItemConstructorOptions = { label: 'About Coffer', click: () => app.showAboutPanel() }
  const template: MenuItemConstructorOptions[] = [
    ...(mac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              about,
              { type: 'separator' as const },
              { role: 'services' as const },
              { type: 'separator' as const },
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              { type: 'separator' as const },
              { role: 'quit' as const },
            ],
          },
        ]
      : []),
    {
      label: '&File',
      submenu: [
        { label: 'Lock', accelerator: 'CmdOrCtrl+L', click: lock },
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(app.isPackaged ? [] : [{ role: 'reload' as const }, { role: 'toggleDevTools' as const }]),
      ],
    },
    { role: 'windowMenu' },
    ...(mac ? [] : [{ label: '&Help', submenu: [about] }]),
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  app.setAboutPanelOptions({
    applicationName: 'Coffer',
    applicationVersion: app.getVersion(),
    copyright: 'A vault for developers. MIT licence.',
  })
}
