import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { strings } from '../strings.ts'
import gridStyles from './grid.module.css'
import { type Column, getCellClass, type Sort } from './grid-row.tsx'
import { clampWidth, type Layout, reorderColumns, resizeColumn } from './layout.ts'

const t = strings.columns

/** The number of pixels by which one key press changes a width. */
const WIDTH_STEP = 16
/** The number of pixels that a header must be dragged before it moves. */
const MIN_DRAG_DISTANCE = 6

const arrows = { ascending: '↑', descending: '↓' } as const

type Props<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly layout: Layout
  readonly onLayout: (layout: Layout) => void
  /** Called while a width is being dragged, to show the layout before it is stored. */
  readonly onDraft: (layout: Layout) => void
  readonly sort: string | undefined
  readonly onSort: ((by: string) => void) | undefined
  /** The width at which no cell of a column is truncated. */
  readonly measureFit: (index: number) => number
}

/** The column headers: they sort, move and resize columns. All headers together are one tab stop. */
export function GridHeaders<Row>(props: Props<Row>) {
  const { columns, layout, onLayout, onDraft, sort, onSort, measureFit } = props
  const [stop, setStop] = useState(0)
  /** The column position where the dragged header would be dropped. */
  const [target, setTarget] = useState<number | null>(null)
  const heads = useRef<(HTMLTableCellElement | null)[]>([])
  const wasDragged = useRef(false)
  const ids = columns.map(({ id }) => id)
  const getWidth = (index: number) => heads.current[index]?.offsetWidth ?? 0

  function moveColumn(id: string, to: number): void {
    onLayout({ ...layout, columns: reorderColumns(ids, id, to) })
  }
  function focusHeader(index: number): void {
    setStop(index)
    heads.current[index]?.querySelector('button')?.focus()
  }
  function handleKeyDown(event: KeyboardEvent, { id }: Column<Row>, index: number): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault()
      onLayout(resizeColumn(layout, id, measureFit(index)))
    } else if (by !== undefined && !event.altKey) {
      event.preventDefault()
      if (event.shiftKey && (event.ctrlKey || event.metaKey)) {
        moveColumn(id, index + by)
        setStop(Math.min(ids.length - 1, Math.max(0, index + by)))
      } else if (event.shiftKey) onLayout(resizeColumn(layout, id, getWidth(index) + by * WIDTH_STEP))
      else focusHeader(Math.min(ids.length - 1, Math.max(0, index + by)))
    }
  }
  function dragEdge(event: PointerEvent<HTMLElement>, { id }: Column<Row>, index: number): void {
    if (event.button !== 0) return
    event.preventDefault()
    event.stopPropagation()
    const { clientX } = event
    const before = getWidth(index)
    const toLayout = ({ clientX: x }: { clientX: number }) =>
      resizeColumn(layout, id, clampWidth(before + x - clientX))
    followPointer(event.currentTarget, event.pointerId, {
      onMove: (to) => onDraft(toLayout(to)),
      onEnd: (to) => to.clientX !== clientX && onLayout(toLayout(to)),
    })
  }
  function dragHead(event: PointerEvent<HTMLElement>, { id }: Column<Row>, index: number): void {
    if (event.button !== 0) return
    wasDragged.current = false
    const { clientX } = event
    const findColumnAt = ({ clientX: x }: { clientX: number }) => {
      const at = heads.current
        .slice(0, columns.length)
        .findIndex((head) => head !== null && x < head.getBoundingClientRect().right)
      return at < 0 ? columns.length - 1 : at
    }
    followPointer(event.currentTarget, event.pointerId, {
      onMove(to) {
        if (Math.abs(to.clientX - clientX) > MIN_DRAG_DISTANCE) wasDragged.current = true
        if (wasDragged.current) setTarget(findColumnAt(to))
      },
      onEnd(to) {
        setTarget(null)
        if (wasDragged.current && findColumnAt(to) !== index) moveColumn(id, findColumnAt(to))
      },
    })
  }

  return columns.map((column, index) => {
    const { id, label, sorts = [] } = column
    const current = sorts.find(({ by }) => by === sort)
    const next = findNextSort(sorts, sort)
    const isSortable = onSort !== undefined && next !== undefined
    const title = [isSortable ? t.sortBy(next.label) : label, t.keys].join('\n')
    return (
      <th
        key={id}
        ref={(element) => {
          heads.current[index] = element
        }}
        scope="col"
        className={`${getCellClass(columns, index)} ${index === target ? gridStyles.target : ''}`}
        {...(current && onSort && { 'aria-sort': current.direction })}
      >
        <button
          type="button"
          className={`unstyled ${gridStyles.headName} clip`}
          tabIndex={index === Math.min(stop, columns.length - 1) ? 0 : -1}
          title={title}
          {...(isSortable && !current && { 'data-sorts': arrows[next.direction] })}
          onFocus={() => setStop(index)}
          onKeyDown={(event) => handleKeyDown(event, column, index)}
          onPointerDown={(event) => dragHead(event, column, index)}
          onClick={() => {
            if (!wasDragged.current && isSortable) onSort(next.by)
            wasDragged.current = false
          }}
        >
          {label}
          {current && onSort && <span aria-hidden="true"> {arrows[current.direction]}</span>}
        </button>
        <span
          className={gridStyles.edge}
          aria-hidden="true"
          onPointerDown={(event) => dragEdge(event, column, index)}
          onDoubleClick={() => onLayout(resizeColumn(layout, id, measureFit(index)))}
        />
      </th>
    )
  })
}

function findNextSort(sorts: readonly Sort[], sort: string | undefined): Sort | undefined {
  const at = sorts.findIndex(({ by }) => by === sort)
  return sorts[(at + 1) % sorts.length]
}

type PointerHandlers = {
  readonly onMove: (event: globalThis.PointerEvent) => void
  readonly onEnd: (event: globalThis.PointerEvent) => void
}

/** Follows a pointer until it is released. */
function followPointer(element: HTMLElement, pointer: number, { onMove, onEnd }: PointerHandlers): void {
  element.setPointerCapture(pointer)
  function stopFollowing(event: globalThis.PointerEvent): void {
    element.removeEventListener('pointermove', onMove)
    element.removeEventListener('pointerup', stopFollowing)
    element.removeEventListener('pointercancel', stopFollowing)
    onEnd(event)
  }
  element.addEventListener('pointermove', onMove)
  element.addEventListener('pointerup', stopFollowing)
  element.addEventListener('pointercancel', stopFollowing)
}
