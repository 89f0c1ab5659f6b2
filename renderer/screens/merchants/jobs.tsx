import type { AccountUpdaterJob, AccountUpdaterJobStatus } from '../../../shared/schemas/account-updater.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from '../../ui/row-table.module.css'
import { RowTable } from '../../ui/row-table.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.jobs
const changing = ['account_updater_job'] as const
const MAX_JOBS = 100

const names: Readonly<Record<string, string>> = t.names
const tones: Readonly<Record<AccountUpdaterJobStatus, Tone>> = {
  pending: 'amber',
  processing: 'accent',
  completed: 'green',
  failed: 'red',
}

async function readJobs() {
  const [jobs, { owner_id }] = await Promise.all([
    vault.accountUpdaterJobs.list({ size: MAX_JOBS }),
    vault.tenants.get(),
  ])
  return { ...jobs, owner_id }
}

/** The jobs of the account updater with their results. SECURITY: without their URLs, which need no key. */
export function Jobs() {
  const getName = useActorName()
  return (
    <TableView read={readJobs} changing={changing}>
      {({ data, pagination, owner_id }) =>
        data.length === 0 ? (
          <Empty icon="refresh" title={t.empty.title} text={t.empty.text}>
            <RequestSnippet
              request={{ method: 'POST', path: '/account-updater/jobs', key: t.empty.keyHint, body: {} }}
              wrap
            />
          </Empty>
        ) : (
          <>
            <RowTable labels={[t.status, t.rows, t.results, t.by, t.id, t.created]} none={false}>
              {data.map((job) => (
                <tr key={job.id}>
                  <td className={styles.short}>
                    <Chip tone={tones[job.status]}>{t.statuses[job.status]}</Chip>
                  </td>
                  <td className={styles.short}>{job.requests?.toLocaleString('en')}</td>
                  <td>
                    <Results job={job} />
                  </td>
                  <td className={styles.text}>
                    <MarkedText text={getName(job.created_by === owner_id ? null : job.created_by)} />
                  </td>
                  <td className={`mono ${styles.short}`}>
                    <LinkButton to={getRecordsHref([{ field: 'id', value: job.id }])} mono label={job.id} />
                  </td>
                  <td>
                    <Time at={job.created_at} />
                  </td>
                </tr>
              ))}
            </RowTable>
            {pagination.next !== undefined && <span className="faint">{t.newest}</span>}
          </>
        )
      }
    </TableView>
  )
}

/** How many rows had each result, or why the job failed. */
function Results({ job: { results = {}, errors, expires_at } }: { readonly job: AccountUpdaterJob }) {
  if (errors) return <MarkedText text={errors.join(' ')} />
  if (expires_at !== undefined)
    return (
      <span className="faint">
        {t.uploadUntil} <Time at={expires_at} ahead />
      </span>
    )
  return Object.entries(results).map(([result, count]) => (
    <span key={result}>
      <Chip title={result}>
        {names[result] ?? result} {count.toLocaleString('en')}
      </Chip>{' '}
    </span>
  ))
}
