import { hash } from 'node:crypto'
import { invalid } from '../../../shared/errors.ts'
import type { Context } from '../context.ts'
import { idsAt, type TokenRow } from './store.ts'
import type { Position } from './walk.ts'

/** A place that fits no cursor names its token by digest: only ids that are alike for long, made in one millisecond. */
type Place = Position | readonly [container: string, created_at: number, id: null, digest: string]

/** Sealed and in base64, this many bytes make less than 500 characters (rule L-04). */
const LONGEST = 340

/** The cursor of what follows `last`, whose next token is `next` (rules L-03, L-04). */
export function sealPlace({ keyring }: Context, last: TokenRow, next: TokenRow, scope: string): string {
  const place = JSON.stringify(placeBetween(positionOf(last), positionOf(next)))
  if (Buffer.byteLength(place) <= LONGEST) return keyring.sealCursor(place, scope)
  const named: Place = [last.container, last.created_at, null, digestOf(last.id)]
  return keyring.sealCursor(JSON.stringify(named), scope)
}

/** The position a cursor stands for; throws 400 for one that is damaged or made for another list or caller (rule L-04). */
export function openPlace({ db, keyring }: Context, cursor: string, scope: string): Position {
  const text = keyring.openCursor(cursor, scope)
  if (text === null) {
    throw invalid(
      'start',
      'is not a cursor of this list; take pagination.next and keep the same filters and key',
    )
  }
  const place = JSON.parse(text) as Place
  if (place.length === 3) return place
  const [container, created_at, , digest] = place
  const id = idsAt(db, container, created_at).find((each) => digestOf(each) === digest)
  if (id === undefined) throw invalid('start', 'stood at a token that is gone; begin the list anew')
  return [container, created_at, id]
}

/** The shortest position that is above `next` and not above `last`, of two that follow each other in a walk. */
export function placeBetween(last: Position, next: Position): Position {
  if (last[0] !== next[0]) return [separator(last[0], next[0]), 0, '']
  if (last[1] !== next[1]) return [last[0], last[1], '']
  return [last[0], last[1], separator(last[2], next[2])]
}

/** The shortest beginning of the greater text that is still greater than the lesser, by code points as SQLite compares. */
function separator(greater: string, lesser: string): string {
  const others = [...lesser]
  let text = ''
  for (const [at, character] of [...greater].entries()) {
    text += character
    if (character !== others[at]) break
  }
  return text
}

function positionOf({ container, created_at, id }: TokenRow): Position {
  return [container, created_at, id]
}

function digestOf(id: string): string {
  return hash('sha256', id, 'buffer').subarray(0, 16).toString('base64')
}
