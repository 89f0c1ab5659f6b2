import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron'
import { CofferError, toCofferError, toProblem } from '../../shared/errors.ts'
import { mostCallBytes } from '../../shared/host.ts'
import { parseJson } from '../../shared/safe-json.ts'
import { runCommand } from '../host/commands.ts'
import type { Host } from '../host/host.ts'
import { channels, hostPrefix } from '../preload/channels.ts'
import { isWindowUrl } from './origin.ts'

/**
 * Answers the window's calls: operations on one channel, host commands on another. Errors travel as values, and calls
 * and replies as JSON text, which alone keeps numbers as they are written (rule A-14).
 */
export function answerCalls(host: Host, contents: () => WebContents | undefined): void {
  const answer =
    (wantsHost: boolean) =>
    async (event: IpcMainInvokeEvent, text: unknown): Promise<string> => {
      try {
        checkSender(event, contents())
        const call = parseCall(text)
        const isHost = nameOf(call).startsWith(hostPrefix)
        if (isHost !== wantsHost) throw new CofferError('not_found', 'There is no such call on this channel.')
        return JSON.stringify(await runCommand(host, call))
      } catch (error) {
        return JSON.stringify({ ok: false, problem: toProblem(toCofferError(error)) })
      }
    }
  ipcMain.handle(channels.operation, answer(false))
  ipcMain.handle(channels.host, answer(true))
}

/** SECURITY: only the main frame of the one window, and only while it shows our own page. */
function checkSender({ sender, senderFrame }: IpcMainInvokeEvent, contents: WebContents | undefined): void {
  const isOurs =
    contents !== undefined &&
    sender === contents &&
    senderFrame !== null &&
    senderFrame === contents.mainFrame &&
    isWindowUrl(senderFrame.url)
  if (!isOurs) throw new CofferError('forbidden', 'Only the window of Coffer may do this.')
}

/** SECURITY: text of bounded size, read as JSON that has no prototype keys and no endless depth. */
function parseCall(text: unknown): unknown {
  if (typeof text !== 'string') throw new CofferError('invalid', 'A call is JSON text.')
  if (Buffer.byteLength(text) > mostCallBytes) {
    throw new CofferError('too_large', 'The call has more than 16 MiB.')
  }
  return parseJson(text)
}

function nameOf(call: unknown): string {
  const name = typeof call === 'object' && call !== null && 'name' in call ? call.name : ''
  return typeof name === 'string' ? name : ''
}
