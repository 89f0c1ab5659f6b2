import { counted } from '../../../shared/counted.ts'
import type { CreatedTogether } from '../../../shared/find.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { useLooking } from '../../parts/access/looking.ts'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf, type Screen } from '../../parts/navigation/route-text.ts'
import { countCreated, createdText } from '../../parts/tokens/created-together.ts'
import { Fact, Facts, Panel, Part } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedText, markedText } from '../../ui/text/marked-text.tsx'
import { exactTime } from '../../ui/time/relative-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { Consequences } from './consequences.tsx'
import { useFullRecord } from './full-record.ts'
import { ProxiedCall } from './proxied-call.tsx'
import { isWholeId, type LogRecord, outcomeOf } from './record.ts'
import { RequestFacts } from './request-facts.tsx'
import { SendAgain } from './send-again.tsx'
import { strings } from './strings.ts'
import { WhyRefused } from './why-refused.tsx'

const t = strings.drawer

type Props = {
  readonly id: string
  /** The record as it is in the list, if it is. */
  readonly row: LogRecord | undefined
  readonly onClose: () => void
}

/** One record of any age: who requested what, the outcome, and why. */
export function RecordDrawer({ id, row, onClose }: Props) {
  const looking = useLooking(({ as }) => as !== null)
  // Looking as an application shows no more than its key would get.
  const { record: full, problem } = useFullRecord(looking ? null : id)
  const record = full ?? row
  if (!record) {
    const text = looking ? t.notHere : problem
    return (
      <Panel label={t.label} title={t.label} onClose={onClose}>
        {text === null ? <Waiting /> : <p className="dim">{text}</p>}
      </Panel>
    )
  }
  const { operation, status } = record
  return (
    <Panel
      label={t.label}
      title={
        <>
          <StatusChip status={status} />
          <span className="mono clip">{operation}</span>
        </>
      }
      onClose={onClose}
    >
      <Outcome record={record} full={full} />
      {full && <WhyRefused record={full} />}
      {full?.operation.startsWith('proxies.') && <ProxiedCall record={full} />}
      {full && <Consequences record={full} />}
      {full && (
        <div className="actions">
          <SendAgain record={full} />
        </div>
      )}
      {full && <RequestFacts record={full} />}
      <Part title={t.json}>
        <JsonView value={record} what={t.json} />
      </Part>
    </Panel>
  )
}

function Waiting() {
  return (
    <div className="record-waiting" role="status" aria-label={t.loading}>
      {['when', 'who', 'what', 'why'].map((line) => (
        <span key={line} className="bone" />
      ))}
    </div>
  )
}

function Outcome({ record, full }: { record: LogRecord; full: FullLog | null }) {
  const { status, note, method, path, key_hint, created_at, duration_ms, trace_id } = record
  return (
    <Part title={t.outcome}>
      <Facts>
        <Fact name={t.outcome}>
          {t[outcomeOf(status)]} <span className="faint">{status}</span>
        </Fact>
        {path !== undefined && (
          <Fact name={t.request}>
            <span className="mono">
              <span className={`method-${method}`}>{method}</span> <MarkedText text={path} />
            </span>
          </Fact>
        )}
        {note !== undefined && record.detail === undefined && <Fact name={t.decision}>{note}</Fact>}
        <Fact name={t.by}>
          <Actor record={record} looked_as={full?.looked_as} />
        </Fact>
        {key_hint !== undefined && (
          <Fact name={t.key}>
            <span className="mono">…{key_hint}</span>
          </Fact>
        )}
        {(full || record.entity_id !== undefined) && (
          <Fact name={t.about}>
            {full?.created ? (
              <Created of={full.created} />
            ) : (
              <Entities type={record.entity_type} ids={full?.entity_ids ?? [record.entity_id ?? '']} />
            )}
          </Fact>
        )}
        <Fact name={t.when}>
          <Time at={created_at} /> <span className="faint">{exactTime(Date.parse(created_at))}</span>
        </Fact>
        {duration_ms > 0 && <Fact name={t.took}>{duration_ms.toFixed(2)} ms</Fact>}
        <Fact name={t.trace}>
          <span className="mono">{trace_id}</span> <CopyButton value={trace_id} what={t.trace} />
        </Fact>
      </Facts>
    </Part>
  )
}

function Actor({ record, looked_as }: { record: LogRecord; looked_as: string | undefined }) {
  const actor = useActorName()
  const { actor_id, actor_type = 'unknown' } = record
  if (looked_as !== undefined) return t.lookedAs(markedText(actor(looked_as)))
  if (actor_id === undefined || actor_type !== 'application') return actor(actor_id, actor_type)
  return (
    <button type="button" className="unstyled link" onClick={() => go(hrefOf('applications', actor_id))}>
      <MarkedText text={actor(actor_id)} />
    </button>
  )
}

/** The tokens that a record created together. */
function Created({ of }: { of: CreatedTogether }) {
  const text = counted(countCreated([of]).toLocaleString('en'), 'token')
  const href = hrefOf('tokens', null, { created: createdText([of]) })
  return (
    <button type="button" className="unstyled link" onClick={() => go(href)}>
      {text}
    </button>
  )
}

const SHOWN = 5

function Entities({ type, ids }: { type: string; ids: readonly string[] }) {
  if (ids.length === 0) return <span className="faint">{t.nothing}</span>
  const kind = kindOf(type)
  const more = ids.length - SHOWN
  return (
    <>
      {kind}{' '}
      {ids.slice(0, SHOWN).map((id) => (
        <span key={id} className="record-entity">
          <EntityId type={type} id={id} />
        </span>
      ))}
      {more > 0 && <span className="faint">{t.more(more)}</span>}
    </>
  )
}

const screenOf: Readonly<Record<string, Screen>> = {
  token: 'tokens',
  document: 'documents',
  application: 'applications',
  proxy: 'proxies',
  reactor: 'reactors',
  webhook: 'webhooks',
}

function EntityId({ type, id }: { type: string; id: string }) {
  const screen = screenOf[type] ?? null
  if (screen === null || !isWholeId(id)) return <span className="mono">{id}</span>
  return (
    <button type="button" className="unstyled link mono" onClick={() => go(hrefOf(screen, id))}>
      {id}
    </button>
  )
}

/** The display name of an entity type. */
function kindOf(type: string): string {
  return Object.entries(t.kinds).find(([name]) => name === type)?.[1] ?? type
}
