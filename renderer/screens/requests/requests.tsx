import { Button } from '@mantine/core'
import { useMay } from '../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../parts/access/view-as-refused.tsx'
import { useConnectionState } from '../../parts/connection/connection-state.ts'
import { getListHref } from '../../parts/navigation/last-queries.ts'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Choice } from '../../ui/fields/choice.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import screenStyles from '../../ui/screen.module.css'
import { Log } from './log.tsx'
import { countWaiting, pauseRecords, useRecords } from './records-store.ts'
import { RequestBuilder } from './request-builder.tsx'
import styles from './requests.module.css'
import { strings as t } from './strings.ts'

export function Requests() {
  const { query } = useRoute()
  const building = query.new !== undefined
  const mayRead = useMay('log:read')
  const openBuilder = () => navigate(toHref('requests', null, { new: '1' }))
  useKeys({ 'mod+n': openBuilder, n: openBuilder })
  useKeys({ escape: () => navigate(getListHref('requests')) }, building)
  return (
    <>
      <div className={screenStyles.head}>
        <h1>{t.title}</h1>
        <Choice
          label={t.title}
          of={{ log: t.log, new: t.builder }}
          value={building ? 'new' : 'log'}
          onChange={(value) => (value === 'new' ? openBuilder() : navigate(getListHref('requests')))}
        />
        <div className="space" />
        {!building && mayRead && <Live />}
      </div>
      {building ? (
        <RequestBuilder
          op={query.op}
          again={query.again}
          onPick={(op) => navigate(toHref('requests', null, { new: '1', op }), { replace: true })}
        />
      ) : mayRead ? (
        <Log />
      ) : (
        <ViewAsRefused permission="log:read" />
      )}
    </>
  )
}

/** Whether new records appear as they arrive; a click pauses or resumes. */
function Live() {
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
