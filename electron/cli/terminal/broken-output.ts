import { CofferError } from '../../../shared/errors.ts'
import { systemReason } from '../../engine/db/system-reason.ts'
import { note } from './common.ts'

/** Whether a caller awaits the output and handles its failure. */
let isWatched = false

/** What to say besides, where the output cannot be written. */
let lost = ''

/** Whether what is lost is shown only once, so that a reader who has left may miss it. */
let isOnlyOnce = false

/** Says what was done, as sentences, should the output not be written. */
export function sayIfLost(sentences: string, { onlyOnce = false } = {}): void {
  lost = ` ${sentences}`
  isOnlyOnce = onlyOnce
}

/**
 * Exits quietly when the reader of stdout goes away, as with `| head`, unless it may have missed what is shown only
 * once; with a message when output cannot be written.
 */
export function mindBrokenOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isWatched) return
    if (error.code === 'EPIPE' && !isOnlyOnce) process.exit(0)
    note(`coffer: The output cannot be written: ${systemReason(error)}. Send it somewhere else.${lost}`)
    process.exit(1)
  })
  // Stderr is only for people: losing it does not stop the command.
  process.stderr.on('error', () => {})
}

/** Prints what is shown only once. Throws `unavailable` where it could not be written, instead of exiting. */
export async function sayForCertain(text: string): Promise<void> {
  isWatched = true
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve)
  })
  // After a failure it stays watched: the command still has to say what it undid.
  if (error) {
    throw new CofferError('unavailable', `The output cannot be written: ${systemReason(error)}.`, {
      cause: error,
    })
  }
  isWatched = false
}
