import { Checkbox, Group, PasswordInput, TextInput } from '@mantine/core'
import type { StatementOutcome } from '../../../../shared/schemas/conform.ts'
import { runJob } from '../../../parts/connection/jobs.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { host } from '../../../parts/connection/vault.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { DataTable } from '../../../ui/row-table.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { Section } from '../fields.tsx'
import styles from '../settings.module.css'
import { strings as t } from './strings.ts'

const initial = { url: 'https://api.test.basistheory.com', key: '', management: '', isTest: false }

/** Compares a tenant of the hosted service with Coffer. */
export function HostedSection() {
  const { isRunning, result, problem } = useComparison()
  return (
    <Section name="comparison" text={t.text}>
      <p className={styles.text}>{t.limits}</p>
      <ServerForm isRunning={isRunning} />
      <JobProgress job="conform" what={t.running} />
      <JobProblem error={problem} />
      {result && <ComparisonReport of={result} />}
    </Section>
  )
}

/** SECURITY: the keys live only in this form, and disappear with it. */
function ServerForm({ isRunning }: { isRunning: boolean }) {
  const form = useForm({
    initial,
    check: ({ key, isTest }) => ({
      ...(key.trim() === '' && { key: t.missing }),
      ...(!isTest && { isTest: t.notTest }),
    }),
    send: ({ url, key, management }) =>
      compareServer({ url: url.trim(), key, ...(management.trim() !== '' && { management }) }),
  })
  return (
    <form onSubmit={form.submit}>
      <TextInput label={t.url} description={t.urlHelp} spellCheck={false} {...form.text('url')} />
      <PasswordInput label={t.key} description={t.keysHelp} autoComplete="off" {...form.text('key')} />
      <PasswordInput
        label={t.management}
        description={t.managementHelp}
        autoComplete="off"
        {...form.text('management')}
      />
      <Checkbox
        mt="sm"
        label={t.isTest}
        checked={form.values.isTest}
        error={form.errors.isTest}
        onChange={(event) => form.change({ isTest: event.currentTarget.checked })}
      />
      <Group mt="sm">
        <ActionButton variant="filled" label={t.compare} type="submit" disabled={isRunning} />
      </Group>
    </form>
  )
}

/** What a comparison has found, by rule. */
function ComparisonReport({ of: { report, page, template } }: { of: ServerComparison }) {
  const { outcomes } = report
  const listResults = (result: StatementOutcome['result']) =>
    outcomes.filter((outcome) => outcome.result === result)
  const differs = listResults('differs')
  const skipped = [...Map.groupBy(listResults('skipped'), ({ reason = '' }) => reason)]
  return (
    <div role="status">
      <p>{t.counts(listResults('holds').length, differs.length, outcomes.length)}</p>
      {report.left > 0 && <p>{t.left(report.left)}</p>}
      <Group gap="xs">
        <ActionButton label={t.savePage} onClick={() => saveText('comparison.html', page)} />
        <ActionButton label={t.saveTemplate} onClick={() => saveText('comparison.md', template)} />
        <ActionButton
          label={t.saveJson}
          onClick={() => saveText('comparison.json', JSON.stringify(report, null, 2))}
        />
      </Group>
      {skipped.map(([reason, { length }]) => (
        <p key={reason} className="faint">
          {t.skipped(length, reason)}
        </p>
      ))}
      {differs.length === 0 && <p>{t.none}</p>}
      <Outcomes title={t.parts.documents} of={differs.filter(({ decision }) => !decision)} />
      <Outcomes title={t.parts.decisions} of={differs.filter(({ decision }) => decision)} />
      <Outcomes title={t.parts.unanswered} of={listResults('unanswered')} />
    </div>
  )
}

function Outcomes({ title, of: outcomes }: { title: string; of: readonly StatementOutcome[] }) {
  if (outcomes.length === 0) return null
  const sorted = outcomes.toSorted((one, other) => one.rule.localeCompare(other.rule))
  return (
    <>
      <h3>{title}</h3>
      {sorted.map((outcome) => (
        <Outcome key={`${outcome.rule} ${outcome.says}`} of={outcome} />
      ))}
    </>
  )
}

function Outcome({
  of: { rule, says, source, decision, request, reason, differences },
}: {
  of: StatementOutcome
}) {
  return (
    <>
      <p>
        <span className="mono">{rule}</span> {says}. <span className="faint">{source}</span>
      </p>
      {request !== undefined && <p className="mono">{request}</p>}
      {reason !== undefined && <p>{reason}</p>}
      {differences.length > 0 && (
        <DataTable
          rows={differences}
          keyOf={({ at }) => at}
          columns={[
            { label: t.at, render: ({ at }) => at, className: 'mono' },
            {
              label: decision ? t.coffer : t.expected,
              render: ({ expected }) => expected,
              className: 'mono',
            },
            {
              label: decision ? t.server : t.received,
              render: ({ received }) => received,
              className: 'mono',
            },
          ]}
        />
      )}
    </>
  )
}

type ServerComparison = Awaited<ReturnType<typeof host.conform>>

type ComparisonState = {
  readonly isRunning: boolean
  readonly result: ServerComparison | null
  readonly problem: unknown
}

const fresh: ComparisonState = { isRunning: false, result: null, problem: null }

/** The last comparison. It stays while the owner uses other screens. SECURITY: it holds no key. */
const useComparison = createVaultStore<ComparisonState>(() => fresh)

/** Compares a server with Coffer. The result or the problem goes to the store, unless the vault was locked meanwhile. */
async function compareServer(input: Parameters<typeof host.conform>[0]): Promise<void> {
  const started: ComparisonState = { ...fresh, isRunning: true }
  useComparison.setState(started, true)
  let ended: ComparisonState
  try {
    ended = { ...fresh, result: await runJob('conform', () => host.conform(input)) }
  } catch (problem) {
    ended = { ...fresh, problem }
  }
  if (useComparison.getState() === started) useComparison.setState(ended, true)
}
