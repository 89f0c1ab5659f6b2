import { CofferError, type ErrorCode } from '../../../shared/errors.ts'

const missing = 'Something went wrong in this window. Reload it and try again.'

let reportUnknown: (error: unknown) => void = () => {}

/** Sets the function that receives every error without a message of its own. */
export function setUnknownReporter(report: (error: unknown) => void): void {
  reportUnknown = report
}

/** A failure as one sentence, to show beside what failed. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof CofferError)) {
    reportUnknown(error)
    return missing
  }
  // Other errors that name members already have a complete message.
  const fields = error.code === 'invalid' ? Object.entries(error.errors ?? {}) : []
  if (fields.length === 0) return error.message
  return fields.map(([path, messages]) => `${named(path)} ${messages.join(', ')}`.trim()).join('; ')
}

/** A member's name in words, such as `Recovery key`; a path into data stays as it is. */
function named(path: string): string {
  if (!/^[a-z]+(_[a-z]+)*$/.test(path)) return path
  return `${path.slice(0, 1).toUpperCase()}${path.slice(1).replaceAll('_', ' ')}`
}

/** The messages for each member that a failure names. */
export function fieldErrorsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof CofferError) || !error.errors) return {}
  return Object.fromEntries(
    Object.entries(error.errors).map(([path, messages]) => [path, messages.join(', ')]),
  )
}

/** Whether a failure has this code. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof CofferError && error.code === code
}
