import styles from './outcomes.module.css'
import { strings } from './strings.ts'

const t = strings.outcomes

/** The legend of request charts: refused is hatched, failed is solid red. */
export function OutcomeKey() {
  return (
    <span className={styles.key} aria-hidden>
      <i className={styles.outcome} data-outcome="done" /> {t.done}
      <i className={styles.outcome} data-outcome="refused" /> {t.refused}
      <i className={styles.outcome} data-outcome="failed" /> {t.failed}
    </span>
  )
}
