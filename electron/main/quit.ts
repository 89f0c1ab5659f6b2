import { app, dialog, powerMonitor } from 'electron'
import type { JobName } from '../../shared/host/events.ts'
import type { Host } from '../host/host.ts'
import { jobDescriptions } from '../host/jobs/jobs.ts'
import type { SecretClipboard } from './secret-clipboard.ts'

/** How long to wait for open requests before quitting anyway. */
const QUIT_TIMEOUT_MS = 5000

/**
 * Quits in this order: jobs finish, or the owner stops them; keys, listener and clipboard are cleared; the program
 * ends. `isQuitting` returns whether clearing has begun. `quitNow` is for a system shutdown, which does not wait for a
 * dialog.
 */
export function quitInOrder(
  host: Host,
  secrets: SecretClipboard,
): { isQuitting: () => boolean; quitNow: () => void } {
  let asking = false
  /** Counts the requests to quit, so that a newer request replaces a waiting one. */
  let requestCount = 0
  let quitting = false
  let ready = false

  async function quitProgram(): Promise<void> {
    const current = ++requestCount
    // Cancel a deletion that can still be undone, so that quitting deletes nothing.
    await host.bulk.undoDeletion()
    if (host.jobs.running.length > 0) {
      asking = true
      const answer = await askWhetherToQuit(host.jobs.running).finally(() => {
        asking = false
      })
      if (answer === 'stay') return
      if (answer === 'wait') await host.jobs.waitUntilIdle()
      if (current !== requestCount) return
    }
    quitting = true
    // SECURITY: clear keys, listener and clipboard before the program ends. A client that hangs must not keep the
    // keys in memory.
    const reportError = (error: unknown) => host.reportIncident(error, 'quit')
    const ended = [host.close().catch(reportError), secrets.clearSecret().catch(reportError)]
    await Promise.race([Promise.all(ended), waitMs(QUIT_TIMEOUT_MS)])
    try {
      host.lock()
    } finally {
      ready = true
      app.quit()
    }
  }

  app.on('before-quit', (event) => {
    if (ready) {
      // SECURITY: lock again, in case a shutdown was cancelled and a vault has been opened since.
      host.lock()
      return
    }
    event.preventDefault()
    if (!asking && !quitting) void quitProgram()
  })
  const quitNow = () => {
    quitting = true
    ready = true
    // SECURITY: a shutdown does not wait for a dialog: clear clipboard and keys immediately.
    void secrets.clearSecret()
    host.lock()
  }
  // Linux and macOS announce a shutdown here. Windows announces it as the window's `session-end` event.
  powerMonitor.on('shutdown', quitNow)
  return { isQuitting: () => quitting, quitNow }
}

async function askWhetherToQuit(running: readonly JobName[]): Promise<'wait' | 'stop' | 'stay'> {
  const answers = ['wait', 'stop', 'stay'] as const
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: running.map((job) => jobDescriptions[job]).join(' '),
    detail: 'Coffer can quit when this is done, or stop it and quit now. Stopping leaves nothing half done.',
    buttons: ['Quit when done', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  })
  return answers[response] ?? 'stay'
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
