import { formatSize } from '../../../shared/format-size.ts'
import gridStyles from '../../ui/grid/grid.module.css'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { formatExactTime } from '../../ui/time/relative-time.ts'
import type { LedgerLine } from './ledger-lines.ts'
import { Verb } from './operation-picker.tsx'
import { describeDecision, type LogListRecord } from './record.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.columns

const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

export function formatDayAndTime(at: number): string {
  return `${day.format(at)} ${time.format(at)}`
}

type RecordColumnOptions = {
  readonly actor: (id: string | undefined, type: string) => string
  readonly isOwner: boolean
  readonly onFold: (line: LedgerLine, isOpen: boolean) => void
}

export function createRecordColumns({
  actor,
  isOwner,
  onFold,
}: RecordColumnOptions): readonly Column<LedgerLine>[] {
  const owners: readonly Column<LedgerLine>[] = [
    {
      id: 'program',
      label: strings.fields.program,
      width: 'minmax(70px, 0.8fr)',
      from: 860,
      render: ({ agent }) => (
        <span className="dim" title={agent}>
          {agent && <MarkedText text={agent} />}
        </span>
      ),
    },
    {
      id: 'size',
      label: strings.fields.size,
      width: '84px',
      right: true,
      from: 1000,
      render: (row) => <Size row={row} />,
    },
  ]
  return [
    {
      id: 'time',
      label: t.time,
      width: '108px',
      render: ({ created_at }) => (
        <time className="faint" dateTime={created_at} title={formatExactTime(Date.parse(created_at))}>
          {formatDayAndTime(Date.parse(created_at))}
        </time>
      ),
    },
    {
      id: 'status',
      label: strings.fields.status,
      width: '44px',
      render: ({ status }) => status > 0 && <StatusChip status={status} />,
    },
    {
      id: 'method',
      label: strings.fields.method,
      width: '52px',
      render: ({ method }) => method && <Verb method={method} />,
    },
    {
      id: 'path',
      label: strings.fields.path,
      width: 'minmax(120px, 2fr)',
      render: (row) => <Path row={row} onFold={onFold} />,
    },
    {
      id: 'actor',
      label: strings.fields.app,
      width: 'minmax(112px, 0.9fr)',
      render: ({ href, actor_id, actor_type = 'unknown', key_hint }) =>
        href === undefined && (
          <span className={gridStyles.type}>
            <MarkedSpan className="clip" text={actor(actor_id, actor_type)} />
            {key_hint !== undefined && <span className="mono faint"> …{key_hint}</span>}
          </span>
        ),
    },
    {
      id: 'note',
      label: strings.fields.decision,
      width: 'minmax(80px, 1.4fr)',
      from: 640,
      render: (row) => (
        <span className="dim" title={describeDecision(row)}>
          <MarkedText text={describeDecision(row) ?? ''} />
        </span>
      ),
    },
    ...(isOwner ? owners : []),
    {
      id: 'took',
      label: strings.fields.took,
      width: '60px',
      from: 760,
      right: true,
      // The vault's own actions, and rejected requests that are only counted, have no duration.
      render: ({ duration_ms: ms }) => ms > 0 && <span className="faint">{formatDuration(ms)}</span>,
    },
  ]
}

type PathProps = { readonly row: LedgerLine; readonly onFold: RecordColumnOptions['onFold'] }

/** The path, or the action if there is no path; then the entity, unless the path contains its id. */
function Path({ row, onFold }: PathProps) {
  const { path, action, entity_id, fold, isPart } = row
  const about = entity_id !== undefined && path?.includes(entity_id) !== true && entity_id
  return (
    <span className={isPart && styles.part} title={[path, action, about].filter(Boolean).join(' ')}>
      {fold && (
        <button
          type="button"
          className={`unstyled ${styles.caret}`}
          tabIndex={-1}
          aria-expanded={fold.isOpen}
          aria-label={`${fold.isOpen ? strings.cells.fold : strings.cells.unfold}, ${strings.cells.parts(fold.parts)}`}
          onClick={(event) => {
            event.stopPropagation()
            onFold(row, !fold.isOpen)
          }}
        >
          <Icon name={fold.isOpen ? 'down' : 'right'} size={12} />
        </button>
      )}
      <MarkedSpan className={path === undefined ? 'mono dim' : 'mono'} text={path ?? action} />
      {about && <span className="mono faint"> {about}</span>}
    </span>
  )
}

/** The size of the response, and of the request in a tooltip; empty if unknown. */
function Size({ row: { request_bytes, answer_bytes } }: { row: LogListRecord }) {
  if (request_bytes === undefined && answer_bytes === undefined) return null
  const title = [
    request_bytes !== undefined && t.sent(formatSize(request_bytes)),
    answer_bytes !== undefined && t.answered(formatSize(answer_bytes)),
  ]
  return (
    <span className="faint" title={title.filter(Boolean).join(', ')}>
      {answer_bytes === undefined ? '' : formatSize(answer_bytes).replace(' bytes', ' B')}
    </span>
  )
}
