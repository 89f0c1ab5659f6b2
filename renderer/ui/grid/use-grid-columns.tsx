import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { ColumnMenu, type CustomColumns } from './column-menu.tsx'
import { GridHeaders } from './grid-header.tsx'
import type { Column, Sorting } from './grid-row.tsx'
import { clampWidth, computeMinWidth, formatTracks, getVisibleColumns, type Layout } from './layout.ts'
import { useLayout } from './layouts.ts'

export type GridColumnProps<Row> = {
  /** The accessible name of the list. The column layout is also stored under this name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly sorting?: Sorting
  readonly customColumns?: CustomColumns<Row>
}

type GridColumns<Row> = {
  readonly visibleColumns: readonly Column<Row>[]
  readonly headers: ReactNode
  readonly columnMenu: ReactNode
  readonly tableStyle: CSSProperties
}

/** The columns of a grid in the owner's layout. `hasChecks` means that a column of checkboxes precedes them. */
export function useGridColumns<Row>(
  { label, columns, sorting, customColumns }: GridColumnProps<Row>,
  hasChecks: boolean,
  box: RefObject<HTMLElement | null>,
  table: RefObject<HTMLElement | null>,
): GridColumns<Row> {
  const [layout, onLayout] = useLayout(label)
  const width = useWidth(box)
  const findColumn = customColumns?.findColumn
  const visibleColumns = useMemo(
    () => getVisibleColumns(columns, layout, width, findColumn),
    [columns, layout, width, findColumn],
  )
  const tracks = useCallback(
    (layout: Layout) => formatTracks(visibleColumns, layout, hasChecks),
    [visibleColumns, hasChecks],
  )
  // Memoized, so that scrolling renders neither the headers nor the columns button again.
  const headers = useMemo(
    () => (
      <GridHeaders
        columns={visibleColumns}
        layout={layout}
        onLayout={onLayout}
        onDraft={(draft) => table.current?.style.setProperty('--tracks', tracks(draft))}
        sort={sorting?.sort}
        onSort={sorting?.onSort}
        measureFit={(index) => measureColumn(table.current, index + (hasChecks ? 1 : 0))}
      />
    ),
    [visibleColumns, layout, onLayout, tracks, sorting, hasChecks, table],
  )
  const columnMenu = useMemo(
    () => (
      <ColumnMenu
        columns={columns}
        visibleColumns={visibleColumns}
        layout={layout}
        onLayout={onLayout}
        customColumns={customColumns}
        sorting={sorting}
      />
    ),
    [columns, visibleColumns, layout, onLayout, customColumns, sorting],
  )
  const tableStyle = {
    '--tracks': tracks(layout),
    minWidth: `max(100%, ${computeMinWidth(visibleColumns, layout, hasChecks)}px)`,
  } as CSSProperties
  return { visibleColumns, headers, columnMenu, tableStyle }
}

function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    setWidth(element.clientWidth)
    return () => observer.disconnect()
  }, [box])
  return width
}

function measureColumn(table: HTMLElement | null, cell: number): number {
  const cells = table?.querySelectorAll(`tr > :nth-child(${cell + 1})`) ?? []
  const range = document.createRange()
  const widths = [...cells].map((each) => {
    const inner = each.querySelector('th button') ?? each
    range.selectNodeContents(inner)
    return range.getBoundingClientRect().width
  })
  return clampWidth(Math.max(...widths) + 2)
}
