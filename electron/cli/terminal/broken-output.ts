import { CofferError } from '../../../shared/errors.ts'
import { describeSystemError } from '../../engine/index.ts'
import { printHint } from './vault-options.ts'

/** Whether a caller awaits the output and handles its failure. */
let isWatched = false

/** Added to the error if the output cannot be written. */
let lostMessage = ''

/** Whether a closed pipe is an error, because the output is shown only once or announces that a server is ready. */
let isNeeded = false

/** Sets the sentences to add to the error if the output cannot be written. They say what the command has done. */
export function setLostMessage(sentences: string, { onlyOnce = false } = {}): void {
  lostMessage = ` ${sentences}`
  isNeeded = onlyOnce
}

/**
 * Prints the first lines of a server. If the pipe was closed before that, the server exits with an error, because
 * nothing can use it.
 */
export function printFirst(print: () => void): void {
  const before = isNeeded
  isNeeded = true
  // Printed in one write, because a reader may close the pipe after the first line.
  process.stdout.cork()
  print()
  // Called after the lines were written, or before the `error` event if they were not.
  process.stdout.write('', (error) => {
    if (!error) isNeeded = before
  })
  process.stdout.uncork()
}

/**
 * Exits quietly when the reader of stdout closes the pipe, as `| head` does, unless that reader may have missed output
 * that is needed. Exits with a message when output cannot be written for another reason.
 */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isWatched) return
    if (error.code === 'EPIPE' && !isNeeded) process.exit(0)
    printHint(
      `coffer: The output cannot be written: ${describeSystemError(error)}. Send it somewhere else.${lostMessage}`,
    )
    process.exit(1)
  })
  // Stderr is only for people: losing it does not stop the command.
  process.stderr.on('error', () => {})
}

/** Prints output that is shown only once. Throws `unavailable` if it cannot be written, instead of exiting. */
export async function printSafely(text: string): Promise<void> {
  isWatched = true
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve)
  })
  // `isWatched` stays true after a failure, because the command still has to print what it undid.
  if (error) {
    throw new CofferError('unavailable', `The output cannot be written: ${describeSystemError(error)}.`, {
      cause: error,
    })
  }
  isWatched = false
}
