import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { HostEvent } from '../../shared/host/events.ts'
import { channels } from './channels.ts'

// SECURITY: exposes two functions and nothing of Electron. Calls cross as JSON text, whose size is known before parsing.
contextBridge.exposeInMainWorld('vault', {
  async call(call: string): Promise<string> {
    return ipcRenderer.invoke(channels.call, String(call))
  },
  onEvent(listener: (event: HostEvent) => void): () => void {
    // SECURITY: passes on the data only, never Electron's event, which holds the sender.
    const forwardEvent = (_event: IpcRendererEvent, event: HostEvent) => listener(event)
    ipcRenderer.on(channels.event, forwardEvent)
    return () => ipcRenderer.off(channels.event, forwardEvent)
  },
})
