import type { CofferError, ErrorCode, FieldErrors, Missing } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json.ts'
import type { IgnoredMember } from '../../../shared/validation.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Caller } from './call.ts'
import { maskText, toLogId } from './log-id.ts'

/** What a record stores besides its columns. Never data. */
export type LogDetail = {
  /** The code of the error that the caller received. */
  readonly code?: ErrorCode
  readonly sentence?: string
  readonly errors?: FieldErrors
  /** The permissions that would have allowed the call, and on which containers. */
  readonly missing?: Missing
  /** How many requests the record represents, if not one; 0 if another record counts the request. */
  readonly requests?: number
  /** The positions of the first and the last token that the call created, in order of creation. */
  readonly created?: readonly [first: number, last: number]
  /** Set if the owner viewed the vault as an application: the id of that application. */
  readonly looked_as?: string
  /** The members that were ignored, each with the known name that may have been meant (rule A-08). */
  readonly ignored?: readonly string[]
}

const MAX_ERROR_FIELDS = 20
const MAX_FIELD_MESSAGES = 3
const MAX_TEXT_LENGTH = 300

/** The note for an error that the owner's code threw. SECURITY: the log never includes the message of that error. */
export const THROWN_NOTE = 'the code threw an error'

/** Returns the details of an error, truncated and masked for the log. */
export function toErrorDetail(error: CofferError): LogDetail {
  const { code, message, errors, missing, thrown_status } = error
  if (thrown_status !== undefined) return { code, sentence: THROWN_NOTE }
  return {
    code,
    sentence: truncateMasked(message),
    ...(errors && { errors: truncateErrors(errors) }),
    ...(missing && {
      missing: {
        ...missing,
        ...(missing.containers && { containers: missing.containers.slice(0, 10).map(truncateMasked) }),
      },
    }),
  }
}

/** Describes ignored members for the log: their names, never their values. */
export function describeIgnored(ignored: readonly IgnoredMember[]): string[] {
  return ignored.map(({ name, nearest }) =>
    nearest === undefined ? truncateMasked(name) : `${truncateMasked(name)}: did you mean ${nearest}?`,
  )
}

function truncateErrors(errors: FieldErrors): FieldErrors {
  const members = Object.entries(errors).slice(0, MAX_ERROR_FIELDS)
  return Object.fromEntries(
    members.map(([path, messages]) => [
      truncateMasked(path),
      messages.slice(0, MAX_FIELD_MESSAGES).map(truncateMasked),
    ]),
  )
}

/** SECURITY: messages contain no data, but may name ids, and an id may contain a card number or a key. */
function truncateMasked(text: string): string {
  // Masks the text before truncating it, because truncation could split a number so that it is no longer recognized.
  const maskedText = maskText(text.slice(0, 4 * MAX_TEXT_LENGTH))
  return maskedText.length > MAX_TEXT_LENGTH ? `${maskedText.slice(0, MAX_TEXT_LENGTH)}…` : maskedText
}

const keyPattern = /^key_[A-Za-z0-9_]{20,96}$/

/** Returns the last four characters of a call's key. SECURITY: null for anything without the form of a key. */
export function getKeyHint(caller: Caller): string | null {
  return caller.kind === 'key' && keyPattern.test(caller.key) ? caller.key.slice(-4) : null
}

type RouteParts = { readonly names: readonly string[]; readonly texts: readonly string[] }
const routePartsCache = new Map<string, RouteParts>()

/** Splits a route into the names of its parameters and the text before, between and after them. */
function getRouteParts(route: string): RouteParts {
  let parts = routePartsCache.get(route)
  if (!parts) {
    const segments = route.split(/[{}]/)
    parts = {
      names: segments.filter((_, at) => at % 2 === 1),
      texts: segments.filter((_, at) => at % 2 === 0),
    }
    routePartsCache.set(route, parts)
  }
  return parts
}

/** What this file needs to know about an operation. */
export type Routed = { readonly route: string | null }

/** Returns the ids in a call's path, in order. */
export function getPathIds({ route }: Routed, input: unknown): string[] {
  if (route === null || !isObject(input)) return []
  return getRouteParts(route).names.map((name) => (typeof input[name] === 'string' ? input[name] : ''))
}

/** Returns the last id in a call's path if the path ends with it, which is the entity of the call; otherwise null. */
export function getPathEntity({ route }: Routed, ids: readonly string[]): string | null {
  return route?.endsWith('}') ? ids.at(-1) || null : null
}

/** Encodes an id for a path. The `#` and `…` of a masked id stay readable. */
function encodePathSegment(id: string): string {
  if (/^[\w.~-]*$/.test(id)) return id
  return encodeURIComponent(id).replaceAll('%23', '#').replaceAll('%E2%80%A6', '…')
}

const MAX_PATH_LENGTH = 600

/**
 * Returns the method and path of a call, without its query and with ids in their log form, in at most 600
 * characters; null for an operation without a route.
 */
export function formatRequestLine(
  { route }: Routed,
  ids: readonly string[],
  keyring: Keyring,
): string | null {
  if (route === null || ids.length === 0) return route
  const path = getRouteParts(route).texts.reduce(
    (path, text, at) => path + encodePathSegment(toLogId(ids[at - 1] ?? '', keyring)) + text,
  )
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path
}
