import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { HostEvent } from '../../shared/host.ts'
import { channels } from './channels.ts'

// SECURITY: two functions and nothing of Electron; calls cross as JSON text, whose size is known before it is read.
contextBridge.exposeInMainWorld('vault', {
  async call(call: string): Promise<string> {
    return ipcRenderer.invoke(channels.call, String(call))
  },
  onEvent(listener: (event: HostEvent) => void): () => void {
    // SECURITY: the page gets the event's data, never Electron's event with its sender.
    const forward = (_event: IpcRendererEvent, event: HostEvent) => listener(event)
    ipcRenderer.on(channels.event, forward)
    return () => ipcRenderer.off(channels.event, forward)
  },
})
