import { Box } from '@mantine/core'
import { useEffect } from 'react'
import { useViewAs } from '../../parts/access/view-as.ts'
import { useConnectionState } from '../../parts/connection/connection-state.ts'
import { useSession } from '../../parts/connection/session.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { goTo } from '../../parts/navigation/route.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/loading.tsx'
import screenStyles from '../../ui/screen.module.css'
import { ExpiringCard } from './expiring-card.tsx'
import { FirstStepsCard } from './first-steps-card.tsx'
import styles from './home.module.css'
import { followHome, readHome, useHome } from './home-store.ts'
import { ListenerCard } from './listener-card.tsx'
import { MemoryCard } from './memory-card.tsx'
import { strings } from './strings.ts'
import { TokensCard } from './tokens-card.tsx'
import { TrafficCard } from './traffic-card.tsx'

/** An overview: the listener, the vault's content, and its traffic. */
export function Home() {
  const status = useSession((session) => session.status)
  const { as } = useViewAs()
  const { problem } = useHome()
  const isUnreachable = useConnectionState((reach) => reach.disconnection !== null)
  useEffect(followHome, [])
  const openNewToken = goTo('tokens', null, { new: '1' })
  useKeys({ 'mod+n': openNewToken, n: openNewToken })
  return (
    <div className={screenStyles.scroll}>
      <div className={screenStyles.head}>
        <h1>{strings.title}</h1>
        {as && <span className="faint">{strings.owners}</span>}
      </div>
      {problem !== null && !isUnreachable && (
        <Box maw={620} p="4px 16px 12px">
          <NotLoaded why={describeError(problem)} onRetry={readHome} />
        </Box>
      )}
      <div className={styles.tiles}>
        {status?.vault?.protection === 'memory' && <MemoryCard />}
        {status && <FirstStepsCard status={status} />}
        {status && <ListenerCard status={status} />}
        <TokensCard />
        <TrafficCard />
        <ExpiringCard />
      </div>
    </div>
  )
}
