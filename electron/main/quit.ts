import { app, dialog, powerMonitor } from 'electron'
import type { JobName } from '../../shared/host.ts'
import type { Host } from '../host/host.ts'
import { works } from '../host/work/jobs.ts'
import type { SecretClipboard } from './secret-clipboard.ts'

/** How long to wait for open requests before quitting anyway. */
const PATIENCE_MS = 5000

/**
 * Quits in order: jobs finish, or the owner stops them; then keys, listener and clipboard; then the program. Returns
 * whether it is quitting, and a function for a system shutdown, which does not wait for a dialog.
 */
export function quitInOrder(
  host: Host,
  secrets: SecretClipboard,
): { isLeaving: () => boolean; leaveAtOnce: () => void } {
  let asking = false
  /** Counts requests to quit: a newer one supersedes one that waits. */
  let wish = 0
  let leaving = false
  let ready = false

  async function quit(): Promise<void> {
    const mine = ++wish
    // What can still be undone is undone: quitting deletes nothing.
    await host.bulk.undo()
    if (host.jobs.running.length > 0) {
      asking = true
      const answer = await ask(host.jobs.running).finally(() => {
        asking = false
      })
      if (answer === 'stay') return
      if (answer === 'wait') await host.jobs.idle()
      if (mine !== wish) return
    }
    leaving = true
    // SECURITY: keys, listener and clipboard first, then the program. A hanging client must not keep the keys in
    // memory.
    const reported = (error: unknown) => host.report(error, 'quit')
    const ended = [host.close().catch(reported), secrets.forget().catch(reported)]
    await Promise.race([Promise.all(ended), pause(PATIENCE_MS)])
    try {
      host.lock()
    } finally {
      ready = true
      app.quit()
    }
  }

  app.on('before-quit', (event) => {
    if (ready) {
      // SECURITY: again, in case a shutdown was called off and a vault opened since.
      host.lock()
      return
    }
    event.preventDefault()
    if (!asking && !leaving) void quit()
  })
  const leaveAtOnce = () => {
    leaving = true
    ready = true
    // SECURITY: a shutdown does not wait for a dialog: clear clipboard and keys at once.
    void secrets.forget()
    host.lock()
  }
  // Linux and macOS notify the program, Windows its window.
  powerMonitor.on('shutdown', leaveAtOnce)
  return { isLeaving: () => leaving, leaveAtOnce }
}

async function ask(running: readonly JobName[]): Promise<'wait' | 'stop' | 'stay'> {
  const answers = ['wait', 'stop', 'stay'] as const
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: running.map((job) => works[job]).join(' '),
    detail: 'Coffer can quit when it is done, or stop it now. Stopping leaves nothing half done.',
    buttons: ['Quit when done', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  })
  return answers[response] ?? 'stay'
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
