const POLL_INTERVAL_MS = 200

/**
 * Calls `onGone` once when the npm script that runs this program has ended. npm sends SIGTERM to the shell in between,
 * which dies without forwarding it, so the vault and its port would stay in use.
 */
export function watchParent(onGone: () => void): void {
  if (process.env.npm_package_name !== 'coffer') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, POLL_INTERVAL_MS)
  timer.unref()
}
