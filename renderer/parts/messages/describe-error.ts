import { CofferError, type ErrorCode, type FieldErrors } from '../../../shared/errors.ts'

const UNKNOWN_ERROR_MESSAGE = 'Something went wrong in this window. Reload it and try again.'

let reportUnknown: (error: unknown) => void = () => {}

/** Sets the function that reports errors without a specific message. */
export function setUnknownReporter(report: (error: unknown) => void): void {
  reportUnknown = report
}

/** Returns the message to show for an error, with one sentence for each invalid field. */
export function describeError(error: unknown): string {
  if (!(error instanceof CofferError)) {
    reportUnknown(error)
    return UNKNOWN_ERROR_MESSAGE
  }
  // Other error codes already mention their fields in the message.
  const fields = error.code === 'invalid' ? Object.entries(error.errors ?? {}) : []
  if (fields.length === 0) return error.message
  return fields
    .map(([path, messages]) => toSentence(`${formatFieldPath(path)} ${messages.join(', ')}`.trim()))
    .join(' ')
}

/**
 * Returns the part of an error that no field shows, or null if every field named in the error shows its own
 * message. `placed` lists the form's fields, or prefixes of their paths.
 */
export function getUnplacedError(error: unknown, placed: readonly string[]): unknown {
  if (!(error instanceof CofferError)) return error
  const isPlaced = (path: string) =>
    placed.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`))
  const fields = Object.entries(error.errors ?? {})
  const rest = fields.filter(([path]) => !isPlaced(path))
  if (fields.length > 0 && rest.length === 0) return null
  // Other error codes already mention their fields in the message.
  return error.code !== 'invalid' || rest.length === fields.length
    ? error
    : new CofferError('invalid', error.message, { errors: Object.fromEntries(rest) })
}

/** A field path as a label: `Recovery key`, `Number`, `Origins, entry 2`. */
function formatFieldPath(path: string): string {
  const label = path
    .replace(/^data\./, '')
    .replace(/\[(\d+)\]/g, (_, at) => `.entry ${Number(at) + 1}`)
    .split('.')
    .map((part) => part.replaceAll('_', ' '))
    .join(', ')
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`
}

function toSentence(text: string): string {
  const capitalized = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}

export function getFieldErrors(error: unknown): Readonly<Record<string, string>> {
  return error instanceof CofferError ? toFieldSentences(error.errors ?? {}) : {}
}

export function toFieldSentences(errors: FieldErrors): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => [path, toSentence(messages.join(', '))]),
  )
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof CofferError && error.code === code
}
