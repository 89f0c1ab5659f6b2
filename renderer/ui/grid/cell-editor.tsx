import { type KeyboardEvent, useId, useRef, useState } from 'react'
import styles from './grid.module.css'

/** How the cells of a column are edited. */
export type CellEdit<Row> = {
  readonly toText: (row: Row) => string
  /** Takes a new text. Returns why it is invalid, or null. */
  readonly onText: (row: Row, text: string) => string | null
  /** Whether the cell has a change that is not saved, or one that could not be saved, and why. */
  readonly findState?: (row: Row) => { readonly problem?: string } | undefined
}

/** Where editing goes on after a cell: in the same one, or in the next cell or row. */
export type CellMove = 'stay' | 'left' | 'right' | 'up' | 'down'

type Props<Row> = {
  readonly row: Row
  readonly label: string
  readonly edit: CellEdit<Row>
  /** Called when the text was taken or discarded. */
  readonly onEnd: (move: CellMove) => void
}

/**
 * Edits a cell in place: Enter takes the text, Escape discards it, Tab and the arrows go on to another cell. Ctrl+S
 * takes the text before the screen saves it.
 */
export function CellEditor<Row>({ row, label, edit, onEnd }: Props<Row>) {
  const [problem, setProblem] = useState<string | null>(null)
  const [before] = useState(() => edit.toText(row))
  const input = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  const id = useId()
  function takeText(move: CellMove): boolean {
    const text = input.current?.value ?? before
    const why = text === before ? null : edit.onText(row, text)
    setProblem(why)
    if (why === null) endEditing(move)
    return why === null
  }
  function endEditing(move: CellMove): void {
    isDone.current = true
    onEnd(move)
  }
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return
    if (isSaveKey(event)) {
      if (!takeText('stay')) event.preventDefault()
      return
    }
    const move = findMove(event)
    if (event.key !== 'Escape' && move === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (move === undefined) endEditing('stay')
    else takeText(move)
  }
  return (
    <>
      <input
        ref={input}
        type="text"
        className={styles.cellInput}
        aria-label={label}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : id}
        defaultValue={before}
        // biome-ignore lint/a11y/noAutofocus: the user has asked to edit this cell
        autoFocus
        spellCheck={false}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        onKeyDown={handleKeyDown}
        onBlur={() => !isDone.current && takeText('stay')}
      />
      {problem !== null && (
        <span id={id} role="alert" className={styles.cellProblem}>
          {problem}
        </span>
      )}
    </>
  )
}

function isSaveKey({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 's' && (ctrlKey || metaKey)
}

function findMove({ key, shiftKey }: KeyboardEvent): CellMove | undefined {
  if (key === 'Tab') return shiftKey ? 'left' : 'right'
  const moves: Readonly<Record<string, CellMove>> = { Enter: 'stay', ArrowUp: 'up', ArrowDown: 'down' }
  return moves[key]
}
