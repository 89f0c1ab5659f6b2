import { Button, Group, MantineProvider } from '@mantine/core'
import { useColorScheme } from '@mantine/hooks'
import { useLayoutEffect } from 'react'
import { useConnectionState } from '../parts/connection/connection-state.ts'
import { DisconnectedBanner, SignedOut } from '../parts/connection/disconnected-banner.tsx'
import { refreshStatus, showNext, useSession } from '../parts/connection/session.ts'
import { tryNow } from '../parts/connection/vault.ts'
import { chooseLeave, chooseStay, useCloseWarning, useUnsaved } from '../parts/navigation/unsaved.ts'
import { useFirstRun } from '../parts/vaults/first-run-store.ts'
import { Boundary } from '../ui/boundary.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { createLazy, LazyView } from '../ui/lazy-view.tsx'
import { styleNonce } from '../ui/nonce.ts'
import { strings as ui } from '../ui/strings.ts'
import frameStyles from './frame/frame.module.css'
import { Frame } from './frame/frame.tsx'
import { ScreenBoundary } from './frame/screen-boundary.tsx'
import { strings } from './frame/strings.ts'
import { getThemeVariables, theme } from './theme.ts'

const firstRun = createLazy(async () => (await import('../screens/first-run/first-run.tsx')).FirstRun)
const toasts = createLazy(async () => (await import('../parts/messages/toasts.tsx')).Toasts)
const unlockAgain = createLazy(async () => (await import('../parts/vaults/unlock-again.tsx')).UnlockAgain)
const unlock = createLazy(async () => (await import('../screens/unlock/unlock.tsx')).Unlock)

/** The window: first run, unlock, or the frame around a screen. */
export function App() {
  const appearance = useSession((session) => session.status?.settings.appearance) ?? 'system'
  const system = useColorScheme('light', { getInitialValueInEffect: false })
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={getThemeVariables}
      forceColorScheme={appearance === 'system' ? system : appearance}
      getStyleNonce={styleNonce}
    >
      <Toasts />
      <Window />
    </MantineProvider>
  )
}

/** Toasts. If their code cannot be fetched, the window renders without them and retries on reconnect. */
function Toasts() {
  const isUnreachable = useConnectionState((reach) => reach.disconnection !== null)
  return (
    <Boundary at={String(isUnreachable)} fallback={() => null}>
      <LazyView of={toasts} props={{}} />
    </Boundary>
  )
}

/** The part that shows the host's data: grey while the host is unreachable, and replaced once signed out. */
function Window() {
  const why = useConnectionState((reach) => reach.disconnection?.why ?? null)
  // Unsaved input and keys that are shown only once stay visible, so that they can be copied.
  const hasUnsaved = useUnsaved(({ forms, screens, keys }) => forms.length + screens.length + keys.length > 0)
  const isDone = why === 'closed' && !hasUnsaved
  useLayoutEffect(() => {
    if (isDone) showNext()
  }, [isDone])
  if (isDone) return null
  if (why !== null && why !== 'silent' && why !== 'closed' && !hasUnsaved) return <SignedOut why={why} />
  return (
    <div className={why === null ? frameStyles.window : `${frameStyles.window} ${frameStyles.windowGone}`}>
      <DisconnectedBanner unlock={<LazyView of={unlockAgain} props={{}} />} />
      <div className={frameStyles.windowContent}>
        <ScreenBoundary>
          <Content />
        </ScreenBoundary>
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
      <div className={frameStyles.centre}>
        <Failure>{problem}</Failure>
        <Button
          variant="default"
          onClick={() => {
            // A failure leaves the error on screen.
            void refreshStatus()
            tryNow()
          }}
        >
          {ui.retry}
        </Button>
      </div>
    )
  }
  if (status === null) return null
  if (step !== null) return <LazyView of={firstRun} props={{ status, step }} />
  // Remount when another vault opens, so that no screen keeps state of the old vault.
  if (status.vault) return <Frame key={`${status.vault.name} ${status.vault.tenant_id}`} status={status} />
  if (status.vaults.length === 0)
    return <LazyView of={firstRun} props={{ status, step: 'create' as const }} />
  return <LazyView of={unlock} props={{ status }} />
}

/** Asks before the window discards unsaved input or a key that is shown only once. */
function UnsavedQuestion() {
  const t = strings.unsaved
  const { pendingQuestion: question, forms, screens, keys } = useUnsaved()
  useCloseWarning(forms.length + screens.length + keys.length > 0)
  if (!question) return null
  const about = keys.length > 0 ? t.keys : t.typed
  return (
    <Dialog
      onClose={chooseStay}
      title={about.title(keys.length)}
      size={keys.length > 0 ? 420 : 340}
      closeOnClickOutside={false}
    >
      {keys.length > 0 && (
        <div className={frameStyles.unsavedKeys}>
          <ul>
            {keys.map((key) => (
              <li key={key} className="mono">
                {key}
              </li>
            ))}
          </ul>
          <p>{t.keys.text(keys.length)}</p>
        </div>
      )}
      <Group justify="flex-end" gap="xs" pt={4}>
        <Button variant="default" onClick={chooseStay} data-autofocus>
          {about.stay(keys.length)}
        </Button>
        <Button color={keys.length > 0 ? 'teal' : 'red'} onClick={chooseLeave}>
          {about.leave(keys.length)}
        </Button>
      </Group>
    </Dialog>
  )
}
