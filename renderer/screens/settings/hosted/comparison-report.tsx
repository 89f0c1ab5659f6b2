import { Group } from '@mantine/core'
import type { StatementOutcome } from '../../../../shared/schemas/conform.ts'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { DataTable } from '../../../ui/row-table.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import type { ServerComparison } from './comparison-store.ts'
import { strings as t } from './strings.ts'

/** What a comparison has found, by rule. */
export function ComparisonReport({ of: { report, page, template } }: { of: ServerComparison }) {
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
