import { Button, Group } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Boundary, type Broken } from '../../ui/boundary.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Panel } from '../../ui/panel.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { onReturn, useConnectionState } from '../connection/connection-state.ts'
import { reportIncident } from '../connection/incidents.ts'
import { getErrorDetails } from '../messages/error-details.ts'
import { strings } from './strings.ts'

const t = strings.broken

type Props = {
  /** What the panel shows; a change of it tries again. */
  readonly at: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Shows an error in place of a panel that cannot be rendered; the screen beside it stays. */
export function PanelBoundary({ at, onClose, children }: Props) {
  return (
    <Boundary
      at={at}
      fallback={(broken, retry) => <BrokenPanel broken={broken} onRetry={retry} onClose={onClose} />}
    >
      {children}
    </Boundary>
  )
}

type BrokenProps = { broken: Broken; onRetry: () => void; onClose: () => void }

function BrokenPanel({ broken, onRetry, onClose }: BrokenProps) {
  const isAway = useConnectionState(({ disconnection }) => disconnection !== null) && isNotLoaded(broken)
  const { error } = broken
  useEffect(() => reportIncident(error, 'screen'), [error])
  // What could not be fetched while the server was gone can be fetched now.
  useEffect(() => onReturn(onRetry), [onRetry])
  return (
    <Panel label={t.panel} title={t.panel} onClose={onClose}>
      <div className="form">
        <Failure>{isAway ? t.whileDisconnected : t.text}</Failure>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            {ui.close}
          </Button>
          {!isAway && <CopyDetails of={broken} />}
        </Group>
      </div>
    </Panel>
  )
}

/** Whether it is code that could not be fetched, as while the server is gone. */
export function isNotLoaded({ error }: Broken): boolean {
  return error instanceof Error && /import|preload|fetch/i.test(error.message)
}

/** Copies what a report of an error needs, and none of the data it happened with. */
export function CopyDetails({ of: { error, components } }: { of: Broken }) {
  const details = getErrorDetails(error)
  const value = `${details.class}${details.stack}${components}`
  return <CopyButton value={value} what={t.details} label={t.copy} />
}
