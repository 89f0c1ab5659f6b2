import { CofferError } from '../../../shared/errors.ts'

/** A usage error: exit code 2, and code `usage` with `--json`. */
export class UsageError extends CofferError {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'UsageError'
  }
}
