// Plain JavaScript for the machine's own Node (20 or newer).
import { spawn } from 'node:child_process'
import path from 'node:path'
import { ownNode, root } from './install.mjs'

const installer = path.join(root, 'node_modules', 'electron', 'install.js')
export const source =
  process.env.ELECTRON_MIRROR || process.env.npm_config_electron_mirror || 'https://github.com'
/** Whether a proxy is configured. It may reach hosts that this process cannot reach itself. */
const isProxied = Object.entries(process.env).some(
  ([name, value]) => /^(https?|all)_proxy$/i.test(name) && value !== '',
)

/**
 * Fetches Electron's program by running its install script, because npm runs no install scripts here, and shows the
 * elapsed time. Returns null, or a sentence that says why it failed. The script can use an earlier download in the
 * user's cache, so it also runs offline, but with a short timeout.
 */
export async function fetchElectron({
  script = installer,
  from = source,
  limit_s = 300,
  offline_limit_s = 30,
} = {}) {
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  let currentLimit_s = limit_s
  let unreached = null
  void whyUnreached(from).then((reason) => {
    unreached = reason
    if (reason !== null) currentLimit_s = offline_limit_s
  })
  process.stderr.write(`Fetching Electron for the desktop window, for at most ${limit_s} seconds …\n`)
  const child = spawn(ownNode(), [script], { cwd: root, stdio: ['ignore', 2, 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  let tooLong = false
  const timer = setInterval(() => {
    if (process.stderr.isTTY) process.stderr.write(`\r${seconds()} s `)
    if (seconds() < currentLimit_s) return
    tooLong = true
    child.kill('SIGKILL')
  }, 1000)
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', resolve)
  })
  clearInterval(timer)
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  if (code === 0) return null
  const own = complaint.split('\n', 1)[0] || `the installer ended with ${code}`
  return `Electron could not be fetched: ${unreached ?? (tooLong ? `it took more than ${currentLimit_s} seconds` : own)}.`
}

/**
 * Returns the reason why a URL does not respond, as part of a sentence; null if it responds, or if a proxy may reach
 * it.
 */
export async function whyUnreached(url) {
  if (isProxied) return null

  try {
    await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5000) })
    return null
  } catch (error) {
    const why = error.name === 'TimeoutError' ? 'it does not respond' : (error.cause?.code ?? error.message)
    return `${new URL(url).host} cannot be reached (${why})`
  }
}
