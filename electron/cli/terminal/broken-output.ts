import { systemReason } from '../../engine/db/system-reason.ts'
import { note } from './common.ts'

/** Ends the program quietly when nobody reads on, as after `| head`, and with a sentence when output cannot be written. */
export function mindBrokenOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    note(`coffer: The output cannot be written: ${systemReason(error)}. Send it somewhere else.`)
    process.exit(1)
  })
  // What is said there is for people; the work goes on.
  process.stderr.on('error', () => {})
}
