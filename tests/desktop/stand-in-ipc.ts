import type * as Electron from 'electron'

type IpcHandler = Parameters<Electron.IpcMain['handle']>[1]

const handlers = new Map<string, IpcHandler>()

/** Electron's `ipcMain`. */
export const ipcMain = {
  handle(channel: string, handler: IpcHandler): void {
    handlers.set(channel, handler)
  },
  async invoke(channel: string, event: object, args: unknown[]): Promise<unknown> {
    const handler = handlers.get(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    return structuredClone(await handler(event as Electron.IpcMainInvokeEvent, ...args))
  },
}
