import { Stack } from '@mantine/core'
import type { CreatedTogether } from '../../../shared/find.ts'
import { formatCount } from '../../../shared/format-count.ts'
import { formatSize } from '../../../shared/format-size.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { RefusalSection } from '../../parts/access/refusal-section.tsx'
import { useViewAs } from '../../parts/access/view-as.ts'
import { useLoadedOperations } from '../../parts/api/operations.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { findScreenByEntity } from '../../parts/navigation/screens.ts'
import { Copyable } from '../../parts/resource-screen/drawer-sections.tsx'
import { countCreated, formatCreated } from '../../parts/tokens/created-together.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import loadingStyles from '../../ui/loading.module.css'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { MarkedText, markText } from '../../ui/text/marked-text.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { formatExactTime } from '../../ui/time/relative-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { useFullRecord } from './full-record.ts'
import { getOutcome, isUnmaskedId, type LogListRecord } from './record.ts'
import styles from './requests.module.css'
import { getResendHref } from './resend.ts'
import { StorySection } from './story-section.tsx'
import { strings } from './strings.ts'

const t = strings.drawer

type Props = {
  readonly id: string
  /** The record in the list; undefined if the list does not contain it. */
  readonly row: LogListRecord | undefined
  readonly onClose: () => void
}

/** One record of any age: the caller, the request, the outcome and the reason. */
export function RecordDrawer({ id, row, onClose }: Props) {
  const isViewingAs = useViewAs(({ as }) => as !== null)
  // While viewing as an application, show only what its key would get.
  const { record: full, problem } = useFullRecord(isViewingAs ? null : id)
  const record = full ?? row
  if (!record) {
    const text = isViewingAs ? t.notHere : problem
    return (
      <Panel label={t.label} title={t.label} onClose={onClose}>
        {text === null ? <Waiting /> : <p className="dim">{text}</p>}
      </Panel>
    )
  }
  const { action, status } = record
  return (
    <Panel
      label={t.label}
      title={
        <>
          <StatusChip status={status} />
          <span className="mono clip">{action}</span>
        </>
      }
      onClose={onClose}
    >
      <OutcomeSection record={record} full={full} />
      {full && <RefusalSection record={full} />}
      {full && <StorySection key={full.id} record={full} />}
      {full && (
        <div className={panelStyles.actions}>
          <ResendButton record={full} />
        </div>
      )}
      {full && <RequestMetadataSection record={full} />}
      <PanelSection title={t.json}>
        <JsonView value={record} what={t.json} />
      </PanelSection>
    </Panel>
  )
}

function Waiting() {
  return (
    <Stack gap={14} p={16} role="status" aria-label={t.loading}>
      {['when', 'who', 'what', 'why'].map((line) => (
        <span key={line} className={loadingStyles.bone} />
      ))}
    </Stack>
  )
}

function OutcomeSection({ record, full }: { record: LogListRecord; full: FullLog | null }) {
  const { status, note, method, path, key_hint, created_at, duration_ms, trace_id } = record
  return (
    <PanelSection title={t.outcome}>
      <Properties
        of={{
          [t.outcome]: <Outcome status={status} />,
          [t.request]: path !== undefined && <RequestLine method={method} path={path} />,
          [t.decision]: !full && record.detail === undefined && note,
          [t.ignored]: full?.ignored?.join('; '),
          [t.by]: <Actor record={record} looked_as={full?.looked_as} />,
          [t.key]: key_hint !== undefined && <span className="mono">…{key_hint}</span>,
          [t.about]: (full || record.entity_id !== undefined) && <About record={record} full={full} />,
          [t.when]: <When at={created_at} />,
          [t.took]: duration_ms > 0 && formatDuration(duration_ms),
          [t.trace]: <Copyable value={trace_id} what={t.trace} />,
        }}
      />
    </PanelSection>
  )
}

function Outcome({ status }: { status: number }) {
  return (
    <>
      {ui.outcomes[getOutcome(status)]} <span className="faint">{status}</span>
    </>
  )
}

function RequestLine({ method, path }: { method: string | undefined; path: string }) {
  return (
    <span className="mono">
      <span className={styles.verb} data-method={method}>
        {method}
      </span>{' '}
      <MarkedText text={path} />
    </span>
  )
}

function When({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> <span className="faint">{formatExactTime(Date.parse(at))}</span>
    </>
  )
}

function About({ record, full }: { record: LogListRecord; full: FullLog | null }) {
  if (full?.created) return <Created of={full.created} />
  return <Entities type={record.entity_type} ids={full?.entity_ids ?? [record.entity_id ?? '']} />
}

function Actor({ record, looked_as }: { record: LogListRecord; looked_as: string | undefined }) {
  const actor = useActorName()
  const { actor_id, actor_type = 'unknown' } = record
  if (looked_as !== undefined) return t.viewedAs(markText(actor(looked_as)))
  if (actor_id === undefined || actor_type !== 'application') return actor(actor_id, actor_type)
  return <LinkButton to={toHref('applications', actor_id)} label={<MarkedText text={actor(actor_id)} />} />
}

function Created({ of }: { of: CreatedTogether }) {
  const text = formatCount(countCreated([of]).toLocaleString('en'), 'token')
  const href = toHref('tokens', null, { created: formatCreated([of]) })
  return <LinkButton to={href} label={text} />
}

const MAX_ENTITIES = 5

function Entities({ type, ids }: { type: string; ids: readonly string[] }) {
  if (ids.length === 0) return <span className="faint">{t.nothing}</span>
  const kind = formatEntityKind(type)
  const more = ids.length - MAX_ENTITIES
  return (
    <>
      {kind}{' '}
      {ids.slice(0, MAX_ENTITIES).map((id) => (
        <span key={id} className={styles.recordEntity}>
          <EntityId type={type} id={id} />
        </span>
      ))}
      {more > 0 && <span className="faint">{t.more(more)}</span>}
    </>
  )
}

function EntityId({ type, id }: { type: string; id: string }) {
  const found = findScreenByEntity(type)
  if (found === undefined || !isUnmaskedId(id)) return <span className="mono">{id}</span>
  return <LinkButton to={toHref(found.screen, id, { view: found.view })} mono label={id} />
}

function formatEntityKind(type: string): string {
  return Object.entries(t.kinds).find(([name]) => name === type)?.[1] ?? type
}

function ResendButton({ record }: { record: FullLog }) {
  const { operations } = useLoadedOperations()
  const href = getResendHref(record, operations)
  if (href === null) return null
  return <ActionButton icon="play" label={strings.drawer.again} onClick={() => navigate(href)} />
}

/** Query, sizes and headers of the HTTP request. Renders nothing for a call that was not an HTTP request. */
function RequestMetadataSection({ record }: { record: FullLog }) {
  const { agent, request_bytes, answer_bytes, headers = {}, query = {} } = record
  const isRequest = agent ?? request_bytes ?? record.headers ?? record.query
  if (isRequest === undefined) return null
  const text = Object.entries(query)
    .map(([name, value]) => `${name}=${value ?? '…'}`)
    .join('&')
  const formatBytes = (bytes?: number) =>
    bytes === undefined ? strings.request.unknownSize : formatSize(bytes)
  return (
    <PanelSection title={strings.request.title}>
      <Properties
        of={{
          [strings.request.query]: text !== '' && <MarkedSpan text={text} />,
          [strings.request.sent]: formatBytes(request_bytes),
          [strings.request.answered]: formatBytes(answer_bytes),
          'user-agent': agent !== undefined && <MarkedSpan text={agent} />,
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, <MarkedSpan key={name} text={value} />]),
          ),
        }}
      />
      <p className="note">{strings.request.help}</p>
    </PanelSection>
  )
}
