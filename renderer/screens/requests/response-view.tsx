import { Group } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { formatMilliseconds } from '../../ui/time/milliseconds.ts'
import { type BuilderResponse, useBuilder } from './builder-store.ts'
import styles from './requests.module.css'
import { StoredRequests } from './stored-requests.tsx'
import { strings } from './strings.ts'

const t = strings.build

/** The response. In a narrow window it is below the request and scrolls into view. */
export function ResponseView({ onPick }: { onPick: (op: string) => void }) {
  const { response } = useBuilder()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (response) section.current?.scrollIntoView({ block: 'nearest' })
  }, [response])
  return (
    <div className={styles.buildSide}>
      <section aria-label={t.response} aria-live="polite" ref={section}>
        <ResponseContent response={response} />
      </section>
      <StoredRequests onPick={onPick} />
    </div>
  )
}

function ResponseContent({ response }: { response: BuilderResponse | null }) {
  if (!response) {
    return (
      <PanelSection title={t.response}>
        <span className="faint">{t.idle}</span>
      </PanelSection>
    )
  }
  const headers = Object.entries(response.headers)
  return (
    <>
      <PanelSection
        title={t.response}
        aside={
          <Group component="span" gap={10} mih={32} wrap="nowrap">
            <StatusChip status={response.status} />
            <span className="faint">{t.took(formatMilliseconds(response.duration_ms))}</span>
          </Group>
        }
      >
        {response.body === undefined ? (
          <span className="faint">{t.noBody}</span>
        ) : typeof response.body === 'string' ? (
          <Code text={response.body} what={t.response} wrap />
        ) : (
          <JsonView value={response.body ?? {}} what={t.response} />
        )}
      </PanelSection>
      <PanelSection title={t.headers}>
        {headers.length === 0 && <span className="faint">{t.noHeaders}</span>}
        <PropertyList>
          {headers.map(([name, value]) => (
            <PropertyRow key={name} name={name}>
              <span className="mono">{value}</span>
            </PropertyRow>
          ))}
        </PropertyList>
      </PanelSection>
    </>
  )
}
