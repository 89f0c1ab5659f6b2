import { StatusChip } from '../../ui/status-chip.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { useLoaded } from '../connection/use-loaded.tsx'
import { vault } from '../connection/vault.ts'
import { LinkButton } from '../navigation/link-button.tsx'
import { getRecordsHref } from '../navigation/records-href.ts'
import { useActorName } from './application-names.ts'
import styles from './history.module.css'
import { strings } from './strings.ts'

const MAX_RECORDS = 20

/** The log records about an entity, newest first. */
export function History({ id }: { id: string }) {
  const actor = useActorName()
  const { value: records } = useLoaded(
    async () => (await vault.logs.list({ entity_id: id, size: MAX_RECORDS })).data,
    // Follows every new record: one may concern several entities, and may contain only a masked id.
    { about: id, follows: 'log' },
  )
  if (records === null) return null
  if (records.length === 0) return <span className="faint">{strings.history.none}</span>
  return (
    <ul className={styles.root}>
      {records.map((record) => (
        <li key={record.id} className={styles.line}>
          <Time at={record.created_at} />
          <span className="clip">
            <LinkButton to={getRecordsHref([{ field: 'id', value: id }], record.id)} label={record.action} />{' '}
            <span className="faint">
              {strings.history.by(markText(actor(record.actor_id, record.actor_type)))}
            </span>
          </span>
          <StatusChip status={record.status} />
        </li>
      ))}
    </ul>
  )
}
