import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { navigate } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import styles from './reactors.module.css'
import { strings } from './strings.ts'

/** A link to the log records of a run. */
export function RecordLink({ trace_id }: { trace_id: string }) {
  return (
    <button
      type="button"
      className={`unstyled link ${styles.runLink}`}
      onClick={() => navigate(getRecordsHref([{ field: 'trace', value: trace_id }]))}
    >
      {strings.testRun.record}
    </button>
  )
}

export function TokenLinks({ ids }: { ids: readonly string[] }) {
  return (
    <div>
      {ids.map((id) => (
        <button
          key={id}
          type="button"
          className={`unstyled link ${styles.runLink} mono`}
          onClick={() => navigate(toHref('tokens', id))}
        >
          {id}{' '}
        </button>
      ))}
    </div>
  )
}
