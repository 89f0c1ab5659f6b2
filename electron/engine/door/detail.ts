import type { CofferError, ErrorCode, FieldErrors, Missing } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Caller } from './call.ts'
import type { Operation } from './operation.ts'
import { masked, recordedId } from './recorded-id.ts'

/** What a record keeps besides its columns. Never data. */
export type Detail = {
  /** The refusal as the caller received it. */
  readonly code?: ErrorCode
  readonly sentence?: string
  readonly errors?: FieldErrors
  /** The permissions that would have allowed it, and where. */
  readonly missing?: Missing
  /** How many requests the record stands for, if not one; 0 if another record counts its request. */
  readonly requests?: number
  /** The places of the tokens that it created, in the order of creation: the first and the last. */
  readonly created?: readonly [first: number, last: number]
  /** The application whose key the owner looked through. */
  readonly looked_as?: string
}

const MOST_MEMBERS = 20
const MOST_MESSAGES = 3
const MOST_TEXT = 300

/** What a record says of an error that the owner's code gave. SECURITY: never its words. */
export const thrownNote = 'the code threw an error'

/** Returns what a refusal said, cut to a length that suits the log. */
export function detailOf(error: CofferError): Detail {
  const { code, message, errors, missing, thrown_status } = error
  if (thrown_status !== undefined) return { code, sentence: thrownNote }
  return {
    code,
    sentence: cut(message),
    ...(errors && { errors: cutErrors(errors) }),
    ...(missing && {
      missing: {
        ...missing,
        ...(missing.containers && { containers: missing.containers.slice(0, 10).map(cut) }),
      },
    }),
  }
}

function cutErrors(errors: FieldErrors): FieldErrors {
  const members = Object.entries(errors).slice(0, MOST_MEMBERS)
  return Object.fromEntries(
    members.map(([path, messages]) => [cut(path), messages.slice(0, MOST_MESSAGES).map(cut)]),
  )
}

/** SECURITY: messages hold no data, but may name ids, and ids may contain card numbers and keys. */
function cut(text: string): string {
  // Masked first, so that no number is cut in two where it would be kept.
  const shown = masked(text.slice(0, 4 * MOST_TEXT))
  return shown.length > MOST_TEXT ? `${shown.slice(0, MOST_TEXT)}…` : shown
}

const coffers = /^key_[A-Za-z0-9_]{20,96}$/

/** Returns the last four characters of a call's key. SECURITY: null for anything that is not shaped like a key. */
export function keyHintOf(caller: Caller): string | null {
  return caller.kind === 'key' && coffers.test(caller.key) ? caller.key.slice(-4) : null
}

type Parts = { readonly names: readonly string[]; readonly texts: readonly string[] }
const partsOfRoutes = new Map<string, Parts>()

/** The names of a route's parameters, and the text around them. */
function partsOf(route: string): Parts {
  let parts = partsOfRoutes.get(route)
  if (!parts) {
    const pieces = route.split(/[{}]/)
    parts = { names: pieces.filter((_, at) => at % 2 === 1), texts: pieces.filter((_, at) => at % 2 === 0) }
    partsOfRoutes.set(route, parts)
  }
  return parts
}

/** Returns the ids in a call's path, in order. */
export function pathIdsOf({ route }: Operation, input: unknown): string[] {
  if (route === null || !isObject(input)) return []
  return partsOf(route).names.map((name) => {
    const id = input[name]
    return typeof id === 'string' ? id : ''
  })
}

/** Returns the id at the end of a call's path, which is the entity it is about, or null. */
export function entityInPath({ route }: Operation, ids: readonly string[]): string | null {
  return route?.endsWith('}') ? ids.at(-1) || null : null
}

/** An id as part of a path. The `#` and `…` of a masked id stay readable. */
function pathPiece(id: string): string {
  return encodeURIComponent(id).replaceAll('%23', '#').replaceAll('%E2%80%A6', '…')
}

const MOST_PATH = 600

/**
 * Returns the method and path of a call, without its query and with ids in their log form, in at most 600 characters;
 * null if it has no route.
 */
export function requestOf({ route }: Operation, ids: readonly string[], keyring: Keyring): string | null {
  if (route === null || ids.length === 0) return route
  const path = partsOf(route).texts.reduce(
    (path, text, at) => path + pathPiece(recordedId(ids[at - 1] ?? '', keyring)) + text,
  )
  return path.length > MOST_PATH ? `${path.slice(0, MOST_PATH)}…` : path
}
