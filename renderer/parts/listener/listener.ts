import { copyText } from '../../ui/text/clipboard.ts'
import { host } from '../connection/vault.ts'
import { toast, toastFailure } from '../messages/toast.tsx'
import { envLines } from './env-lines.ts'
import { strings } from './strings.ts'

const t = strings

/** Starts the listener, on another port if one is given. */
export async function startListener(port?: number): Promise<void> {
  try {
    const state = await host.host.listenerOn(port === undefined ? {} : { port })
    if (state.state === 'on') toast(t.started(state.url))
  } catch (error) {
    toastFailure(error)
  }
}

/** Stops the listener, with an undo. */
export async function stopListener(): Promise<void> {
  try {
    await host.host.listenerOff()
    toast(t.stopped, { undo: () => host.host.listenerOn({}) })
  } catch (error) {
    toastFailure(error)
  }
}

/** Copies the base URL. */
export async function copyBaseUrl(url: string): Promise<void> {
  await copyText(url)
  toast(t.copied(url))
}

/** Copies the `.env` lines. */
export async function copyEnv(url: string): Promise<void> {
  await copyText(envLines(url))
  toast(t.envCopied)
}
