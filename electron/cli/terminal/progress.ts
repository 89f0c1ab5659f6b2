import type { Watch } from '../../host/work/background.ts'
import { Interrupted } from './interrupted.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs long work with progress on the terminal; Ctrl-C cancels it cleanly. Throws `Interrupted` where a signal ended
 * it.
 */
export async function withProgress<T>(label: string, work: (watch: Watch) => Promise<T>): Promise<T> {
  const { stderr } = process
  const controller = new AbortController()
  let by: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    by = signal
    controller.abort()
  }
  for (const signal of signals) process.once(signal, stop)
  let shown = ''
  const onProgress = (done: number, total: number) => {
    const now = total > 0 ? `${Math.floor((100 * done) / total)} %` : `${(done / 1e6).toFixed(1)} MB`
    if (!stderr.isTTY || now === shown) return
    shown = now
    stderr.write(`\r${label} … ${now}`)
  }
  try {
    return await work({ signal: controller.signal, onProgress })
  } catch (error) {
    throw by === undefined ? error : new Interrupted(by, error)
  } finally {
    for (const signal of signals) process.off(signal, stop)
    if (shown !== '') stderr.write('\r\u001b[K')
  }
}
