import { z } from 'zod'
import { CofferError, type FieldErrors } from '../../shared/errors.ts'
import { messageOf } from './schema-messages.ts'

z.config({ customError: messageOf })

/** A member's name as an error may show it: a caller's number pasted as a name is data, and stays out (rule A-05). */
export function safeName(name: string): string {
  const digits = name.normalize('NFKC').match(/\p{Nd}/gu) ?? []
  // Whatever stands between them: `4242-4242-4242-4242` is a number too.
  return digits.length < 5 ? name.slice(0, 64) : name.slice(0, 64).replace(/[^A-Za-z_]+/g, '…')
}

/** A zod path as the interface writes it: `data.items[0].name`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? safeName(String(part)) : `${text}.${safeName(String(part))}`
  }, '')
}

function add(errors: FieldErrors, path: string, message: string): void {
  const messages = errors[path]
  if (messages?.includes(message)) return
  if (messages) messages.push(message)
  else errors[path] = [message]
}

/** The validation error for what a schema refused: member and expectation, never the value (rules ). */
export function validationError(error: z.ZodError): CofferError {
  const errors: FieldErrors = Object.create(null)
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        add(errors, pathText([...issue.path, key]), 'is not a member of this request')
    } else add(errors, pathText(issue.path) || 'body', issue.message)
  }
  const names = Object.keys(errors)
  const detail = `The request is not valid: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`
  return new CofferError('invalid', detail, { errors: { ...errors } })
}
