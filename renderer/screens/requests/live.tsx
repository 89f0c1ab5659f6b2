import { Button } from '@mantine/core'
import { useConnectionState } from '../../parts/connection/connection-state.ts'
import { Icon } from '../../ui/icon.tsx'
import { countWaiting, pauseRecords, useRecords } from './records-store.ts'
import styles from './requests.module.css'
import { strings as t } from './strings.ts'

/** Whether new records appear as they arrive; a click pauses or resumes. */
export function Live() {
  const { paused, rows, waiting } = useRecords()
  const newCount = countWaiting({ rows, waiting })
  const isUnreachable = useConnectionState((reach) => reach.disconnection !== null)
  return (
    <Button
      variant={paused ? 'light' : 'default'}
      leftSection={paused ? <Icon name="play" size={12} /> : <span className={styles.liveMark} />}
      aria-pressed={paused}
      onClick={() => pauseRecords(!paused)}
    >
      {paused ? (newCount === 0 ? t.paused : t.newWhilePaused(newCount)) : isUnreachable ? t.notLive : t.live}
    </Button>
  )
}
