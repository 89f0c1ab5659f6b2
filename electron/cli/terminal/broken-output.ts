import { systemReason } from '../../engine/db/system-reason.ts'
import { note } from './common.ts'

/**
 * Exits quietly when the reader of stdout goes away, as with `| head`, and with a message when output cannot be
 * written.
 */
export function mindBrokenOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    note(`coffer: The output cannot be written: ${systemReason(error)}. Send it somewhere else.`)
    process.exit(1)
  })
  // Stderr is only for people: losing it does not stop the command.
  process.stderr.on('error', () => {})
}
