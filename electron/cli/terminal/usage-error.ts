import { CofferError } from '../../../shared/errors.ts'

/** A command line that cannot be run as it was typed: ends with exit code 2, and `--json` calls it `usage`. */
export class UsageError extends CofferError {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'UsageError'
  }
}
