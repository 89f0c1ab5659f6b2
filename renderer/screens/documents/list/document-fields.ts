import { useMemo } from 'react'
import type { DocumentField } from '../../../../shared/schemas/document.ts'
import { useApplications } from '../../../parts/access/application-names.ts'
import { strings as access } from '../../../parts/access/strings.ts'
import type { FilterFieldOf } from '../../../parts/filters/filter-fields.ts'
import { strings } from '../strings.ts'
import type { ListedDocument } from './documents-store.ts'

const t = strings.fields
const MAX_SAMPLES = 100

/** The fields that documents can be filtered by, with suggestions from the newest ones. */
export function useDocumentFields(rows: readonly ListedDocument[]): readonly FilterFieldOf<DocumentField>[] {
  const { rows: applications } = useApplications()
  return useMemo(() => {
    const samples = rows.slice(0, MAX_SAMPLES)
    const toChoices = (values: readonly string[]) => [...new Set(values)].map((value) => ({ value }))
    const pairs = samples.flatMap(({ metadata }) => Object.entries(metadata))
    return [
      {
        field: 'type',
        label: t.type,
        icon: 'document',
        values: toChoices(samples.map(({ content_type }) => content_type)),
      },
      {
        field: 'metadata',
        label: t.metadata,
        icon: 'info',
        values: toChoices(pairs.flatMap(([key, value]) => [`${key}=${value}`, key])),
      },
      { field: 'size', label: t.size, icon: 'download', values: [{ value: '>1mib' }, { value: '<10kib' }] },
      {
        field: 'by',
        label: t.by,
        icon: 'app',
        values: [
          { value: 'owner', name: access.actors.owner },
          ...applications.map(({ id, name }) => ({ value: id, name })),
        ],
      },
      { field: 'id', label: t.id, icon: 'hash' },
    ]
  }, [rows, applications])
}
