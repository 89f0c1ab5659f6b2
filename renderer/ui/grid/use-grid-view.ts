import { useVirtualizer } from '@tanstack/react-virtual'
import { type Ref, type RefObject, useEffect, useImperativeHandle } from 'react'

/** The position of a row relative to the viewport. */
export type RowVisibility = 'in view' | 'above' | 'below'

export type GridHandle = {
  focus(): void
  scrollTo(index: number): void
  locateRow(index: number): RowVisibility
}

export type GridViewProps = {
  readonly count: number
  /** The index of the row with the keyboard focus; -1 for none. */
  readonly active: number
  /** Called with the range of visible rows, so that missing ones can be fetched. */
  readonly onView?: (first: number, last: number) => void
  readonly handle?: Ref<GridHandle>
}

export const ROW_HEIGHT = 32

/** The rows of a grid that are in view. Keeps the row with the keyboard focus among them. */
export function useGridView(
  { count, active, onView, handle }: GridViewProps,
  box: RefObject<HTMLElement | null>,
  focusTable: () => void,
) {
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
    focus: focusTable,
    scrollTo: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    locateRow(index) {
      const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
      if (index * ROW_HEIGHT < scrollTop) return 'above'
      // One extra row for the sticky header.
      return (index + 2) * ROW_HEIGHT > scrollTop + clientHeight ? 'below' : 'in view'
    },
  }))
  return {
    items,
    isActiveInView: active >= first && active <= last,
    height: virtual.getTotalSize(),
    pageSize: Math.max(1, Math.floor((box.current?.clientHeight ?? 320) / ROW_HEIGHT) - 2),
  }
}
