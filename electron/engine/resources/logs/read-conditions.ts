import { type Condition, type FieldContent, matchesConditions } from '../../../../shared/conditions.ts'
import type { ReadField } from './filter.ts'
import { parseDetail, parseHttp } from './present.ts'
import type { LogRow } from './store.ts'

/** The columns behind the fields without terms; a query selects only those that its conditions need. */
const neededColumns: Readonly<Record<ReadField, readonly (keyof LogRow)[]>> = {
  method: ['request'],
  path: ['request'],
  key: ['key_hint'],
  decision: ['note', 'detail'],
  took: ['duration_us'],
  size: ['http'],
}
export type ReadColumns = Partial<
  Pick<LogRow, 'request' | 'key_hint' | 'note' | 'detail' | 'duration_us' | 'http'>
>

/** Lists the columns for conditions, as the end of a SELECT that has others. */
export function listColumns(conditions: readonly Condition<ReadField>[]): string {
  const columns = new Set(conditions.flatMap(({ field }) => neededColumns[field]))
  return [...columns].map((column) => `, ${column}`).join('')
}

/** Whether a record meets conditions on fields without terms. */
export function matchesReadConditions(
  row: ReadColumns,
  conditions: readonly Condition<ReadField>[],
): boolean {
  return matchesConditions(conditions, (field) => readField(row, field))
}

function readField(row: ReadColumns, field: ReadField): readonly FieldContent[] {
  const { request, key_hint, note, detail = null, duration_us, http = null } = row
  const [method, path] = request?.split(' ') ?? []
  switch (field) {
    case 'method':
      return [method]
    case 'path':
      return [path]
    case 'key':
      return [key_hint ?? undefined]
    case 'decision':
      return [note ?? undefined, parseDetail({ detail }).sentence]
    case 'took':
      // A record without a duration says 0.
      return [duration_us ? duration_us / 1000 : undefined]
    case 'size':
      return [parseHttp({ http }).out]
  }
}
