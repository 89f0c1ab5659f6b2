import type { Column } from './grid-row.tsx'

/** How a list's columns are shown; what is absent is as the list has it. */
export type Layout = {
  /** The columns shown, in their order. */
  readonly columns?: readonly string[] | undefined
  /** The widths that were set, in pixels. */
  readonly widths?: Readonly<Record<string, number>> | undefined
}

const MIN_WIDTH = 40
const MAX_WIDTH = 4000
/** The gap between two columns, and what lies left and right of all of them. */
const GAP = 12
const SIDES = 56
/** The width of the column of checkboxes. */
const CHECKBOX_WIDTH = 20

/** The columns shown in a list of this width: the chosen ones, or those that have room by default. */
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

/** The CSS grid tracks of the columns. */
export function formatTracks(
  columns: readonly Column<never>[],
  { widths = {} }: Layout,
  checks: boolean,
): string {
  const tracks = columns.map(({ id, width }) => (widths[id] === undefined ? width : `${widths[id]}px`))
  return [...(checks ? [`${CHECKBOX_WIDTH}px`] : []), ...tracks].join(' ')
}

/** The width below which the list scrolls sideways. */
export function computeMinWidth(
  columns: readonly Column<never>[],
  { widths = {} }: Layout,
  checks: boolean,
): number {
  const minWidths = columns.map(({ id, width }) => widths[id] ?? Number(/\d+/.exec(width)?.[0] ?? MIN_WIDTH))
  const all = checks ? [CHECKBOX_WIDTH, ...minWidths] : minWidths
  return all.reduce((sum, each) => sum + each, 0) + GAP * (all.length - 1) + SIDES
}

/** A width within the bounds. */
export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)))
}

/** The layout with a column of this width. */
export function resizeColumn(layout: Layout, id: string, width: number): Layout {
  return { ...layout, widths: { ...layout.widths, [id]: clampWidth(width) } }
}

/** The ids with one moved to a place. */
export function reorderColumns(ids: readonly string[], id: string, to: number): readonly string[] {
  const from = ids.indexOf(id)
  const index = Math.min(ids.length - 1, Math.max(0, to))
  return from < 0 ? ids : ids.toSpliced(from, 1).toSpliced(index, 0, id)
}

/** The ids with one added at the end or taken out; the last one stays. */
export function toggleColumn(ids: readonly string[], id: string, isChosen: boolean): readonly string[] {
  if (isChosen) return ids.includes(id) ? ids : [...ids, id]
  const remaining = ids.filter((each) => each !== id)
  return remaining.length > 0 ? remaining : ids
}
