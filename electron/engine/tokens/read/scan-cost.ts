import { countRuleTests } from '../../access/access.ts'
import type { Actor } from '../../access/actor.ts'
import { getContainers, type TokenRow } from '../store.ts'
import { getStoredSize } from './answer-budget.ts'

/** The most that one request may spend on reading rows; a small row costs 1 (rule R-03). */
export const MAX_SCAN_COST = 2_000

/** Each further 4,096 bytes of a row, or 200 tests of rules and conditions, cost as much as another row. */
const BYTES_PER_ROW = 4_096
const TESTS_PER_ROW = 200

/** Returns the scan cost of a row: 1, more if it is large or access to it takes many tests. */
export function computeScanCost(row: TokenRow | undefined, actor: Actor): number {
  if (!row) return 1
  const containers = row.containers === null ? 1 : getContainers(row).length
  return 1 + getStoredSize(row) / BYTES_PER_ROW + (countRuleTests(actor) * containers) / TESTS_PER_ROW
}
