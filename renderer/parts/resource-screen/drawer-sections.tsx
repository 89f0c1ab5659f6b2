import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import panelStyles from '../../ui/panel.module.css'
import { PanelSection } from '../../ui/panel.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedText, markText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { History } from '../access/history.tsx'
import { useIsOwner } from '../access/view-as.ts'
import { strings as t } from './strings.ts'

export function PanelTitle({ icon, name, children }: { icon: IconName; name: string; children?: ReactNode }) {
  return (
    <>
      <Icon name={icon} />
      <span className={panelStyles.name} title={markText(name)}>
        <MarkedText text={name} />
      </span>
      {children}
    </>
  )
}

export function IdTitle({ icon, id, what }: { icon: IconName; id: string; what: string }) {
  return (
    <>
      <Icon name={icon} />
      <span className="mono clip" title={id}>
        {id}
      </span>
      <CopyButton value={id} what={what} />
    </>
  )
}

export function Copyable({ value, what = 'id' }: { value: string; what?: string }) {
  return (
    <>
      <span className="mono">{value}</span> <CopyButton value={value} what={what} />
    </>
  )
}

type Stamps = { readonly created_at?: string | undefined; readonly modified_at?: string | undefined }

/** When a row was created and last modified, if it is known. */
export function getStamps({ created_at, modified_at }: Stamps) {
  return {
    [t.created]: created_at !== undefined && <Time at={created_at} />,
    [t.modified]: modified_at !== undefined && <Time at={modified_at} />,
  }
}

/** A row as JSON and, for the owner, the log records about it. */
export function RecordSections({
  id,
  value,
}: {
  id: string
  value: ComponentProps<typeof JsonView>['value']
}) {
  const isOwner = useIsOwner()
  return (
    <>
      {isOwner && (
        <PanelSection title={t.history}>
          <History id={id} />
        </PanelSection>
      )}
      <PanelSection title={t.json}>
        <JsonView value={value} what={t.json} />
      </PanelSection>
    </>
  )
}
