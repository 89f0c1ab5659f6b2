import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef } from 'react'
import styles from './splitter.module.css'

const STEP = 5

type Props = {
  readonly label: string
  /** The width of what is before it, in percent. Sets the variable `--split` of the element around both. */
  readonly value: number
  readonly min: number
  readonly max: number
  /** Called when the resizing has ended. */
  readonly onChange: (value: number) => void
}

/** A line between two columns that resizes them by dragging, or with the arrow keys. */
export function Splitter({ label, value, min, max, onChange }: Props) {
  const line = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    line.current?.parentElement?.style.setProperty('--split', `${value}%`)
  }, [value])
  const limitWidth = (to: number) => Math.round(Math.min(Math.max(to, min), max))
  function resizeByKey(event: KeyboardEvent): void {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    if (by === undefined) return
    event.preventDefault()
    onChange(limitWidth(value + by))
  }
  /** Shows the new width without rendering. */
  function dragLine({ buttons, clientX, currentTarget }: PointerEvent): void {
    const around = currentTarget.parentElement
    if (buttons !== 1 || !around) return
    const { left } = around.getBoundingClientRect()
    const shown = Number.parseInt(around.style.getPropertyValue('--split'), 10)
    // The variable may be scaled by a style sheet, so it changes in proportion.
    const ratio = (clientX - left) / (currentTarget.getBoundingClientRect().left - left)
    around.style.setProperty('--split', `${limitWidth(shown * ratio)}%`)
  }
  function endDrag({ currentTarget: { parentElement: around } }: PointerEvent): void {
    const to = Number.parseInt(around?.style.getPropertyValue('--split') ?? '', 10)
    if (!Number.isNaN(to) && to !== value) onChange(to)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      ref={line}
      role="separator"
      tabIndex={0}
      className={styles.root}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={resizeByKey}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={dragLine}
      onLostPointerCapture={endDrag}
    />
  )
}
