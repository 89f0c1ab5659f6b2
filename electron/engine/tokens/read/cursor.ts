import { hash } from 'node:crypto'
import { invalid } from '../../../../shared/errors.ts'
import type { Position } from '../../../../shared/token-order.ts'
import type { Context } from '../../door/context.ts'
import { idsAt } from '../store.ts'

/** The position a walk resumes after, and the last move before it began. */
export type Place = { readonly after: Position; readonly since: number }

/** Stands for an id too long for a cursor: two ids made in one millisecond can share a long beginning. */
type Digests = { readonly last: string; readonly next: string }
type Sealed = [since: number, container: string, created_at: number, id: string | Digests]

/** Sealed and in base64, this many bytes stay below 500 characters (rule L-04). */
const LONGEST = 340

/** Returns the cursor for the page after `last`, which begins with `next` (rules L-03, L-04). */
export function sealPlace(
  { keyring }: Context,
  { last, next, since }: { last: Position; next: Position; since: number },
  scope: string,
): string {
  const [container, created_at, id] = placeBetween(last, next)
  const place = JSON.stringify([since, container, created_at, id] satisfies Sealed)
  if (Buffer.byteLength(place) <= LONGEST) return keyring.sealCursor(place, scope)
  const digests = { last: digestOf(last[2]), next: digestOf(next[2]) }
  return keyring.sealCursor(JSON.stringify([since, container, created_at, digests] satisfies Sealed), scope)
}

/** Opens a cursor. Throws `invalid` if it is damaged, or was made for another list or caller (rule L-04). */
export function openPlace({ db, keyring }: Context, cursor: string, scope: string): Place {
  const text = keyring.openCursor(cursor, scope)
  if (text === null) {
    throw invalid(
      'start',
      'is not a cursor of this list; pass pagination.next and keep the same filters and key',
    )
  }
  const [since, container, created_at, id] = JSON.parse(text) as Sealed
  const named = typeof id === 'string' ? id : idNamed(id, idsAt(db, container, created_at))
  if (named === undefined)
    throw invalid('start', 'points to a token that no longer exists; start again from the first page')
  return { after: [container, created_at, named], since }
}

function idNamed({ last, next }: Digests, ids: readonly string[]): string | undefined {
  const id = ids.find((each) => digestOf(each) === last)
  if (id !== undefined) return id
  const following = ids.find((each) => digestOf(each) === next)
  // No id contains a control character, so this sorts directly after `following`.
  return following === undefined ? undefined : `${following}\0`
}

/** Returns the shortest position above `next` and not above `last`, two neighbours in a walk (rule L-03). */
export function placeBetween(last: Position, next: Position): Position {
  if (last[0] !== next[0]) return [separator(last[0], next[0]), 0, '']
  if (last[1] !== next[1]) return [last[0], last[1], '']
  return [last[0], last[1], separator(last[2], next[2])]
}

/** The shortest prefix of `greater` that is still greater than `lesser`, by code points, as SQLite compares. */
function separator(greater: string, lesser: string): string {
  const others = [...lesser]
  let text = ''
  for (const [at, character] of [...greater].entries()) {
    text += character
    if (character !== others[at]) break
  }
  return text
}

function digestOf(id: string): string {
  return hash('sha256', id, 'buffer').subarray(0, 16).toString('base64')
}
