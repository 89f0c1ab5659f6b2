import { counted } from '../../../shared/counted.ts'
import { sizeText } from '../../../shared/size-text.ts'
import type { Watch } from '../../host/work/background.ts'
import { note } from './common.ts'
import { Interrupted } from './interrupted.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs long work with progress on the terminal; Ctrl-C cancels it cleanly. Throws `Interrupted` where a signal ended
 * it.
 */
export async function withProgress<T>(label: string, work: (watch: Watch) => Promise<T>): Promise<T> {
  const line = new ProgressLine(label)
  const onProgress = (done: number, total: number) =>
    line.show(total > 0 ? `${Math.floor((100 * done) / total)} %` : sizeText(done))
  try {
    return await stoppable((signal) => work({ signal, onProgress }))
  } finally {
    line.clear()
  }
}

/** Runs work that Ctrl-C cancels cleanly. Throws `Interrupted` where a signal ended it. */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let by: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    by = signal
    controller.abort()
  }
  for (const signal of signals) process.once(signal, stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    throw by === undefined ? error : new Interrupted(by, error)
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}

/** A line at the terminal that is written over as work goes on; elsewhere nothing. */
class ProgressLine {
  readonly #label: string
  #shown = ''

  constructor(label: string) {
    this.#label = label
  }

  show(now: string): void {
    if (!process.stderr.isTTY || now === this.#shown) return
    this.#shown = now
    process.stderr.write(`\r${this.#label} … ${now}`)
  }

  clear(): void {
    if (this.#shown !== '') process.stderr.write('\r\u001b[K')
    this.#shown = ''
  }
}

/** Away from a terminal, a long filling says so once in this time. */
const NOTE_MS = 10_000

/** Says how many tokens of a seed have been made: on one line at a terminal, elsewhere every ten seconds. */
export function seedProgress(): { readonly onSeeded: (done: number, total: number) => void; clear(): void } {
  const line = new ProgressLine('Filling the vault')
  let noted = performance.now()
  return {
    onSeeded(done, total) {
      const now = `${done.toLocaleString('en')} of ${counted(total.toLocaleString('en'), 'token')}`
      line.show(now)
      if (process.stderr.isTTY || performance.now() - noted < NOTE_MS) return
      noted = performance.now()
      note(`Filling the vault: ${now}`)
    },
    clear: () => line.clear(),
  }
}
