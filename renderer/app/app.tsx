import { Button, MantineProvider } from '@mantine/core'
import { useColorScheme } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'
import { GoneStrip } from '../parts/connection/gone-strip.tsx'
import { useReach } from '../parts/connection/reach.ts'
import { refreshStatus, useSession } from '../parts/connection/session.ts'
import { tryNow } from '../parts/connection/vault.ts'
import { useFirstRun } from '../parts/vaults/first-run-store.ts'
import { FirstRun } from '../screens/first-run/first-run.tsx'
import { Unlock } from '../screens/unlock/unlock.tsx'
import { Failure } from '../ui/failure.tsx'
import { styleNonce } from '../ui/nonce.ts'
import { strings as ui } from '../ui/strings.ts'
import { Frame } from './frame/frame.tsx'
import { UnsavedQuestion } from './frame/unsaved-question.tsx'
import { theme } from './theme.ts'
import { themeVariables } from './theme-variables.ts'

/** The window: first run, unlock, or the frame around a screen. */
export function App() {
  const appearance = useSession((session) => session.status?.settings.appearance) ?? 'system'
  const system = useColorScheme('light', { getInitialValueInEffect: false })
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeVariables}
      forceColorScheme={appearance === 'system' ? system : appearance}
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-right" transitionDuration={100} limit={4} containerWidth={360} />
      <Window />
    </MantineProvider>
  )
}

/** Everything that comes from the host, greyed out while the host is unreachable. */
function Window() {
  const gone = useReach((reach) => reach.gone !== null)
  return (
    <div className={gone ? 'window window-gone' : 'window'}>
      <GoneStrip />
      <div className="window-content">
        <Content />
      </div>
      <UnsavedQuestion />
    </div>
  )
}

function Content() {
  const { status, problem } = useSession()
  const { step } = useFirstRun()
  if (problem !== null) {
    return (
      <div className="centre">
        <Failure>{problem}</Failure>
        <Button
          variant="default"
          onClick={() => {
            refreshStatus()
            tryNow()
          }}
        >
          {ui.retry}
        </Button>
      </div>
    )
  }
  if (status === null) return null
  if (step !== null) return <FirstRun status={status} step={step} />
  // Another vault replaces this one: remount, so that no screen keeps state of the old vault.
  if (status.vault) return <Frame key={`${status.vault.name} ${status.vault.tenant_id}`} status={status} />
  return status.vaults.length === 0 ? <FirstRun status={status} step="create" /> : <Unlock status={status} />
}
