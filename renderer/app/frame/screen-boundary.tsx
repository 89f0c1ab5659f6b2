import { Button, Group } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { onReturn, useConnectionState } from '../../parts/connection/connection-state.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { CopyDetails, isNotLoaded } from '../../parts/navigation/panel-boundary.tsx'
import { readCurrentRoute, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Boundary, type Broken } from '../../ui/boundary.tsx'
import { Failure } from '../../ui/failure.tsx'
import screenStyles from '../../ui/screen.module.css'
import { retryScreens } from './screen-component.ts'
import { strings } from './strings.ts'

/** Shows an error in place of a screen that fails to load or render; the frame around it stays. */
export function ScreenBoundary({ children }: { readonly children: ReactNode }) {
  const { screen, id, query } = useRoute()
  return (
    <Boundary
      at={toHref(screen, id, query)}
      fallback={(broken, retry) => <NotDrawn broken={broken} onRetry={retry} />}
    >
      {children}
    </Boundary>
  )
}

function NotDrawn({ broken, onRetry }: { broken: Broken; onRetry: () => void }) {
  const isAway = useConnectionState(({ disconnection }) => disconnection !== null) && isNotLoaded(broken)
  useEffect(
    () =>
      // Try again: code that could not be fetched while the server was unreachable can be fetched now.
      onReturn(() => {
        retryScreens()
        onRetry()
      }),
    [onRetry],
  )
  return (
    <div className={screenStyles.listFailure}>
      <Failure>{isAway ? strings.noScreen : describeError(broken.error)}</Failure>
      {!isAway && (
        <Group gap="xs" mt="sm">
          <Button variant="default" onClick={reloadWithLess}>
            {strings.reload}
          </Button>
          <CopyDetails of={broken} />
        </Group>
      )}
    </div>
  )
}

/** Reloads the page without the screen's query; if that was tried already, opens Home. */
function reloadWithLess(): void {
  const screenHref = toHref(readCurrentRoute().screen)
  const mayHelp = location.hash !== screenHref || history.state?.reloaded !== true
  history.replaceState({ reloaded: true }, '', mayHelp ? screenHref : toHref('home'))
  location.reload()
}
