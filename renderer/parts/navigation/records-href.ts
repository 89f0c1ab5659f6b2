import { type Condition, formatFilter } from '../../../shared/conditions.ts'
import type { LogField } from '../../../shared/schemas/log.ts'
import { toHref } from './route-text.ts'

/** Where Requests lists the records that meet all of these conditions, with one of them open. */
export function getRecordsHref(
  conditions: readonly Condition<LogField | 'since' | 'until'>[],
  id: string | null = null,
): string {
  return toHref('requests', id, { q: formatFilter({ conditions, words: '' }) })
}

/** The conditions that leave out what did not come from a program. */
export const fromPrograms = [
  { field: 'app', value: 'owner', not: true },
  { field: 'app', value: 'vault', not: true },
] as const
