import { CofferError } from '../../../shared/errors.ts'
import { describeSystemError } from '../../engine/db/describe-system-error.ts'
import { printHint } from './vault-options.ts'

/** Whether a caller awaits the output and handles its failure. */
let isWatched = false

/** What to say besides, where the output cannot be written. */
let lost = ''

/** Whether a reader who has left is told of: what it may have missed is shown only once, or is how a server begins. */
let isNeeded = false

/** Says what was done, as sentences, should the output not be written. */
export function setLostMessage(sentences: string, { onlyOnce = false } = {}): void {
  lost = ` ${sentences}`
  isNeeded = onlyOnce
}

/**
 * Prints the first lines of a server. One whose reader was gone before them has served nobody, and does not end as if
 * all were well.
 */
export function printFirst(print: () => void): void {
  const before = isNeeded
  isNeeded = true
  // As one write: a reader may take the first line and go.
  process.stdout.cork()
  print()
  // Called after the lines were written, and before the error where they could not be.
  process.stdout.write('', (error) => {
    if (!error) isNeeded = before
  })
  process.stdout.uncork()
}

/**
 * Exits quietly when the reader of stdout goes away, as with `| head`, unless it may have missed what it needs; with a
 * message when output cannot be written.
 */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isWatched) return
    if (error.code === 'EPIPE' && !isNeeded) process.exit(0)
    printHint(
      `coffer: The output cannot be written: ${describeSystemError(error)}. Send it somewhere else.${lost}`,
    )
    process.exit(1)
  })
  // Stderr is only for people: losing it does not stop the command.
  process.stderr.on('error', () => {})
}

/** Prints what is shown only once. Throws `unavailable` where it could not be written, instead of exiting. */
export async function printSafely(text: string): Promise<void> {
  isWatched = true
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve)
  })
  // After a failure it stays watched: the command still has to say what it undid.
  if (error) {
    throw new CofferError('unavailable', `The output cannot be written: ${describeSystemError(error)}.`, {
      cause: error,
    })
  }
  isWatched = false
}
