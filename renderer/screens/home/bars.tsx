import type { ReactNode } from 'react'
import styles from './home.module.css'

type Bar = {
  readonly key: string
  readonly label: ReactNode
  readonly value: number
  readonly href: string
  readonly name: string
}

type Props = {
  readonly label: string
  readonly bars: readonly Bar[]
  /** A note on the entries that are not shown. */
  readonly more: string | null
}

/** A horizontal bar chart with links, scaled to the largest value. */
export function Bars({ label, bars, more }: Props) {
  const max = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <div className={styles.bars}>
      <h3>{label}</h3>
      {bars.map(({ key, label, value, href, name }) => (
        <a key={key} className={styles.barLine} href={href} title={name}>
          <span className="clip">{label}</span>
          <span className={styles.barTrack}>
            <span className={styles.barFill} style={{ width: `${Math.max(1, (value / max) * 100)}%` }} />
          </span>
          <span className={styles.barValue}>{value.toLocaleString('en')}</span>
        </a>
      ))}
      {more !== null && <p className={`${styles.barsMore} faint`}>{more}</p>}
    </div>
  )
}
