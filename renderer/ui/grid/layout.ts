import type { Column } from './grid-row.tsx'

/** The column layout that the user has chosen. Absent members keep the list's defaults. */
export type Layout = {
  readonly columns?: readonly string[] | undefined
  readonly widths?: Readonly<Record<string, number>> | undefined
  /** Whether the list of requests hides the owner's. */
  readonly hides_own?: boolean | undefined
}

const MIN_WIDTH = 40
const MAX_WIDTH = 4000
/** The gap between columns and at both edges, in pixels. */
const GAP = 12
const SIDES = 56
const CHECKBOX_WIDTH = 20

/** The visible columns: the chosen ones, or the default ones for this list width. */
export function getVisibleColumns<Row>(
  columns: readonly Column<Row>[],
  { columns: chosen }: Layout,
  width: number,
  findCustomColumn: (id: string) => Column<Row> | undefined = () => undefined,
): readonly Column<Row>[] {
  if (!chosen) return columns.filter(({ from = 0 }) => from <= width)
  const visible = chosen.flatMap(
    (id) => columns.find((column) => column.id === id) ?? findCustomColumn(id) ?? [],
  )
  return visible.length > 0 ? visible : columns.slice(0, 1)
}

export function formatTracks(
  columns: readonly Column<never>[],
  { widths = {} }: Layout,
  checks: boolean,
): string {
  const tracks = columns.map(({ id, width }) => (widths[id] === undefined ? width : `${widths[id]}px`))
  return [...(checks ? [`${CHECKBOX_WIDTH}px`] : []), ...tracks].join(' ')
}

/** The list width, in pixels, below which the list scrolls horizontally. */
export function computeMinWidth(
  columns: readonly Column<never>[],
  { widths = {} }: Layout,
  checks: boolean,
): number {
  const minWidths = columns.map(({ id, width }) => widths[id] ?? Number(/\d+/.exec(width)?.[0] ?? MIN_WIDTH))
  const all = checks ? [CHECKBOX_WIDTH, ...minWidths] : minWidths
  return all.reduce((sum, each) => sum + each, 0) + GAP * (all.length - 1) + SIDES
}

export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)))
}

export function resizeColumn(layout: Layout, id: string, width: number): Layout {
  return { ...layout, widths: { ...layout.widths, [id]: clampWidth(width) } }
}

export function reorderColumns(ids: readonly string[], id: string, to: number): readonly string[] {
  const from = ids.indexOf(id)
  const index = Math.min(ids.length - 1, Math.max(0, to))
  return from < 0 ? ids : ids.toSpliced(from, 1).toSpliced(index, 0, id)
}

/** Adds an id at the end or removes it. The last remaining id cannot be removed. */
export function toggleColumn(ids: readonly string[], id: string, isChosen: boolean): readonly string[] {
  if (isChosen) return ids.includes(id) ? ids : [...ids, id]
  const remaining = ids.filter((each) => each !== id)
  return remaining.length > 0 ? remaining : ids
}
