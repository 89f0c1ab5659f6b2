import type { ReactNode } from 'react'
import styles from './chip.module.css'

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
    <span className={styles.root} data-tone={tone} title={title}>
      {children}
    </span>
  )
}
