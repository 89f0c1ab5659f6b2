import { useActorName } from '../application-names.ts'
import { go } from '../route.ts'
import { hrefOf } from '../route-text.ts'
import { strings } from '../strings.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Fact, Facts, Panel, Part } from '../ui/panel.tsx'
import { exactTime } from '../ui/relative-time.ts'
import { Time } from '../ui/time.tsx'
import { type LogRecord, outcomeOf } from './record.ts'
import { SendAgain } from './send-again.tsx'
import { StatusChip } from './status-chip.tsx'
import { refusalOf } from './why.ts'
import { WhyRefused } from './why-refused.tsx'

const t = strings.requests.drawer

/** One record: who asked for what, how it ended, and why. */
export function RecordDrawer({ record, onClose }: { record: LogRecord; onClose: () => void }) {
  const actor = useActorName()
  const { actor_id, actor_type, entity_id, entity_type, status } = record
  return (
    <Panel
      label={t.label}
      title={
        <>
          <StatusChip status={status} />
          <span className="mono clip">{record.operation}</span>
        </>
      }
      onClose={onClose}
    >
      <Part title={t.outcome}>
        <Facts>
          <Fact name={t.outcome}>{t[outcomeOf(status)]}</Fact>
          {record.note !== null && <Fact name={t.decision}>{record.note}</Fact>}
          <Fact name={t.by}>
            {actor_id !== null && actor_type === 'application' ? (
              <button
                type="button"
                className="unstyled link"
                onClick={() => go(hrefOf('applications', actor_id))}
              >
                {actor(actor_id)}
              </button>
            ) : (
              actor(actor_id, actor_type)
            )}
          </Fact>
          <Fact name={t.about}>
            <Entity type={entity_type} id={entity_id} />
          </Fact>
          <Fact name={t.when}>
            <Time at={record.created_at} />{' '}
            <span className="faint">{exactTime(Date.parse(record.created_at))}</span>
          </Fact>
          <Fact name={t.took}>{record.duration_ms.toFixed(2)} ms</Fact>
          <Fact name={t.trace}>
            <span className="mono">{record.trace_id}</span>{' '}
            <CopyButton value={record.trace_id} what={t.trace} />
          </Fact>
        </Facts>
      </Part>
      <WhyRefused record={record} />
      {refusalOf(record) === null && (
        <div className="actions">
          <SendAgain record={record} />
        </div>
      )}
      <Part title={t.json}>
        <JsonView value={record} what={t.json} />
      </Part>
    </Panel>
  )
}

function Entity({ type, id }: { type: string; id: string | null }) {
  const kind = kindOf(type)
  if (id === null) return <span className="faint">{t.nothing}</span>
  const screen = type === 'token' ? 'tokens' : type === 'application' ? 'applications' : null
  if (screen === null) {
    return (
      <>
        {kind} <span className="mono">{id}</span>
      </>
    )
  }
  return (
    <>
      {kind}{' '}
      <button type="button" className="unstyled link mono" onClick={() => go(hrefOf(screen, id))}>
        {id}
      </button>
    </>
  )
}

/** The kind of an entity in words. */
function kindOf(type: string): string {
  return Object.entries(t.kinds).find(([name]) => name === type)?.[1] ?? type
}
