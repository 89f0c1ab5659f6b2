import type { OwnerThreeDsSession } from '../../../shared/schemas/three-ds.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { StatusChip } from '../../ui/status-chip.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import styles from './sessions.module.css'
import { strings } from './strings.ts'
import { describeMessage, type ThreeDsMessage } from './three-ds-message.ts'

const t = strings.threeDs.messages
const MAX_RECORDS = 100

/** The messages of a session between page, server, vault and bank, as far as the log holds them, oldest first. */
export function ThreeDsMessages({ session }: { session: OwnerThreeDsSession }) {
  const { rows: applications } = useApplications()
  const { id, answer_until = '', reason } = session
  const records = useLoaded(
    async () => (await vault.logs.list({ entity_id: id, size: MAX_RECORDS })).data.reverse(),
    { about: id, follows: 'log' },
  )
  return (
    <LoadedView of={records}>
      {(loaded) => (
        <>
          <ol className={styles.messages} aria-label={t.title}>
            {loaded.map((record) => (
              <Message
                key={record.id}
                at={record.created_at}
                message={describeMessage(record, session, applications)}
                record={record}
                session_id={id}
              />
            ))}
            {reason === 'decoupled-authentication-timeout' && (
              <Message at={answer_until} message={{ from: 'bank', to: 'vault', text: t.timedOut }} />
            )}
          </ol>
          <p className="note">{loaded.length === MAX_RECORDS ? t.newest : t.source}</p>
        </>
      )}
    </LoadedView>
  )
}

type MessageProps = {
  readonly at: string
  readonly message: ThreeDsMessage
  readonly record?: { readonly id: string; readonly status: number }
  readonly session_id?: string
}

function Message({ at, message: { from, to, text, outcome }, record, session_id }: MessageProps) {
  return (
    <li className={styles.message}>
      <span className="dim">
        {t.parties[from]} → {t.parties[to]}
      </span>
      <span className={styles.messageText}>
        {record ? (
          <LinkButton
            to={getRecordsHref(
              session_id === undefined ? [] : [{ field: 'id', value: session_id }],
              record.id,
            )}
            label={text}
          />
        ) : (
          text
        )}
        {outcome !== undefined && <span className="dim"> {outcome}</span>}
      </span>
      {record && record.status >= 400 && <StatusChip status={record.status} />}
      <FaintTime at={at} />
    </li>
  )
}
