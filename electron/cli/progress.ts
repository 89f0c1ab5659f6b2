import type { Watch } from '../host/background.ts'

/** Runs something long: how far it is shows on the terminal, and Ctrl-C ends it in good order. */
export async function withProgress<T>(label: string, work: (watch: Watch) => Promise<T>): Promise<T> {
  const { stderr } = process
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  let shown = -1
  const onProgress = (done: number, total: number) => {
    const percent = Math.floor((100 * done) / Math.max(total, 1))
    if (!stderr.isTTY || percent === shown) return
    shown = percent
    stderr.write(`\r${label} … ${percent} %`)
  }
  try {
    return await work({ signal: controller.signal, onProgress })
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    if (shown >= 0) stderr.write('\r\u001b[K')
  }
}
