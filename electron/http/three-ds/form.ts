import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type JsonObject, readJson } from '../../../shared/json.ts'

/** The members of a form. Throws `unsupported_media_type`, and `invalid` for bytes that are no text. */
export function parseForm(content_type: string | undefined, body: unknown): URLSearchParams {
  const [type = ''] = (content_type ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new CofferError('unsupported_media_type', 'Send a form: application/x-www-form-urlencoded.')
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('latin1') : '')
}

/** A message of 3D Secure in a form: an object as JSON, in base64url. Throws `invalid`. */
export function parseMessage(form: URLSearchParams, name: 'creq' | 'threeDSMethodData'): JsonObject {
  try {
    const message = readJson(Buffer.from(form.get(name) ?? '', 'base64url').toString())
    if (isObject(message)) return message
  } catch {
    // Neither is what it says.
  }
  throw createInvalidError(name, 'must be a message of 3D Secure, as JSON in base64url')
}
