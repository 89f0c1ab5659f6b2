import './outcomes.css'
import { strings } from './strings.ts'

const t = strings.outcomes

/** The legend of request charts: refused is hatched, failed is solid red. */
export function OutcomeKey() {
  return (
    <span className="outcome-key" aria-hidden>
      <i className="outcome-done" /> {t.done}
      <i className="outcome-refused" /> {t.refused}
      <i className="outcome-failed" /> {t.failed}
    </span>
  )
}
