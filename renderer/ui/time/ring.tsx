import { strings } from '../strings.ts'
import styles from './time.module.css'

const R = 7
const length = 2 * Math.PI * R

export function Ring({ left, of }: { left: number; of: number }) {
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
