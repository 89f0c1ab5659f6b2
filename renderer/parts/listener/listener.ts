import { copyText } from '../../ui/text/clipboard.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast, showToast } from '../messages/toast.tsx'
import { formatEnvLines } from './env-lines.ts'
import { strings as t } from './strings.ts'

export async function startListener(port?: number): Promise<void> {
  try {
    const state = await host.listenerOn(port === undefined ? {} : { port })
    if (state.state === 'on') showToast(t.started(state.url))
  } catch (error) {
    showFailureToast(error)
  }
}

export async function stopListener(): Promise<void> {
  try {
    await host.listenerOff()
    showToast(t.stopped, { undo: () => host.listenerOn({}) })
  } catch (error) {
    showFailureToast(error)
  }
}

export async function copyBaseUrl(url: string): Promise<void> {
  await copyText(url)
  showToast(t.copied(url))
}

export async function copyEnv(url: string): Promise<void> {
  await copyText(formatEnvLines(url))
  showToast(t.envCopied)
}
