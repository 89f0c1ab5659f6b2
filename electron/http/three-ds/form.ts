import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type JsonObject, readJson } from '../../../shared/json.ts'

/** Parses the fields of a form. Throws `unsupported_media_type` for another content type. */
export function parseForm(content_type: string | undefined, body: unknown): URLSearchParams {
  const [type = ''] = (content_type ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new CofferError('unsupported_media_type', 'Send a form: application/x-www-form-urlencoded.')
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('latin1') : '')
}

/** Parses a 3D Secure message in a form: a JSON object in base64url. Throws `invalid`. */
export function parseMessage(form: URLSearchParams, name: 'creq' | 'threeDSMethodData'): JsonObject {
  try {
    const message = readJson(Buffer.from(form.get(name) ?? '', 'base64url').toString())
    if (isObject(message)) return message
  } catch {
    // The field is not base64url or not JSON.
  }
  throw createInvalidError(name, 'must be a 3D Secure message, as JSON in base64url')
}
