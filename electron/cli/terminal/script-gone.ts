const EVERY_MS = 200

/**
 * Calls once when the npm script this program runs in is gone. npm hands SIGTERM to the shell between, which dies and
 * tells nobody; the vault and its port would stay taken.
 */
export function onScriptGone(gone: () => void): void {
  if (process.env.npm_package_name !== 'coffer') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    gone()
  }, EVERY_MS)
  timer.unref()
}
