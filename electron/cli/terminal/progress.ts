import { formatCount } from '../../../shared/format-count.ts'
import { formatSize } from '../../../shared/format-size.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import { Interrupted } from './interrupted.ts'
import { printHint } from './vault-options.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What progress counts: bytes, or things such as tokens. Steps are shown only as a percentage. */
type ProgressUnit = 'byte' | 'token' | 'step'

/**
 * Runs long work with progress on the terminal; Ctrl-C cancels it cleanly. Throws `Interrupted` if a signal ended it.
 */
export async function withProgress<T>(
  label: string,
  work: (watch: JobWatch) => Promise<T>,
  unit: ProgressUnit = 'step',
): Promise<T> {
  const line = new ProgressLine(label)
  let first: { readonly at: number; readonly done: number } | undefined
  const onProgress = (done: number, total: number) => {
    const now = performance.now()
    first ??= { at: now, done }
    const sample = { done, total, added: done - first.done, elapsed_ms: now - first.at }
    if (now - line.shownAt >= SHOW_INTERVAL_MS) line.showText(formatProgress(sample, unit))
  }
  try {
    return await runStoppable((signal) => work({ signal, onProgress }))
  } finally {
    line.clearLine()
  }
}

const SHOW_INTERVAL_MS = 200
/** Before this, a rate says little. */
const RATE_AFTER_MS = 1000

type ProgressSample = {
  readonly done: number
  readonly total: number
  /** What this run has done: a resumed import begins with earlier work. */
  readonly added: number
  readonly elapsed_ms: number
}

/** Formats progress: percentage, count, rate and time left, as far as they are known. */
export function formatProgress(
  { done, total, added, elapsed_ms }: ProgressSample,
  unit: ProgressUnit,
): string {
  const formatAmount = (count: number) =>
    unit === 'token' ? Math.round(count).toLocaleString('en') : formatSize(Math.round(count))
  const perSecond = elapsed_ms >= RATE_AFTER_MS && added > 0 ? (1000 * added) / elapsed_ms : undefined
  const isCounted = total > 0 && unit !== 'step'
  const counted = `${formatAmount(done)} of ${formatAmount(total)}${unit === 'token' ? ' tokens' : ''}`
  return [
    total > 0 ? `${Math.floor((100 * done) / total)} %` : formatAmount(done),
    isCounted ? counted : '',
    isCounted && perSecond !== undefined ? `${formatAmount(perSecond)}/s` : '',
    perSecond !== undefined && done < total ? `${formatTimeLeft((total - done) / perSecond)} left` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

function formatTimeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

const CLEAR_LINE = '\r\u001b[K'
/** Work that stops sooner after a signal needs no hint. */
const HINT_DELAY_MS = 1000

/** Runs work that Ctrl-C cancels cleanly. Throws `Interrupted` if a signal ended it. */
export async function runStoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let by: NodeJS.Signals | undefined
  let hint: NodeJS.Timeout | undefined
  const stopWork = (signal: NodeJS.Signals) => {
    by = signal
    controller.abort()
    hint = setTimeout(() => {
      if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE)
      printHint('Stopping. Press Ctrl-C again to end at once.')
    }, HINT_DELAY_MS)
  }
  for (const signal of signals) process.once(signal, stopWork)
  try {
    return await work(controller.signal)
  } catch (error) {
    throw by === undefined ? error : new Interrupted(by, error)
  } finally {
    clearTimeout(hint)
    for (const signal of signals) process.off(signal, stopWork)
  }
}

/** A line at the terminal that is overwritten as work progresses. Prints nothing if there is no terminal. */
class ProgressLine {
  readonly #label: string
  #visible = ''
  /** When the line last changed. */
  shownAt = Number.NEGATIVE_INFINITY

  constructor(label: string) {
    this.#label = label
  }

  showText(now: string): void {
    if (!process.stderr.isTTY || now === this.#visible) return
    const clearRest = now.length < this.#visible.length ? '\u001b[K' : ''
    this.#visible = now
    this.shownAt = performance.now()
    process.stderr.write(`\r${this.#label} … ${now}${clearRest}`)
  }

  clearLine(): void {
    if (this.#visible !== '') process.stderr.write(CLEAR_LINE)
    this.#visible = ''
  }
}

/** How often the progress of a seed is printed without a terminal. */
const NOTE_INTERVAL_MS = 10_000

/** Prints how many tokens of a seed have been created: on one line at a terminal, otherwise every ten seconds. */
export function createSeedProgress(label: string): {
  readonly onSeeded: (done: number, total: number) => void
  clear(): void
} {
  const line = new ProgressLine(label)
  let notedAt = performance.now()
  return {
    onSeeded(done, total) {
      const now = `${done.toLocaleString('en')} of ${formatCount(total.toLocaleString('en'), 'token')}`
      line.showText(now)
      if (process.stderr.isTTY || performance.now() - notedAt < NOTE_INTERVAL_MS) return
      notedAt = performance.now()
      printHint(`${label}: ${now}`)
    },
    clear: () => line.clearLine(),
  }
}
