import os from 'node:os'
import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'

/** The exit code by which shells report a signal: 130 for Ctrl-C, 143 for SIGTERM. */
export function toExitCode(signal: NodeJS.Signals): number {
  return 128 + os.constants.signals[signal]
}

/** The failure of a command that a signal ended; carries the error it gave up with. */
export class Interrupted extends CofferError {
  readonly exitCode: number

  constructor(signal: NodeJS.Signals, cause: unknown) {
    const { code, message } = toCofferError(cause)
    super(code, message, { cause })
    this.exitCode = toExitCode(signal)
  }
}
