import type { Column } from './grid-row.tsx'

/** How a list's columns are shown; what is absent is as the list has it. */
export type Layout = {
  /** The columns shown, in their order. */
  readonly columns?: readonly string[] | undefined
  /** The widths that were set, in pixels. */
  readonly widths?: Readonly<Record<string, number>> | undefined
}

const LEAST_WIDTH = 40
const MOST_WIDTH = 4000
/** The gap between two columns, and what lies left and right of all of them. */
const GAP = 12
const SIDES = 56
/** The width of the column of checkboxes. */
const CHECKS = 20

/** The columns shown in a list of this width: the chosen ones, or those that have room by default. */
export function shownColumns<Row>(
  columns: readonly Column<Row>[],
  { columns: chosen }: Layout,
  width: number,
  made: (id: string) => Column<Row> | undefined = () => undefined,
): readonly Column<Row>[] {
  if (!chosen) return columns.filter(({ from = 0 }) => from <= width)
  const shown = chosen.flatMap((id) => columns.find((column) => column.id === id) ?? made(id) ?? [])
  return shown.length > 0 ? shown : columns.slice(0, 1)
}

/** The CSS grid tracks of the columns. */
export function tracksOf(
  columns: readonly Column<never>[],
  { widths = {} }: Layout,
  checks: boolean,
): string {
  const tracks = columns.map(({ id, width }) => (widths[id] === undefined ? width : `${widths[id]}px`))
  return [...(checks ? [`${CHECKS}px`] : []), ...tracks].join(' ')
}

/** The width below which the list scrolls sideways. */
export function leastWidth(
  columns: readonly Column<never>[],
  { widths = {} }: Layout,
  checks: boolean,
): number {
  const least = columns.map(({ id, width }) => widths[id] ?? Number(/\d+/.exec(width)?.[0] ?? LEAST_WIDTH))
  const all = checks ? [CHECKS, ...least] : least
  return all.reduce((sum, each) => sum + each, 0) + GAP * (all.length - 1) + SIDES
}

/** A width within the bounds. */
export function bounded(width: number): number {
  return Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)))
}

/** The layout with a column of this width. */
export function resized(layout: Layout, id: string, width: number): Layout {
  return { ...layout, widths: { ...layout.widths, [id]: bounded(width) } }
}

/** The ids with one moved to a place. */
export function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  const from = ids.indexOf(id)
  const place = Math.min(ids.length - 1, Math.max(0, to))
  return from < 0 ? ids : ids.toSpliced(from, 1).toSpliced(place, 0, id)
}

/** The ids with one added at the end or taken out; the last one stays. */
export function chosen(ids: readonly string[], id: string, wanted: boolean): readonly string[] {
  if (wanted) return ids.includes(id) ? ids : [...ids, id]
  const left = ids.filter((each) => each !== id)
  return left.length > 0 ? left : ids
}
