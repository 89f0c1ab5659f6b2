import './outcomes.css'
import { strings } from './strings.ts'

const t = strings.outcomes

/** What the colours of a chart of requests mean: refused is hatched, failed is plain red. */
export function OutcomeKey() {
  return (
    <span className="outcome-key" aria-hidden>
      <i className="outcome-done" /> {t.done}
      <i className="outcome-refused" /> {t.refused}
      <i className="outcome-failed" /> {t.failed}
    </span>
  )
}
