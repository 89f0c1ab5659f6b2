import type { AccountUpdaterJob, AccountUpdaterJobStatus } from '../../../shared/schemas/account-updater.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import styles from '../../ui/row-table.module.css'
import { type DataColumn, DataTable } from '../../ui/row-table.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.jobs
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
    <TableView read={readJobs} changing={['account_updater_job']}>
      {({ data, pagination, owner_id }) =>
        data.length === 0 ? (
          <NoneCreated
            icon="refresh"
            strings={t.empty}
            path="/account-updater/jobs"
            keyHint={t.empty.keyHint}
            body={{}}
          />
        ) : (
          <>
            <DataTable rows={data} columns={createColumns(getName, owner_id)} keyOf={({ id }) => id} />
            {pagination.next !== undefined && <span className="faint">{t.newest}</span>}
          </>
        )
      }
    </TableView>
  )
}

function createColumns(
  getName: ReturnType<typeof useActorName>,
  owner_id: string,
): readonly DataColumn<AccountUpdaterJob>[] {
  return [
    {
      label: t.status,
      className: styles.short,
      render: ({ status }) => <Chip tone={tones[status]}>{t.statuses[status]}</Chip>,
    },
    { label: t.rows, className: styles.short, render: ({ requests }) => requests?.toLocaleString('en') },
    { label: t.results, render: (job) => <Results job={job} /> },
    {
      label: t.by,
      className: styles.text,
      render: ({ created_by }) => <MarkedText text={getName(created_by === owner_id ? null : created_by)} />,
    },
    {
      label: t.id,
      className: `mono ${styles.short}`,
      render: ({ id }) => <LinkButton to={getRecordsHref([{ field: 'id', value: id }])} mono label={id} />,
    },
    { label: t.created, render: ({ created_at }) => <Time at={created_at} /> },
  ]
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
