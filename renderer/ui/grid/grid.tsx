import './grid.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { strings } from '../strings.ts'
import { ColumnMenu, type CustomColumns } from './column-menu.tsx'
import { GridHeaders } from './grid-header.tsx'
import { type GridAction, GridMenu, type MenuPosition } from './grid-menu.tsx'
import { Check, type Column, GridRow, rowId, type Sorting, WaitingRow } from './grid-row.tsx'
import { clampWidth, computeMinWidth, formatTracks, getVisibleColumns, type Layout } from './layout.ts'
import { useLayout } from './layouts.ts'
import {
  everythingSelected,
  extendRange,
  type GridSelection,
  isEmptySelection,
  isSelected,
  nothingSelected,
  type ShiftRange,
  toggleSelected,
} from './selection.ts'

/** The position of a row relative to the viewport. */
export type RowVisibility = 'in view' | 'above' | 'below'

export type GridHandle = {
  focus(): void
  scrollTo(index: number): void
  locateRow(index: number): RowVisibility
}

type Props<Row> = {
  /** The accessible name of the list. The column layout is also stored under this name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly count: number
  /** Returns the row at an index; undefined while it is loading. */
  readonly row: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  /** The index of the row with the keyboard focus; -1 for none. */
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (index: number) => void
  /** Called with the range of visible rows, so that missing ones can be fetched. */
  readonly onView?: (first: number, last: number) => void
  readonly classOf?: (row: Row) => string | undefined
  readonly handle?: Ref<GridHandle>
  readonly below?: ReactNode
  /** Enables multiple selection. */
  readonly selecting?: {
    readonly selection: GridSelection
    readonly onSelect: (selection: GridSelection) => void
  }
  /** The actions on a row, or on the selection if the row is part of it. */
  readonly listActions?: ((index: number) => readonly GridAction[]) | undefined
  /** The order of the list, if it can be sorted. */
  readonly sorting?: Sorting
  readonly customColumns?: CustomColumns<Row>
}

const ROW_HEIGHT = 32

/** A virtualized table: only visible rows are in the DOM. */
export function Grid<Row>(props: Props<Row>) {
  const { label, columns, count, row, keyOf, active, onActive, onOpen, onView, classOf, handle, below } =
    props
  const { selecting, listActions, sorting, customColumns } = props
  const box = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  const range = useRef<ShiftRange | null>(null)
  const [menu, setMenu] = useState<MenuPosition | null>(null)
  const [layout, onLayout] = useLayout(label)
  const width = useWidth(box)
  const findColumn = customColumns?.findColumn
  const visibleColumns = useMemo(
    () => getVisibleColumns(columns, layout, width, findColumn),
    [columns, layout, width, findColumn],
  )
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    // The sticky header covers the top of the viewport, and a horizontal scroll bar covers the bottom.
    scrollMargin: ROW_HEIGHT,
    scrollPaddingStart: ROW_HEIGHT,
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
    locateRow(index) {
      const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
      if (index * ROW_HEIGHT < scrollTop) return 'above'
      // One extra row for the sticky header.
      return (index + 2) * ROW_HEIGHT > scrollTop + clientHeight ? 'below' : 'in view'
    },
  }))

  const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 320) / ROW_HEIGHT) - 2)
  const moves: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  }

  const getKeyAt = (index: number) => {
    const value = row(index)
    return value === undefined ? undefined : keyOf(value)
  }
  function setSelection(selection: GridSelection, from: ShiftRange | null = null): void {
    range.current = from
    selecting?.onSelect(selection)
  }
  function toggleRow(index: number): void {
    const key = getKeyAt(index)
    if (!selecting || key === undefined) return
    const selection = toggleSelected(selecting.selection, key)
    setSelection(selection, { from: key, before: selection })
  }
  /**
   * Selects the rows from the start of the range, or from the row with the keyboard focus, to the given
   * one.
   */
  function extendSelection(to: number): void {
    const from = getKeyAt(active) ?? getKeyAt(to)
    if (!selecting || from === undefined) return
    const since = range.current ?? { from, before: selecting.selection }
    const keys = Array.from({ length: count }, (_, index) => getKeyAt(index)).filter(
      (key) => key !== undefined,
    )
    setSelection(extendRange(since, keys, Math.min(to, keys.length - 1)), since)
  }
  function moveTo(target: number, extending: boolean): void {
    const to = Math.min(count - 1, Math.max(0, target))
    table.current?.focus({ preventScroll: true })
    if (extending) extendSelection(to)
    else if (selecting && isEmptySelection(selecting.selection)) range.current = null
    onActive(to)
  }
  // Arrow keys move the focus into the grid from anywhere, so that Enter opens the highlighted row.
  useKeys(
    {
      arrowdown: ({ shiftKey }) => moveTo(active + 1, shiftKey),
      arrowup: ({ shiftKey }) => moveTo(active - 1, shiftKey),
    },
    count > 0,
  )
  useSelectAll(table, selecting && count > 0 ? () => setSelection(everythingSelected) : undefined)

  function openMenu(index: number, at?: { clientX: number; clientY: number }): void {
    if (!listActions || row(index) === undefined) return
    const { left = 0, bottom = 0 } =
      document.getElementById(rowId(label, index))?.getBoundingClientRect() ?? {}
    setMenu({ index, x: at?.clientX ?? left + 24, y: at?.clientY ?? bottom })
  }
  function handleClick(event: MouseEvent): void {
    const index = findRowIndex(event.target)
    if (index === undefined) return
    table.current?.focus({ preventScroll: true })
    if (selecting && event.shiftKey) {
      extendSelection(index)
      onActive(index)
    } else if (selecting && (event.ctrlKey || event.metaKey || isOnCheck(event.target))) toggleRow(index)
    else onOpen(index)
  }

  // For assistive technology, a table with keyboard navigation between rows is a grid.
  const asGrid = {
    role: 'grid',
    tabIndex: 0,
    'aria-label': selecting ? strings.manyRows(label) : strings.rows(label),
    'aria-rowcount': count + 1,
    'aria-activedescendant': active >= first && active <= last ? rowId(label, active) : undefined,
    ...(selecting && { 'aria-multiselectable': true }),
  }
  const none = selecting === undefined || isEmptySelection(selecting.selection)
  const isSelecting = selecting !== undefined
  const tracks = useCallback(
    (layout: Layout) => formatTracks(visibleColumns, layout, isSelecting),
    [visibleColumns, isSelecting],
  )
  // Memoized, so that scrolling renders neither the headers nor the columns button again.
  const heads = useMemo(
    () => (
      <GridHeaders
        columns={visibleColumns}
        layout={layout}
        onLayout={onLayout}
        onDraft={(draft) => table.current?.style.setProperty('--tracks', tracks(draft))}
        sort={sorting?.sort}
        onSort={sorting?.onSort}
        measureFit={(index) => measureColumn(table.current, index + (isSelecting ? 1 : 0))}
      />
    ),
    [visibleColumns, layout, onLayout, tracks, sorting, isSelecting],
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

  return (
    <div className="grid-frame">
      <div ref={box} className="grid">
        <table
          ref={table}
          {...asGrid}
          style={
            {
              '--tracks': tracks(layout),
              minWidth: `max(100%, ${computeMinWidth(visibleColumns, layout, selecting !== undefined)}px)`,
            } as CSSProperties
          }
          // Shift+click extends the row selection instead of selecting text.
          onMouseDown={(event) => selecting && event.shiftKey && event.preventDefault()}
          onClick={handleClick}
          onContextMenu={(event) => {
            const index = findRowIndex(event.target)
            if (!listActions || index === undefined) return
            event.preventDefault()
            table.current?.focus({ preventScroll: true })
            onActive(index)
            openMenu(index, event)
          }}
          onKeyDown={(event) => {
            if (event.target !== table.current || event.altKey) return
            if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
              event.preventDefault()
              // Opens the menu after this event: a Mantine menu that opens during a key press closes again.
              if (active >= 0) setTimeout(() => openMenu(active))
              return
            }
            if (event.metaKey || event.ctrlKey) return
            const to = moves[event.key]
            if (to !== undefined && count > 0) {
              event.preventDefault()
              moveTo(to, event.shiftKey)
            } else if (event.key === 'Enter' && active >= 0) {
              event.preventDefault()
              onOpen(active)
            } else if (event.key === ' ' && selecting && active >= 0) {
              event.preventDefault()
              toggleRow(active)
            }
          }}
        >
          <thead>
            <tr className="grid-head" aria-rowindex={1}>
              {selecting && (
                <th
                  className="grid-check"
                  scope="col"
                  onClick={() => setSelection(none ? everythingSelected : nothingSelected)}
                >
                  <Check
                    label={strings.selectAll}
                    checked={selecting.selection.of === 'all'}
                    some={!none && selecting.selection !== everythingSelected}
                  />
                </th>
              )}
              {heads}
            </tr>
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const y = start - ROW_HEIGHT
              const value = row(index)
              if (value === undefined) {
                const cells = visibleColumns.length + (selecting ? 1 : 0)
                return <WaitingRow key={`waiting ${index}`} cells={cells} y={y} index={index} />
              }
              const key = keyOf(value)
              const isChecked = selecting && isSelected(selecting.selection, key)
              return (
                <GridRow
                  key={key}
                  id={rowId(label, index)}
                  row={value}
                  columns={visibleColumns}
                  y={y}
                  index={index}
                  isActive={index === active}
                  isSelected={none ? index === active : isChecked === true}
                  isChecked={isChecked}
                  className={classOf?.(value) ?? ''}
                />
              )
            })}
          </tbody>
        </table>
        {below}
      </div>
      {columnMenu}
      {menu && listActions && (
        <GridMenu
          place={menu}
          label={strings.rowActions}
          actions={listActions(menu.index)}
          onClose={() => {
            setMenu(null)
            table.current?.focus({ preventScroll: true })
          }}
        />
      )}
    </div>
  )
}

function findRowIndex(target: EventTarget): number | undefined {
  const index = target instanceof Element ? target.closest('tr')?.dataset.index : undefined
  return index === undefined ? undefined : Number(index)
}

function isOnCheck(target: EventTarget): boolean {
  return target instanceof Element && target.closest('.grid-check') !== null
}

/** The current width of an element, in pixels. */
function useWidth(box: { readonly current: HTMLElement | null }): number {
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

/**
 * Selects all rows on Ctrl+A while the focus is in the table or on the screen. In a field, Ctrl+A selects its
 * text.
 */
function useSelectAll(table: { readonly current: HTMLElement | null }, selectAll?: () => void): void {
  const latest = useRef(selectAll)
  latest.current = selectAll
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { target } = event
      const isInTable =
        target instanceof Element && (table.current?.contains(target) || target.matches('body, main'))
      if (!latest.current || !isInTable || event.defaultPrevented) return
      if (event.key.toLowerCase() !== 'a' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [table])
}

/** The width at which a column's rendered cells are not truncated. */
function measureColumn(table: HTMLElement | null, cell: number): number {
  const cells = table?.querySelectorAll(`tr > :nth-child(${cell + 1})`) ?? []
  const range = document.createRange()
  const widths = [...cells].map((each) => {
    const inner = each.querySelector('.grid-head-name') ?? each
    range.selectNodeContents(inner)
    return range.getBoundingClientRect().width
  })
  return clampWidth(Math.max(...widths) + 2)
}
