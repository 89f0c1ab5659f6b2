import { type KeyboardEvent, type MouseEvent, type ReactNode, useCallback, useRef, useState } from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { strings } from '../strings.ts'
import type { CellMove } from './cell-editor.tsx'
import styles from './grid.module.css'
import { type GridAction, GridMenu, type MenuPosition } from './grid-menu.tsx'
import { Check, GridRow, ROW_HEIGHT, rowId, WaitingRow } from './grid-row.tsx'
import { everythingSelected, type GridSelection, isSelected } from './selection.ts'
import { type CurrentCell, type Editing, useCellEditing } from './use-cell-editing.ts'
import { type GridColumnProps, useGridColumns } from './use-grid-columns.tsx'
import { type GridSelectionProps, useGridSelection } from './use-grid-selection.ts'
import { type GridViewProps, useGridView } from './use-grid-view.ts'

type Props<Row> = GridColumnProps<Row> &
  GridSelectionProps<Row> &
  GridViewProps<Row> & {
    readonly onActive: (index: number) => void
    readonly onOpen: (index: number) => void
    readonly classOf?: (row: Row) => string | undefined
    readonly below?: ReactNode
    /** False if no cell can be edited. */
    readonly editing?: Editing | false
    /** A line above a row, with a label. */
    readonly divider?: { readonly above: number; readonly label: string }
    /** The actions on a row, or on the selection if the row is part of it. `column` was clicked, if there was a click. */
    readonly listActions?: ((index: number, column?: string) => readonly GridAction[]) | undefined
  }

/** A virtualized table: only visible rows are in the DOM. */
export function Grid<Row>(props: Props<Row>) {
  const {
    label,
    count,
    row,
    active,
    onActive,
    onOpen,
    below,
    selecting,
    listActions,
    editing = false,
  } = props
  const box = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  const isLost = useRef(false)
  const [menu, setMenu] = useState<MenuPosition | null>(null)
  const focusTable = () => table.current?.focus({ preventScroll: true })
  const columns = useGridColumns(props, selecting !== undefined, box, table)
  const view = useGridView(props, box, focusTable)
  const { isNone, toggleAll, toggleRow, extendSelection, leaveRange } = useGridSelection(props, table)

  /** Returns to a cell whose text was refused, so that it is not lost. False if there is none. */
  function returnToRefused(): boolean {
    const refused = table.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')
    refused?.focus({ preventScroll: true })
    return refused instanceof HTMLElement
  }
  function moveTo(target: number, extending: boolean): void {
    const to = Math.min(count - 1, Math.max(0, target))
    focusTable()
    isLost.current = false
    if (extending) extendSelection(to)
    else leaveRange()
    onActive(to)
  }
  const cells = useCellEditing({
    columns: columns.visibleColumns,
    active,
    count,
    editing,
    findKey(index) {
      const value = index < 0 || index >= count ? undefined : row(index)
      return value === undefined ? null : props.keyOf(value)
    },
    moveTo: (index) => moveTo(index, false),
    focusTable,
    onLost() {
      isLost.current = true
      if (editing) editing.onGone()
    },
  })
  const endEditing = useRef(cells.endEditing)
  endEditing.current = cells.endEditing
  const onEdited = useCallback((move: CellMove) => endEditing.current(move), [])
  // Arrow keys, j and k move the focus into the grid from anywhere, so that Enter opens the highlighted row.
  const moveBy =
    (by: 1 | -1) =>
    ({ shiftKey }: { readonly shiftKey: boolean }) => {
      if (returnToRefused()) return
      moveTo(active < 0 ? view.findFirst() : active + by, shiftKey)
    }
  useKeys({ arrowdown: moveBy(1), arrowup: moveBy(-1), j: moveBy(1), k: moveBy(-1) }, count > 0)

  function openMenu(index: number, at?: MouseEvent): void {
    if (!listActions || row(index) === undefined) return
    const { left = 0, bottom = 0 } =
      document.getElementById(rowId(label, index))?.getBoundingClientRect() ?? {}
    setMenu({
      index,
      column: at && findColumn(at.target, columns.visibleColumns, selecting !== undefined),
      x: at?.clientX ?? left + 24,
      y: at?.clientY ?? bottom,
    })
  }
  function handleClick(event: MouseEvent): void {
    const index = findRowIndex(event.target)
    if (index === undefined || isInEditor(event.target) || returnToRefused()) return
    focusTable()
    const edited = findEditButton(event)
    if (edited === undefined) cells.leaveCells()
    if (edited !== undefined) editCell(index, edited)
    else if (selecting && event.shiftKey) {
      extendSelection(index)
      onActive(index)
    } else if (selecting && (event.ctrlKey || event.metaKey || isOnCheck(event.target))) toggleRow(index)
    else openClicked(index)
  }
  /** Opens the row, unless the pointer was dragged across it to select its text. */
  function openClicked(index: number): void {
    if (document.getSelection()?.type !== 'Range') onOpen(index)
  }
  function editCell(index: number, column: string): void {
    onActive(index)
    cells.editCell(index, column)
  }
  function handleContextMenu(event: MouseEvent): void {
    const index = findRowIndex(event.target)
    if (!listActions || index === undefined || isInEditor(event.target)) return
    event.preventDefault()
    if (returnToRefused()) return
    focusTable()
    onActive(index)
    openMenu(index, event)
  }
  function findKeyAction(event: KeyboardEvent): (() => void) | undefined {
    // Opens the menu after this event: a Mantine menu that opens during a key press closes again.
    if (isMenuKey(event)) return () => active >= 0 && setTimeout(() => openMenu(active))
    if ((event.metaKey || event.ctrlKey) && !['Home', 'End'].includes(event.key)) return undefined
    const from = active < 0 ? view.findFirst() - 1 : active
    const to = findTarget(event.key, from, count, view.pageSize)
    if (to !== undefined) return () => moveTo(to, event.shiftKey)
    const inCells = cells.findKeyAction(event)
    if (inCells) return inCells
    return active < 0 ? undefined : findRowAction(event.key)
  }
  function findRowAction(key: string): (() => void) | undefined {
    if (key === 'Enter') return () => onOpen(active)
    return key === ' ' && selecting ? () => toggleRow(active) : undefined
  }
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.target !== table.current || event.altKey) return
    if (event.key === 'Escape') isLost.current = false
    // A letter may still be meant for a cell whose row is gone. It is no shortcut of the screen either.
    const isLetter = [...event.key].length === 1 && !event.ctrlKey && !event.metaKey
    if (isLost.current && isLetter) {
      event.preventDefault()
      return
    }
    const act = findKeyAction(event)
    if (!act || returnToRefused()) return
    event.preventDefault()
    act()
  }

  // For assistive technology, a table with keyboard navigation between rows is a grid.
  const asGrid = {
    role: 'grid',
    tabIndex: 0,
    'aria-label': selecting ? strings.manyRows(label) : strings.rows(label),
    'aria-rowcount': count + 1,
    'aria-activedescendant': view.isActiveInView ? rowId(label, active) : undefined,
    ...(selecting && { 'aria-multiselectable': true }),
  }
  return (
    <div className={styles.frame}>
      <div ref={box} className={styles.root}>
        <table
          ref={table}
          {...asGrid}
          style={{ ...columns.tableStyle, height: view.height }}
          // Shift+click extends the row selection instead of selecting text.
          onMouseDown={(event) => selecting && event.shiftKey && event.preventDefault()}
          onClick={handleClick}
          onContextMenu={handleContextMenu}
          onKeyDown={handleKeyDown}
          onBlur={() => {
            isLost.current = false
          }}
        >
          <thead>
            <tr className={styles.head} aria-rowindex={1}>
              {selecting && <CheckAll selection={selecting.selection} isNone={isNone} onToggle={toggleAll} />}
              {columns.headers}
            </tr>
          </thead>
          <GridBody
            grid={props}
            view={view}
            columns={columns.visibleColumns}
            isNone={isNone}
            cell={cells.cell}
            onEdited={onEdited}
          />
        </table>
        {below}
      </div>
      {columns.columnMenu}
      {menu && listActions && (
        <GridMenu
          place={menu}
          label={strings.rowActions}
          actions={listActions(menu.index, menu.column)}
          onClose={() => {
            setMenu(null)
            focusTable()
          }}
        />
      )}
    </div>
  )
}

type CheckAllProps = {
  readonly selection: GridSelection
  readonly isNone: boolean
  readonly onToggle: () => void
}

function CheckAll({ selection, isNone, onToggle }: CheckAllProps) {
  return (
    <th className={styles.check} data-check scope="col" onClick={onToggle}>
      <Check
        label={strings.selectAll}
        checked={selection.of === 'all'}
        some={!isNone && selection !== everythingSelected}
      />
    </th>
  )
}

type GridBodyProps<Row> = {
  readonly grid: Props<Row>
  readonly view: Pick<ReturnType<typeof useGridView>, 'indexes' | 'height'>
  readonly columns: Props<Row>['columns']
  readonly isNone: boolean
  readonly cell: CurrentCell | null
  readonly onEdited: (move: CellMove) => void
}

function GridBody<Row>({ grid, view, columns, isNone, cell, onEdited }: GridBodyProps<Row>) {
  const { label, row, keyOf, active, classOf, selecting, divider, editing } = grid
  // The row being edited keeps its typed text when it is scrolled out of view. Rows stay in order, because the browser
  // takes the focus from an element that moves.
  const outside = cell?.isEditing && active >= 0 && !view.indexes.includes(active) ? [active] : []
  const isAbove = active < (view.indexes[0] ?? 0)
  const indexes = isAbove ? [...outside, ...view.indexes] : [...view.indexes, ...outside]
  return (
    <>
      {/* Only this element has a style of its own. With one on each row, every further row would take longer to style. */}
      <tbody aria-hidden="true" style={{ height: (view.indexes[0] ?? 0) * ROW_HEIGHT }} />
      <tbody>
        {indexes.map((index) => {
          const value = row(index)
          if (value === undefined) {
            const cells = columns.length + (selecting ? 1 : 0)
            // Kept while the list is scrolled, because each new one would be animated.
            const place = index - (indexes[0] ?? 0)
            return <WaitingRow key={`waiting ${place}`} cells={cells} index={index} />
          }
          const key = keyOf(value)
          const isChecked = selecting && isSelected(selecting.selection, key)
          return (
            <GridRow
              key={key}
              id={rowId(label, index)}
              row={value}
              columns={columns}
              index={index}
              isActive={index === active}
              isOutside={outside.includes(index)}
              isSelected={isNone ? index === active : isChecked === true}
              isChecked={isChecked}
              className={classOf?.(value) ?? ''}
              divider={divider?.above === index ? divider.label : undefined}
              cell={index === active ? cell : null}
              canEdit={Boolean(editing)}
              onEdited={onEdited}
            />
          )
        })}
      </tbody>
    </>
  )
}

function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'ContextMenu' || (key === 'F10' && shiftKey)
}

function findTarget(key: string, active: number, count: number, pageSize: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageSize,
    PageUp: active - pageSize,
    Home: 0,
    End: count - 1,
  }
  return count > 0 ? targets[key] : undefined
}

function findRowIndex(target: EventTarget): number | undefined {
  const index = target instanceof Element ? target.closest('tr')?.dataset.index : undefined
  return index === undefined ? undefined : Number(index)
}

function isInEditor(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input[type="text"]') !== null
}

/** The pixels at the end of a cell that show a pencil. */
const PENCIL_WIDTH = 22

/** The column whose pencil was clicked. It is part of the cell, so that rows need no buttons for it. */
function findEditButton({ target, clientX }: MouseEvent): string | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('td[data-edit]') : null
  if (!cell || clientX < cell.getBoundingClientRect().right - PENCIL_WIDTH) return undefined
  return cell.dataset.edit
}

/** The id of the column at a click. */
function findColumn(
  target: EventTarget,
  columns: readonly { readonly id: string }[],
  hasChecks: boolean,
): string | undefined {
  const cell = target instanceof Element ? target.closest('td') : null
  return cell ? columns[cell.cellIndex - (hasChecks ? 1 : 0)]?.id : undefined
}

function isOnCheck(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-check]') !== null
}
