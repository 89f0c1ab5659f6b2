import os from 'node:os'
import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/index.ts'

/** Returns the exit code that shells report for a signal: 130 for Ctrl-C, 143 for SIGTERM. */
export function toExitCode(signal: NodeJS.Signals): number {
  return 128 + os.constants.signals[signal]
}

/**
 * The failure of a command that a signal stopped. Its code and message are those of the error that the interrupted work
 * threw.
 */
export class Interrupted extends CofferError {
  readonly exitCode: number

  constructor(signal: NodeJS.Signals, cause: unknown) {
    const { code, message } = toCofferError(cause)
    super(code, message, { cause })
    this.exitCode = toExitCode(signal)
  }
}
