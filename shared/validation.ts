import { CofferError, type FieldErrors } from './errors.ts'
import { toDouble, WrittenNumber } from './json.ts'
import { MAX_ERROR_PATHS, sanitizeName } from './problems.ts'
import { getIssueMessage } from './schema-messages.ts'
import { z } from './zod.ts'

z.config({ customError: getIssueMessage })

/** Formats a zod path like the paths in the errors of the API: `data.items[0].name`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? sanitizeName(String(part)) : `${text}.${sanitizeName(String(part))}`
  }, '')
}

function addMessage(errors: FieldErrors, path: string, message: string): void {
  const messages = errors[path]
  if (messages?.includes(message)) return
  if (messages) messages.push(message)
  else errors[path] = [message]
}

/**
 * Parses an input by a schema. If the schema rejects a `WrittenNumber`, such as a priority of `1.0`, replaces it in the
 * input with the double of the same value (rule A-14). Throws what `createValidationError` returns.
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  if (takeDoubles(input, result.error.issues)) return parseInput(schema, input)
  throw createValidationError(result.error)
}

/** Replaces each rejected `WrittenNumber` with its double. Returns false if there was none. */
function takeDoubles(input: unknown, issues: readonly z.core.$ZodIssue[]): boolean {
  let hasReplaced = false
  for (const { path } of issues) {
    const parent = path.slice(0, -1).reduce(getField, input)
    const name = path.at(-1)
    const value = name === undefined ? undefined : getField(parent, name)
    const double = value instanceof WrittenNumber ? toDouble(value) : undefined
    if (double === undefined) continue
    hasReplaced = Reflect.set(parent as object, name as PropertyKey, double) || hasReplaced
  }
  return hasReplaced
}

function getField(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Whether an issue reports the safe integers although another reports a narrower limit for the member. */
function isOverlapped(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[]): boolean {
  if ((issue.code !== 'too_big' && issue.code !== 'too_small') || !('note' in issue)) return false
  return issues.some(
    (other) =>
      other !== issue && other.code === issue.code && formatPath(other.path) === formatPath(issue.path),
  )
}

/** Returns the error for the issues of a schema: member and expectation, never the value (rules ). */
export function createValidationError(error: z.ZodError): CofferError {
  const errors: FieldErrors = Object.create(null)
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, MAX_ERROR_PATHS))
        addMessage(errors, formatPath([...issue.path, key]), 'is not a member of this request')
    } else if (!isOverlapped(issue, error.issues))
      addMessage(errors, formatPath(issue.path) || 'body', issue.message)
    if (Object.keys(errors).length >= MAX_ERROR_PATHS) break
  }
  const names = Object.keys(errors)
  const detail = `The request is not valid: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`
  return new CofferError('invalid', detail, { errors: { ...errors } })
}
