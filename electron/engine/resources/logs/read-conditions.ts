import { type Condition, type FieldValue, meetsConditions } from '../../../../shared/conditions.ts'
import type { LogDetail } from '../../pipeline/detail.ts'
import type { StoredHttp } from '../../pipeline/request-metadata.ts'
import type { ReadField } from './filter.ts'
import type { LogRow } from './store.ts'

/** The columns behind the fields without terms; a query selects only those that its conditions need. */
const columnsOf: Readonly<Record<ReadField, readonly (keyof LogRow)[]>> = {
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
  const columns = new Set(conditions.flatMap(({ field }) => columnsOf[field]))
  return [...columns].map((column) => `, ${column}`).join('')
}

/** Whether a record meets conditions on fields without terms. */
export function meetsReadConditions(row: ReadColumns, conditions: readonly Condition<ReadField>[]): boolean {
  return meetsConditions(conditions, (field) => readField(row, field))
}

function readField(row: ReadColumns, field: ReadField): readonly FieldValue[] {
  const { request, key_hint, note, detail, duration_us, http } = row
  const [method, path] = request?.split(' ') ?? []
  switch (field) {
    case 'method':
      return [method]
    case 'path':
      return [path]
    case 'key':
      return [key_hint ?? undefined]
    case 'decision':
      return [note ?? undefined, parseColumn<LogDetail>(detail).sentence]
    case 'took':
      // A record without a duration says 0.
      return [duration_us ? duration_us / 1000 : undefined]
    case 'size':
      return [parseColumn<StoredHttp>(http).out]
  }
}

function parseColumn<Value extends object>(text: string | null | undefined): Partial<Value> {
  return text ? (JSON.parse(text) as Value) : {}
}
