import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron'
import { CofferError, toProblem } from '../../shared/errors.ts'
import { MAX_CALL_BYTES } from '../../shared/host/window-call.ts'
import { parseJson } from '../../shared/safe-json.ts'
import { isIncident, toCofferError } from '../engine/index.ts'
import { runCommand } from '../host/commands/run-command.ts'
import type { Host } from '../host/host.ts'
import { channels } from '../preload/channels.ts'
import { isWindowUrl } from './origin.ts'

/**
 * Answers the window's calls. Errors are returned as values. Calls and replies are JSON text, because only text keeps
 * numbers as written (rule A-14).
 */
export function handleCalls(host: Host, contents: () => WebContents | undefined): void {
  ipcMain.handle(channels.call, async (event: IpcMainInvokeEvent, text: unknown): Promise<string> => {
    try {
      checkSender(event, contents())
      return JSON.stringify(await runCommand(host, parseCall(text)))
    } catch (error) {
      const rejection = toCofferError(error)
      if (isIncident(rejection)) host.reportIncident(rejection, 'IPC')
      return JSON.stringify({ ok: false, problem: toProblem(rejection) })
    }
  })
}

/** SECURITY: only the main frame of the one window may call, and only while it shows our own page. */
function checkSender({ sender, senderFrame }: IpcMainInvokeEvent, contents: WebContents | undefined): void {
  const isOurs =
    contents !== undefined &&
    sender === contents &&
    senderFrame !== null &&
    senderFrame === contents.mainFrame &&
    isWindowUrl(senderFrame.url)
  if (!isOurs) throw new CofferError('forbidden', 'Only the window of Coffer may do this.')
}

/**
 * SECURITY: accepts only text of limited size, and parses it as JSON without prototype keys or unlimited depth.
 */
function parseCall(text: unknown): unknown {
  if (typeof text !== 'string') throw new CofferError('invalid', 'A call must be JSON text.')
  if (Buffer.byteLength(text) > MAX_CALL_BYTES) {
    throw new CofferError('too_large', 'The call is larger than 16 MiB.')
  }
  return parseJson(text)
}
