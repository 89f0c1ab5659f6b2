import { useMemo } from 'react'
import { useApplications } from '../../parts/access/application-names.ts'
import { strings as access } from '../../parts/access/strings.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { useOperations } from '../../parts/api/operations.ts'
import type { FieldChoice, FilterFieldOf } from '../../parts/filters/filter-fields.ts'
import type { IconName } from '../../ui/icon.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { getOwnDecision, keyFields, type LogListRecord, type RecordField, recordFields } from './record.ts'
import { formatDayAndTime } from './record-columns.tsx'
import { strings } from './strings.ts'

const icons: Readonly<Record<RecordField, IconName>> = {
  status: 'check',
  app: 'app',
  method: 'play',
  path: 'globe',
  took: 'clock',
  program: 'terminal',
  action: 'bolt',
  about: 'token',
  decision: 'shield',
  size: 'download',
  key: 'key',
  id: 'hash',
  trace: 'activity',
  since: 'clock',
  until: 'clock',
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const commonStatuses = ['2xx', '4xx', '5xx', '200', '201', '400', '401', '403', '404', '409', '429', '500']
/** Suggestions come from the newest of the loaded records. */
const MAX_SAMPLES = 200

const toChoices = (values: readonly (string | undefined)[]): FieldChoice[] =>
  [...new Set(values)].flatMap((value) => (value === undefined ? [] : [{ value }]))

function formatMoment(text: string): string {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : formatDayAndTime(at)
}

/** The fields that the log can be filtered by, with suggestions. An API key can filter by few of them. */
export function useRecordFields(rows: readonly LogListRecord[]): readonly FilterFieldOf<RecordField>[] {
  const { rows: applications } = useApplications()
  const { operations } = useOperations()
  const isOwner = useIsOwner()
  const newest = rows[0]?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest record stands for the rows, which change with it
  return useMemo(() => {
    const samples = rows.slice(0, MAX_SAMPLES)
    const sampleValues = (read: (row: LogListRecord) => string | undefined) => toChoices(samples.map(read))
    const { owner, vault, unknown, cardholder } = access.actors
    const values: Partial<Record<RecordField, readonly FieldChoice[]>> = {
      status: [...toChoices(commonStatuses), ...sampleValues(({ status }) => String(status))].filter(
        ({ value }, at, all) => all.findIndex((each) => each.value === value) === at,
      ),
      app: [
        ...applications.map(({ id, name }) => ({ value: id, name: markText(name) })),
        ...Object.entries({ owner, vault, unknown, cardholder }).map(([value, name]) => ({ value, name })),
      ],
      method: toChoices(methods),
      path: toChoices(operations.map(({ path }) => path.replace(/\{.*$/, '*'))),
      took: toChoices(['>100ms', '>1s', '<10ms']),
      program: sampleValues(({ agent }) => agent),
      action: toChoices(operations.map(({ id }) => id)),
      about: Object.entries(strings.drawer.kinds).map(([value, name]) => ({ value, name })),
      decision: sampleValues(getOwnDecision),
      size: toChoices(['>=10kib', '>=1mib']),
      key: sampleValues(({ key_hint }) => key_hint),
    }
    return (isOwner ? recordFields : keyFields).map((field) => {
      const choices = values[field]
      const isTime = field === 'since' || field === 'until'
      return {
        field,
        label: strings.fields[field],
        icon: icons[field],
        ...(choices && { values: choices }),
        ...(isTime && { format: formatMoment }),
      }
    })
  }, [newest, applications, operations, isOwner])
}
