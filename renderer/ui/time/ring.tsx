import { strings } from '../strings.ts'
import styles from './time.module.css'
import { useNow } from './use-now.ts'

const R = 7
const length = 2 * Math.PI * R

/** Counts the seconds down to a time of this machine. `of` is how many there were. */
export function Ring({ until, of }: { until: number; of: number }) {
  const left = Math.max(0, Math.ceil((until - useNow(250)) / 1000))
  return (
    <span
      className={styles.ring}
      role="timer"
      aria-label={strings.seconds(left)}
      title={strings.seconds(left)}
    >
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <circle cx="9" cy="9" r={R} className={styles.ringTrack} />
        <circle
          cx="9"
          cy="9"
          r={R}
          className={styles.ringLeft}
          strokeDasharray={length}
          strokeDashoffset={length * (1 - left / of)}
          transform="rotate(-90 9 9)"
        />
      </svg>
      <span>{left}</span>
    </span>
  )
}
