import { CofferError, type ErrorCode, type FieldErrors } from '../../../shared/errors.ts'

const UNKNOWN_ERROR_MESSAGE = 'Something went wrong in this window. Reload it and try again.'

let reportUnknown: (error: unknown) => void = () => {}

/** Sets the function that receives every error without a message of its own. */
export function setUnknownReporter(report: (error: unknown) => void): void {
  reportUnknown = report
}

/** A failure as one sentence, to show beside what failed. */
export function describeError(error: unknown): string {
  if (!(error instanceof CofferError)) {
    reportUnknown(error)
    return UNKNOWN_ERROR_MESSAGE
  }
  // Other errors that name members already have a complete message.
  const fields = error.code === 'invalid' ? Object.entries(error.errors ?? {}) : []
  if (fields.length === 0) return error.message
  return fields
    .map(([path, messages]) => toSentence(`${formatFieldPath(path)} ${messages.join(', ')}`.trim()))
    .join(' ')
}

/**
 * The part of a failure that no field shows: null if every member it names has its message beside a field. `placed`
 * holds the members with a field, or the beginning of their paths.
 */
export function getUnplacedError(error: unknown, placed: readonly string[]): unknown {
  if (!(error instanceof CofferError)) return error
  const isPlaced = (path: string) =>
    placed.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`))
  const fields = Object.entries(error.errors ?? {})
  const rest = fields.filter(([path]) => !isPlaced(path))
  if (fields.length > 0 && rest.length === 0) return null
  // Other errors that name members already have a complete message.
  return error.code !== 'invalid' || rest.length === fields.length
    ? error
    : new CofferError('invalid', error.message, { errors: Object.fromEntries(rest) })
}

/** A member's path in words: `Recovery key`, `Number`, `Origins, entry 2`. */
function formatFieldPath(path: string): string {
  const label = path
    .replace(/^data\./, '')
    .replace(/\[(\d+)\]/g, (_, at) => `.entry ${Number(at) + 1}`)
    .split('.')
    .map((part) => part.replaceAll('_', ' '))
    .join(', ')
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`
}

/** A fragment as a sentence. */
function toSentence(text: string): string {
  const capitalized = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}

/** The messages for each member that a failure names, as sentences to show beside its field. */
export function getFieldErrors(error: unknown): Readonly<Record<string, string>> {
  return error instanceof CofferError ? toFieldSentences(error.errors ?? {}) : {}
}

/** Messages by member as sentences. */
export function toFieldSentences(errors: FieldErrors): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => [path, toSentence(messages.join(', '))]),
  )
}

/** Whether a failure has this code. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof CofferError && error.code === code
}
