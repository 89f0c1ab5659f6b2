import { countRuleTests } from '../../../access/access.ts'
import type { Actor } from '../../../access/actor.ts'
import { getContainers, type TokenRow } from '../store.ts'
import { getStoredSize } from './answer-budget.ts'

/** The maximum scan cost of one request (rule R-03). Reading a small row costs 1. */
export const MAX_SCAN_COST = 2_000

/** The size in bytes, and the number of tests of rules and conditions, that cost as much as another row. */
const BYTES_PER_ROW = 4_096
const TESTS_PER_ROW = 200

/** Returns the scan cost of a row: 1, or more if the row is large or access to it takes many tests. */
export function computeScanCost(row: TokenRow | undefined, actor: Actor): number {
  if (!row) return 1
  const containers = row.containers === null ? 1 : getContainers(row).length
  return 1 + getStoredSize(row) / BYTES_PER_ROW + (countRuleTests(actor) * containers) / TESTS_PER_ROW
}
