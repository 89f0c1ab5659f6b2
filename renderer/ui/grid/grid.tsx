import './grid.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { strings } from '../strings.ts'
import { type Column, GridRow, rowId, WaitingRow } from './grid-row.tsx'

/** Where a row is relative to the viewport. */
export type RowPlace = 'in view' | 'above' | 'below'

export type GridHandle = {
  focus(): void
  scrollTo(index: number): void
  placeOf(index: number): RowPlace
}

type Props<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly count: number
  /** Undefined while the row is loading. */
  readonly row: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  /** The index of the keyboard's row; -1 for none. */
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (index: number) => void
  /** Called with the range of rows in view, to fetch missing ones. */
  readonly onView?: (first: number, last: number) => void
  readonly classOf?: (row: Row) => string | undefined
  readonly handle?: Ref<GridHandle>
  /** Content below the last row. */
  readonly below?: ReactNode
}

const HEIGHT = 32

/** A virtualized table: only the rows in view are in the DOM. */
export function Grid<Row>(props: Props<Row>) {
  const { label, columns, count, row, keyOf, active, onActive, onOpen, onView, classOf, handle, below } =
    props
  const box = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => HEIGHT,
    overscan: 12,
    // The sticky head covers the top of the viewport; a horizontal scroll bar covers its own height at the bottom.
    scrollMargin: HEIGHT,
    scrollPaddingStart: HEIGHT,
    scrollPaddingEnd: box.current ? box.current.offsetHeight - box.current.clientHeight : 0,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items[items.length - 1]?.index ?? 0

  useEffect(() => onView?.(first, last), [onView, first, last])
  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active, { align: 'auto' })
  }, [active, virtual])
  useImperativeHandle(handle, () => ({
    focus: () => table.current?.focus({ preventScroll: true }),
    scrollTo: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    placeOf(index) {
      const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
      if (index * HEIGHT < scrollTop) return 'above'
      // One row more, for the sticky head.
      return (index + 2) * HEIGHT > scrollTop + clientHeight ? 'below' : 'in view'
    },
  }))

  const tracks = { gridTemplateColumns: columns.map((column) => column.width).join(' ') }
  const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 320) / HEIGHT) - 2)
  const moves: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  }

  function move(to: number): void {
    table.current?.focus({ preventScroll: true })
    onActive(Math.min(count - 1, Math.max(0, to)))
  }
  // Arrow keys bring the focus here from anywhere, so that Enter opens the highlighted row.
  useKeys({ arrowdown: () => move(active + 1), arrowup: () => move(active - 1) }, count > 0)

  function rowOf(target: EventTarget): number | undefined {
    const index = target instanceof Element ? target.closest('tr')?.dataset.index : undefined
    return index === undefined ? undefined : Number(index)
  }

  // To assistive technology, a table with keyboard navigation between rows is a grid.
  const asGrid = {
    role: 'grid',
    tabIndex: 0,
    'aria-label': strings.rows(label),
    'aria-rowcount': count + 1,
    'aria-activedescendant': active >= first && active <= last ? rowId(label, active) : undefined,
  }

  return (
    <div ref={box} className="grid">
      <table
        ref={table}
        {...asGrid}
        onClick={(event) => {
          const index = rowOf(event.target)
          if (index === undefined) return
          table.current?.focus({ preventScroll: true })
          onOpen(index)
        }}
        onKeyDown={(event) => {
          if (event.target !== table.current || event.metaKey || event.ctrlKey || event.altKey) return
          const to = moves[event.key]
          if (to !== undefined && count > 0) {
            event.preventDefault()
            move(to)
          } else if (event.key === 'Enter' && active >= 0) {
            event.preventDefault()
            onOpen(active)
          }
        }}
      >
        <thead>
          <tr className="grid-head" aria-rowindex={1} style={tracks}>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={`clip ${column.right ? 'grid-right' : ''}`}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const at = { ...tracks, transform: `translateY(${start - HEIGHT}px)` }
            const value = row(index)
            return value === undefined ? (
              <WaitingRow key={`waiting ${index}`} columns={columns} at={at} index={index} />
            ) : (
              <GridRow
                key={keyOf(value)}
                id={rowId(label, index)}
                row={value}
                columns={columns}
                at={at}
                index={index}
                isActive={index === active}
                className={classOf?.(value) ?? ''}
              />
            )
          })}
        </tbody>
      </table>
      {below}
    </div>
  )
}
