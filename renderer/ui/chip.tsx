import './chip.css'
import type { ReactNode } from 'react'

export type Tone = 'plain' | 'accent' | 'amber' | 'red' | 'green'

export function Chip({
  tone = 'plain',
  children,
  title,
}: {
  tone?: Tone
  children: ReactNode
  title?: string
}) {
  return (
    <span className={`chip chip-${tone}`} title={title}>
      {children}
    </span>
  )
}
