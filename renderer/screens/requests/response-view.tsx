import { Group } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { formatSize } from '../../../shared/format-size.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { Choice } from '../../ui/fields/choice.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonEditor } from '../../ui/text/editor/json-editor.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { type FormResponse, type UnansweredRequest, useBuilder } from './builder-store.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.build
const views = ['body', 'headers'] as const
/** Of a longer body or line, only the beginning is shown, because it would take too long to render. */
const MAX_SHOWN_LENGTH = 1_000_000
const longLines = /(.{10000}).+/g
const WAIT_DELAY_MS = 300

type ResponseTab = (typeof views)[number]

/** The response. In a narrow window it is below the request and scrolls into view. */
export function ResponseView() {
  const { response, unanswered } = useBuilder()
  const [lasting] = useDebouncedValue(unanswered, WAIT_DELAY_MS)
  const section = useRef<HTMLElement>(null)
  const [view, setView] = useState<ResponseTab>('body')
  useEffect(() => {
    if (response) section.current?.scrollIntoView({ block: 'nearest' })
  }, [response])
  // A response that comes at once replaces the one before it directly.
  const isBrief = unanswered?.state === 'waiting' && unanswered !== lasting
  return (
    <section className={styles.buildSide} aria-label={t.response} ref={section}>
      {unanswered && !isBrief ? (
        <Unanswered request={unanswered} />
      ) : response ? (
        <Received response={response} view={view} onView={setView} />
      ) : (
        <p className="faint">{t.idle}</p>
      )}
    </section>
  )
}

type ReceivedProps = {
  readonly response: FormResponse
  readonly view: ResponseTab
  readonly onView: (view: ResponseTab) => void
}

function Received({ response, view, onView }: ReceivedProps) {
  const { status, text, bytes, duration_ms, trace_id } = response
  const headers = Object.entries(response.headers)
  const beginning = text.slice(0, MAX_SHOWN_LENGTH).replace(longLines, '$1…')
  return (
    <>
      <Group gap={10} role="status">
        <StatusChip status={status} />
        <span className="dim">{formatDuration(duration_ms)}</span>
        <span className="dim">{formatSize(bytes)}</span>
        <LinkButton to={getRecordsHref([{ field: 'trace', value: trace_id }])} label={t.record} />
        <Group gap={6} ml="auto">
          {view === 'body' && text !== '' && <CopyButton value={text} what={t.response} />}
          <Choice
            size="xs"
            label={t.response}
            of={{ body: t.body, headers: t.headerCount(headers.length) }}
            value={view}
            onChange={onView}
          />
        </Group>
      </Group>
      {view === 'headers' ? (
        <PropertyList>
          {headers.length === 0 && <span className="faint">{t.noHeaders}</span>}
          {headers.map(([name, value]) => (
            <PropertyRow key={name} name={name}>
              <span className="mono">
                <MarkedText text={value} />
              </span>
            </PropertyRow>
          ))}
        </PropertyList>
      ) : text === '' ? (
        <span className="faint">{t.noBody}</span>
      ) : (
        <>
          {beginning.length < text.length && (
            <p className="dim">{t.shortened(beginning.length, text.length)}</p>
          )}
          <JsonEditor label={t.response} value={beginning} />
        </>
      )}
    </>
  )
}

/** A request without a response: cancels it while it waits, and says afterwards what that means. */
function Unanswered({ request: { trace_id, state, stopWaiting } }: { request: UnansweredRequest }) {
  const isWaiting = state === 'waiting'
  useKeys({ escape: stopWaiting }, isWaiting)
  return (
    <Group gap={10} role="status">
      <span className="dim">{isWaiting ? t.waiting : t.cancelled}</span>
      {isWaiting ? (
        <ActionButton label={t.cancel} shortcut="escape" size="compact-sm" onClick={stopWaiting} />
      ) : (
        <LinkButton to={getRecordsHref([{ field: 'trace', value: trace_id }])} label={t.record} />
      )}
    </Group>
  )
}
