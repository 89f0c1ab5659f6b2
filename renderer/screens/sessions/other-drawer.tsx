import type { ReactNode } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { History } from '../../parts/access/history.tsx'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { hasCode } from '../../parts/messages/describe-error.ts'
import { IdTitle } from '../../parts/resource-screen/drawer-sections.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { strings } from './strings.ts'

type Props<Row> = {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  readonly entity: ChangingEntity
  /** What it means that it no longer exists. */
  readonly gone: ReactNode
  readonly read: (id: string) => Promise<Row>
  readonly onClose: () => void
  readonly children: (row: Row) => ReactNode
}

/** The drawer of an id that the list does not show: loaded by itself, or what the log knows if it is gone. */
export function OtherDrawer<Row>({ id, icon, label, entity, gone, read, onClose, children }: Props<Row>) {
  const row = useLoaded(() => read(id), { about: id, follows: [entity] })
  const { value, problem } = row
  const isGone = hasCode(problem, 'not_found')
  if (value !== null && !isGone) return children(value)
  return (
    <Panel label={label} title={<IdTitle icon={icon} id={id} what={strings.id} />} onClose={onClose}>
      {isGone ? (
        <>
          <PanelSection title={strings.gone}>{gone}</PanelSection>
          <PanelSection title={strings.history}>
            <History id={id} />
          </PanelSection>
        </>
      ) : (
        <LoadedView of={row}>{children}</LoadedView>
      )}
    </Panel>
  )
}
