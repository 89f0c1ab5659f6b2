const EVERY_MS = 200

/**
 * Calls `gone` once when the npm script running this program is gone. npm sends SIGTERM to the shell in between,
 * which dies without forwarding it; the vault and its port would stay taken.
 */
export function watchParent(onGone: () => void): void {
  if (process.env.npm_package_name !== 'coffer') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, EVERY_MS)
  timer.unref()
}
