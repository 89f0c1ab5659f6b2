import {
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { ROW_HEIGHT } from './grid-row.tsx'

/** The position of a row relative to the viewport. */
export type RowVisibility = 'in view' | 'above' | 'below'

export type GridHandle = {
  focus(): void
  /** Scrolls as little as needed, or until the row is the first one in view. */
  scrollTo(index: number, to?: 'nearest' | 'start'): void
  locateRow(index: number): RowVisibility
}

export type GridViewProps<Row> = {
  readonly count: number
  /** Returns the row at an index; undefined while it is loading. */
  readonly row: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  /** The index of the row with the keyboard focus; -1 for none. */
  readonly active: number
  /** Called with the range of visible rows, so that missing ones can be fetched. */
  readonly onView?: (first: number, last: number) => void
  readonly handle?: Ref<GridHandle>
}

/** Rows are rendered in blocks of this size. Larger ones would give some frames much more work than others. */
const BLOCK_ROWS = 4
/** The number of blocks that are rendered on both sides of the view, for scrolling faster than rendering. */
const AHEAD_BLOCKS = 2
/** How far rows that come above the view may move the others, for the view to stay where it is. */
const MAX_MOVE = 200

/** The rows of a grid that are in view. Keeps the row with the keyboard focus among them. */
export function useGridView<Row>(
  props: GridViewProps<Row>,
  box: RefObject<HTMLElement | null>,
  focusTable: () => void,
) {
  const { count, active, onView, handle } = props
  const [first, last] = useVisibleRange(box, count)
  useSteadyView(props, box)
  useEffect(() => onView?.(first, last), [onView, first, last])
  useEffect(() => {
    if (active >= 0) scrollToRow(box.current, active, 'nearest')
  }, [active, box])
  useImperativeHandle(handle, () => ({
    focus: focusTable,
    scrollTo: (index, to = 'nearest') => scrollToRow(box.current, index, to),
    locateRow(index) {
      const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
      if (index * ROW_HEIGHT < scrollTop) return 'above'
      // One extra row for the sticky header.
      return (index + 2) * ROW_HEIGHT > scrollTop + clientHeight ? 'below' : 'in view'
    },
  }))
  return {
    indexes: Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at),
    isActiveInView: active >= first && active <= last,
    // The heading is a row too.
    height: (count + 1) * ROW_HEIGHT,
    pageSize: Math.max(1, Math.floor((box.current?.clientHeight ?? 320) / ROW_HEIGHT) - 2),
    findFirst: () => Math.min(count - 1, Math.ceil((box.current?.scrollTop ?? 0) / ROW_HEIGHT)),
  }
}

/** The first and last row to render: those in view, and some more on both sides. */
function useVisibleRange(box: RefObject<HTMLElement | null>, count: number): readonly [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 6 * BLOCK_ROWS])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const updateRange = () => {
      const { scrollTop, clientHeight } = element
      const from = Math.floor(scrollTop / ROW_HEIGHT / BLOCK_ROWS - AHEAD_BLOCKS) * BLOCK_ROWS
      const to = Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT / BLOCK_ROWS + AHEAD_BLOCKS) * BLOCK_ROWS
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]))
    }
    // Renders at once, because the rows that came into view are painted in this frame.
    const updateNow = () => flushSync(updateRange)
    const observer = new ResizeObserver(updateRange)
    observer.observe(element)
    element.addEventListener('scroll', updateNow, { passive: true })
    updateRange()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', updateNow)
    }
  }, [box])
  return [Math.max(0, Math.min(range[0], count - 1)), Math.min(range[1], count - 1)]
}

/** While the list is scrolled, keeps its first row in place if rows are inserted or removed above it. */
function useSteadyView<Row>(
  { count, row, keyOf }: GridViewProps<Row>,
  box: RefObject<HTMLElement | null>,
): void {
  const top = useRef<{ readonly index: number; readonly key: string } | null>(null)
  const getKey = (index: number) => {
    const value = index < 0 || index >= count ? undefined : row(index)
    return value === undefined ? undefined : keyOf(value)
  }
  const rememberTop = useRef(() => {})
  rememberTop.current = () => {
    const { scrollTop = 0 } = box.current ?? {}
    const index = Math.floor(scrollTop / ROW_HEIGHT)
    const key = scrollTop < ROW_HEIGHT ? undefined : getKey(index)
    top.current = key === undefined ? null : { index, key }
  }
  useEffect(() => {
    const handleScroll = () => rememberTop.current()
    const element = box.current
    element?.addEventListener('scroll', handleScroll, { passive: true })
    return () => element?.removeEventListener('scroll', handleScroll)
  }, [box])
  useLayoutEffect(() => {
    const before = top.current
    if (before === null) return rememberTop.current()
    if (!box.current || getKey(before.index) === before.key) return
    for (let by = 1; by <= MAX_MOVE; by++) {
      const moved = [by, -by].find((each) => getKey(before.index + each) === before.key)
      if (moved === undefined) continue
      top.current = { ...before, index: before.index + moved }
      box.current.scrollTop += moved * ROW_HEIGHT
      return
    }
    rememberTop.current()
  })
}

function scrollToRow(element: HTMLElement | null, index: number, to: 'nearest' | 'start'): void {
  if (!element) return
  const { scrollTop, clientHeight } = element
  const start = index * ROW_HEIGHT
  // The sticky header covers the top of the viewport.
  const end = start + 2 * ROW_HEIGHT - clientHeight
  if (to === 'start' || start < scrollTop) element.scrollTop = start
  else if (end > scrollTop) element.scrollTop = end
}
