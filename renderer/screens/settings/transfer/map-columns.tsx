import { Select, TextInput } from '@mantine/core'
import type { ImportPreview } from '../../../../shared/schemas/transfer.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { getTypeName, typeNames } from '../../../parts/tokens/token-types.ts'
import { Caution } from '../../../ui/failure.tsx'
import formStyles from '../../../ui/form.module.css'
import { ColumnTable } from './column-table.tsx'
import { type Choice, findSkippedColumns, hasTypeColumn, hasValuesAsNames, withType } from './columns.ts'
import { strings } from './strings.ts'

const t = strings.columns

type Props = {
  readonly preview: ImportPreview
  readonly isCsv: boolean
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}

/** Edits how the lines of a file become tokens. */
export function MapColumns({ preview, isCsv, choice, onChange }: Props) {
  const typeByColumn = hasTypeColumn(choice)
  const skippedColumns = findSkippedColumns(choice, preview.columns)
  const containerByColumn = Object.values(choice.targets).includes('containers')
  return (
    <>
      {isCsv && hasValuesAsNames(preview.columns) && <Caution>{strings.import.noHeader}</Caution>}
      <div className={formStyles.row}>
        <Select
          label={t.type}
          data={
            typeByColumn
              ? [{ value: '', label: t.typeFromColumn }]
              : typeNames.map((value) => ({ value, label: getTypeName(value) }))
          }
          value={typeByColumn ? '' : choice.type}
          disabled={typeByColumn}
          onChange={(type) => type && isTokenType(type) && onChange(withType(choice, type))}
        />
        {!containerByColumn && (
          <TextInput
            label={t.container}
            placeholder={t.containerHelp}
            classNames={choice.container === '' ? {} : { input: 'mono' }}
            value={choice.container}
            onChange={(event) => onChange({ ...choice, container: event.currentTarget.value })}
          />
        )}
      </div>
      <ColumnTable preview={preview} choice={choice} onChange={onChange} />
      {skippedColumns.length > 0 && <Caution>{t.leftOut(skippedColumns)}</Caution>}
    </>
  )
}
