import { type Condition, escapePattern, withConditions } from '../../../shared/conditions.ts'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { getOwnDecision, type LogListRecord, type RecordField, type RecordFilter } from './record.ts'
import { strings } from './strings.ts'

const t = strings.cells
type CellCondition = Condition<RecordField>

/** A longer value is filtered by its beginning. */
const MAX_VALUE = 400

/** The condition that a cell stands for, by column; undefined if the cell is empty. */
const cellValues: Readonly<
  Record<string, readonly [RecordField, (row: LogListRecord) => string | undefined]>
> = {
  status: ['status', ({ status }) => String(status)],
  method: ['method', ({ method }) => method],
  actor: ['app', ({ actor_id, actor_type = 'unknown' }) => actor_id ?? actor_type],
  note: ['decision', getOwnDecision],
  size: ['size', ({ answer_bytes }) => (answer_bytes === undefined ? undefined : `>=${answer_bytes}`)],
  took: ['took', ({ duration_ms }) => (duration_ms > 0 ? `>=${duration_ms}ms` : undefined)],
}

function getCellConditions(
  row: LogListRecord,
  column: string,
): readonly [only: CellCondition, not: CellCondition] | null {
  if (column === 'time')
    return [
      { field: 'since', value: row.created_at },
      { field: 'until', value: row.created_at },
    ]
  // A record without a program has no value to leave out, so its opposite is any program.
  if (column === 'program' && row.agent === undefined)
    return [
      { field: 'program', value: '*', not: true },
      { field: 'program', value: '*' },
    ]
  const [field, value] = readCell(row, column)
  if (value === undefined) return null
  const condition = { field, value: toPattern(value) }
  return [condition, { ...condition, not: true }]
}

/** The pattern of a value, or of its beginning if it is long. */
function toPattern(value: string): string {
  const pattern = escapePattern(value)
  if (pattern.length <= MAX_VALUE) return pattern
  const length = pattern.length > value.length ? MAX_VALUE / 2 : MAX_VALUE
  return `${escapePattern(value.slice(0, length - 1))}*`
}

function readCell(row: LogListRecord, column: string): readonly [RecordField, string | undefined] {
  const { path, action, agent } = row
  if (column === 'path') return path === undefined ? ['action', action] : ['path', path]
  if (column === 'program') return ['program', agent]
  const [field, read] = cellValues[column] ?? ['status', () => undefined]
  return [field, read(row)]
}

/** The columns by which the menu key filters, because it names no cell. */
const menuColumns = ['status', 'path', 'actor', 'method', 'program', 'note', 'took', 'size', 'time']

type CellMenu = {
  readonly row: LogListRecord
  /** The column of the click; undefined if the menu was opened with a key. */
  readonly column: string | undefined
  readonly filter: RecordFilter
  readonly format: (condition: CellCondition) => string
  readonly onFilter: (filter: RecordFilter) => void
}

/** The actions that show only records like a cell's, or leave them out. */
export function listCellActions({ row, column, filter, format, onFilter }: CellMenu): readonly GridAction[] {
  const columns = column === undefined ? menuColumns : [column]
  const listFilters = (at: 0 | 1, toLabel: (value: string) => string): GridAction[] =>
    columns.flatMap((each) => {
      const conditions = getCellConditions(row, each)
      if (!conditions) return []
      const [only] = conditions
      const condition = conditions[at]
      const { field } = condition
      const label = field === 'since' || field === 'until' ? t[field] : toLabel(format(only))
      return [{ label, icon: 'filter', run: () => onFilter(withConditions(filter, [condition])) }]
    })
  if (column !== undefined) return [...listFilters(0, t.only), ...listFilters(1, t.not)]
  return [
    { label: t.onlyThis, icon: 'filter', items: listFilters(0, String), run: () => {} },
    { label: t.notThis, icon: 'eye-off', items: listFilters(1, String), run: () => {} },
  ]
}
