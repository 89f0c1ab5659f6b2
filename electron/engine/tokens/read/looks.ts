import { testsOf } from '../../access/access.ts'
import type { Actor } from '../../access/actor.ts'
import { containersOf, type TokenRow } from '../store.ts'
import { bytesOf } from './room.ts'

/** The most rows a walk looks at for one answer (rule R-03). */
export const MOST_LOOKS = 2_000

/** A row of this many bytes more, or with this many rules and conditions more to test, takes as long as another row. */
const BYTES = 4_096
const TESTS = 200

/** Returns how many rows a row counts as in a walk: more if it is large or access to it takes many tests. */
export function looksOf(row: TokenRow | undefined, actor: Actor): number {
  if (!row) return 1
  const containers = row.containers === null ? 1 : containersOf(row).length
  return 1 + bytesOf(row) / BYTES + (testsOf(actor) * containers) / TESTS
}
