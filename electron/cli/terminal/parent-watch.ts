const POLL_INTERVAL_MS = 200

/**
 * Calls `onGone` once when the npm script that runs this program has ended. npm sends SIGTERM only to the shell that
 * runs the script. The shell exits without forwarding the signal, so otherwise the vault and its port would stay in
 * use.
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
