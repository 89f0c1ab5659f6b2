import './grid.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { strings } from '../strings.ts'
import { type Column, GridRow, rowId, WaitingRow } from './grid-row.tsx'

/** Where a row is to be found from what is in view. */
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
  /** Undefined while the row is on its way. */
  readonly row: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  /** The row the keyboard is on; -1 for none. */
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (index: number) => void
  /** Told which rows are in view, to fetch what is missing. */
  readonly onView?: (first: number, last: number) => void
  readonly classOf?: (row: Row) => string | undefined
  readonly handle?: Ref<GridHandle>
  /** What stands below the last row. */
  readonly below?: ReactNode
}

const HEIGHT = 32

/** A table of any number of rows, of which only those in view exist. */
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
    // The head lies above the rows and stays where it is; a scroll bar below them hides as much as it is high.
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
      // The head stays above the rows.
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
  // Wherever the focus is, the arrows bring it here: what is highlighted is what Enter opens.
  useKeys({ arrowdown: () => move(active + 1), arrowup: () => move(active - 1) }, count > 0)

  function rowOf(target: EventTarget): number | undefined {
    const index = target instanceof Element ? target.closest('tr')?.dataset.index : undefined
    return index === undefined ? undefined : Number(index)
  }

  // A table whose rows are moved through by keyboard is a grid to assistive technology.
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
