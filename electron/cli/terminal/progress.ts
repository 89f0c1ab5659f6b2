import { formatCount } from '../../../shared/format-count.ts'
import { formatSize } from '../../../shared/format-size.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import { Interrupted } from './interrupted.ts'
import { printHint } from './vault-options.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs long work with progress on the terminal; Ctrl-C cancels it cleanly. Throws `Interrupted` if a signal ended it.
 */
export async function withProgress<T>(label: string, work: (watch: JobWatch) => Promise<T>): Promise<T> {
  const line = new ProgressLine(label)
  const onProgress = (done: number, total: number) =>
    line.showText(total > 0 ? `${Math.floor((100 * done) / total)} %` : formatSize(done))
  try {
    return await runStoppable((signal) => work({ signal, onProgress }))
  } finally {
    line.clearLine()
  }
}

/** Runs work that Ctrl-C cancels cleanly. Throws `Interrupted` if a signal ended it. */
export async function runStoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let by: NodeJS.Signals | undefined
  const stopWork = (signal: NodeJS.Signals) => {
    by = signal
    controller.abort()
  }
  for (const signal of signals) process.once(signal, stopWork)
  try {
    return await work(controller.signal)
  } catch (error) {
    throw by === undefined ? error : new Interrupted(by, error)
  } finally {
    for (const signal of signals) process.off(signal, stopWork)
  }
}

/** A line at the terminal that is overwritten as work progresses. Prints nothing if there is no terminal. */
class ProgressLine {
  readonly #label: string
  #visible = ''

  constructor(label: string) {
    this.#label = label
  }

  showText(now: string): void {
    if (!process.stderr.isTTY || now === this.#visible) return
    this.#visible = now
    process.stderr.write(`\r${this.#label} … ${now}`)
  }

  clearLine(): void {
    if (this.#visible !== '') process.stderr.write('\r\u001b[K')
    this.#visible = ''
  }
}

/** How often the progress of a seed is printed without a terminal. */
const NOTE_INTERVAL_MS = 10_000

/** Prints how many tokens of a seed have been created: on one line at a terminal, otherwise every ten seconds. */
export function createSeedProgress(): {
  readonly onSeeded: (done: number, total: number) => void
  clear(): void
} {
  const line = new ProgressLine('Filling the vault')
  let notedAt = performance.now()
  return {
    onSeeded(done, total) {
      const now = `${done.toLocaleString('en')} of ${formatCount(total.toLocaleString('en'), 'token')}`
      line.showText(now)
      if (process.stderr.isTTY || performance.now() - notedAt < NOTE_INTERVAL_MS) return
      notedAt = performance.now()
      printHint(`Filling the vault: ${now}`)
    },
    clear: () => line.clearLine(),
  }
}
