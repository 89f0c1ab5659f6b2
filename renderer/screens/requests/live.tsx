import { Button } from '@mantine/core'
import { useReach } from '../../parts/connection/reach.ts'
import { Icon } from '../../ui/icon.tsx'
import { countWaiting, pauseRecords, useRecords } from './records-store.ts'
import { strings as t } from './strings.ts'

/** Whether new records are shown as they come; a press pauses and resumes. */
export function Live() {
  const { paused, rows, waiting } = useRecords()
  const news = countWaiting({ rows, waiting })
  const gone = useReach((reach) => reach.gone !== null)
  return (
    <Button
      variant={paused ? 'light' : 'default'}
      leftSection={paused ? <Icon name="play" size={12} /> : <span className="live-mark" />}
      aria-pressed={paused}
      onClick={() => pauseRecords(!paused)}
    >
      {paused ? (news === 0 ? t.paused : t.waitingNews(news)) : gone ? t.notLive : t.live}
    </Button>
  )
}
