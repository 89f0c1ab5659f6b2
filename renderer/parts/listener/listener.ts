import { copyText } from '../../ui/text/clipboard.ts'
import { host } from '../connection/vault.ts'
import { toast, toastFailure } from '../messages/toast.tsx'
import { envLines } from './env-lines.ts'
import { strings } from './strings.ts'

const t = strings

/** Opens the listener, on another port where one is given. */
export async function startListener(port?: number): Promise<void> {
  try {
    const state = await host.host.listenerOn(port === undefined ? {} : { port })
    if (state.state === 'on') toast(t.started(state.url))
  } catch (error) {
    toastFailure(error)
  }
}

/** Closes the listener; can be taken back. */
export async function stopListener(): Promise<void> {
  try {
    await host.host.listenerOff()
    toast(t.stopped, { undo: () => host.host.listenerOn({}) })
  } catch (error) {
    toastFailure(error)
  }
}

/** Puts the base URL on the clipboard. */
export async function copyBaseUrl(url: string): Promise<void> {
  await copyText(url)
  toast(t.copied(url))
}

/** Puts the `.env` lines on the clipboard. */
export async function copyEnv(url: string): Promise<void> {
  await copyText(envLines(url))
  toast(t.envCopied)
}
