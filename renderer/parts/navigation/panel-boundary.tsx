import { Group } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Boundary, type Broken } from '../../ui/boundary.tsx'
import { Failure } from '../../ui/failure.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { onReturn, useConnectionState } from '../connection/connection-state.ts'
import { reportIncident } from '../connection/incidents.ts'
import { getErrorDetails } from '../messages/error-details.ts'
import { strings } from './strings.ts'

const t = strings.broken

type Props = {
  /** Identifies the panel's content. A new value renders it again. */
  readonly at: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Shows an error in place of a panel that fails to render. The rest of the screen stays. */
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
  // Try again: code that could not be fetched while the server was unreachable can be fetched now.
  useEffect(() => onReturn(onRetry), [onRetry])
  return (
    <Panel label={t.panel} title={t.panel} onClose={onClose}>
      <div className={formStyles.root}>
        <Failure>{isAway ? t.whileDisconnected : t.text}</Failure>
        <Group gap="xs">
          <ActionButton label={ui.close} onClick={onClose} />
          {!isAway && <CopyDetails of={broken} />}
        </Group>
      </div>
    </Panel>
  )
}

/** Whether the panel's code could not be fetched, for example because the server was unreachable. */
export function isNotLoaded({ error }: Broken): boolean {
  return error instanceof Error && /import|preload|fetch/i.test(error.message)
}

/** Copies the error's class and stack for a report, without any data. */
export function CopyDetails({ of: { error, components } }: { of: Broken }) {
  const details = getErrorDetails(error)
  const value = `${details.class}${details.stack}${components}`
  return <CopyButton value={value} what={t.details} label={t.copy} />
}
