import { countRuleTests } from '../../access/access.ts'
import type { Actor } from '../../access/actor.ts'
import { getContainers, type TokenRow } from '../store.ts'
import { getStoredSize } from './answer-budget.ts'

/** The most rows a walk looks at for one answer (rule R-03). */
export const MAX_SCAN_COST = 2_000

/** A row of this many bytes more, or with this many rules and conditions more to test, takes as long as another row. */
const BYTES_PER_ROW = 4_096
const TESTS_PER_ROW = 200

/** Returns how many rows a row counts as in a walk: more if it is large or access to it takes many tests. */
export function computeScanCost(row: TokenRow | undefined, actor: Actor): number {
  if (!row) return 1
  const containers = row.containers === null ? 1 : getContainers(row).length
  return 1 + getStoredSize(row) / BYTES_PER_ROW + (countRuleTests(actor) * containers) / TESTS_PER_ROW
}
