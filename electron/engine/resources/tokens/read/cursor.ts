import { hash } from 'node:crypto'
import { createInvalidError } from '../../../../../shared/errors.ts'
import type { Position } from '../../../../../shared/token-order.ts'
import type { Context } from '../../../pipeline/context.ts'
import { listIdsAt } from '../store.ts'
import { findLastMove } from './container-moves.ts'

/** The position after which a walk resumes (null at the start), and the number of the last move before the walk began. */
export type WalkCursor = { readonly after: Position | null; readonly since: number }

/**
 * Digests that replace an id too long for a cursor. A shortened id would not suffice, because the ids of two tokens
 * created in the same millisecond can share a long prefix.
 */
type IdDigests = { readonly last: string; readonly next: string }
type SealedCursor = [since: number, container: string, created_at: number, id: string | IdDigests]

/** The maximum size of a cursor's content. Sealed and encoded as base64, it stays below 500 characters (rule L-04). */
const MAX_CURSOR_BYTES = 340

/** Returns the cursor for the page after position `last`, which begins with position `next` (rules L-03, L-04). */
export function sealWalkCursor(
  { keyring }: Context,
  { last, next, since }: { last: Position; next: Position; since: number },
  scope: string,
): string {
  const [container, created_at, id] = findPositionBetween(last, next)
  const cursorText = JSON.stringify([since, container, created_at, id] satisfies SealedCursor)
  if (Buffer.byteLength(cursorText) <= MAX_CURSOR_BYTES) return keyring.sealCursor(cursorText, scope)
  const digests = { last: computeIdDigest(last[2]), next: computeIdDigest(next[2]) }
  return keyring.sealCursor(
    JSON.stringify([since, container, created_at, digests] satisfies SealedCursor),
    scope,
  )
}

/** Opens a cursor, if any. Throws `invalid` if it is damaged, or belongs to another list or caller (rule L-04). */
export function openWalkCursor(
  { db, keyring }: Context,
  cursor: string | undefined,
  scope: string,
): WalkCursor {
  if (cursor === undefined) return { after: null, since: findLastMove(db) }
  const text = keyring.openCursor(cursor, scope)
  if (text === null) {
    throw createInvalidError(
      'start',
      'is not a cursor of this list; pass pagination.next and keep the same filters and key',
    )
  }
  const [since, container, created_at, id] = JSON.parse(text) as SealedCursor
  const lastId = typeof id === 'string' ? id : findIdByDigest(id, listIdsAt(db, container, created_at))
  if (lastId === undefined)
    throw createInvalidError(
      'start',
      'points to a token that no longer exists; start again from the first page',
    )
  return { after: [container, created_at, lastId], since }
}

function findIdByDigest({ last, next }: IdDigests, ids: readonly string[]): string | undefined {
  const id = ids.find((each) => computeIdDigest(each) === last)
  if (id !== undefined) return id
  const following = ids.find((each) => computeIdDigest(each) === next)
  // No id contains a control character, so this position is directly before `following` in a walk.
  return following === undefined ? undefined : `${following}\0`
}

/** Returns the shortest position above `next` and not above `last`, both neighbours in a walk (rule L-03). */
export function findPositionBetween(last: Position, next: Position): Position {
  if (last[0] !== next[0]) return [findSeparator(last[0], next[0]), 0, '']
  if (last[1] !== next[1]) return [last[0], last[1], '']
  return [last[0], last[1], findSeparator(last[2], next[2])]
}

/** Returns the shortest prefix of `greater` that is still greater than `lesser`. Compares code points, like SQLite. */
function findSeparator(greater: string, lesser: string): string {
  const lesserCharacters = [...lesser]
  let text = ''
  for (const [at, character] of [...greater].entries()) {
    text += character
    if (character !== lesserCharacters[at]) break
  }
  return text
}

function computeIdDigest(id: string): string {
  return hash('sha256', id, 'buffer').subarray(0, 16).toString('base64')
}
