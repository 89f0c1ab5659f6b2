import styles from './outcomes.module.css'

type OutcomeCounts = { readonly done: number; readonly refused: number; readonly failed: number }

const outcomes = ['failed', 'refused', 'done'] as const

type Props = { readonly counts: OutcomeCounts; readonly max: number }

/** The requests of a bar in a chart, stacked by outcome. `max` fills the height. */
export function OutcomeBar({ counts, max }: Props) {
  return outcomes.map(
    (outcome) =>
      counts[outcome] > 0 && (
        // Keeps a single refused request visible among thousands.
        <i
          key={outcome}
          className={styles.outcome}
          data-outcome={outcome}
          style={{ height: `max(2px, ${(100 * counts[outcome]) / max}%)` }}
        />
      ),
  )
}
