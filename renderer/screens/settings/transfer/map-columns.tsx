import { Group, Select, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isNameable } from '../../../../shared/conversions.ts'
import type { ImportPreview } from '../../../../shared/schemas/transfer.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { getTypeName, typeNames } from '../../../parts/tokens/token-types.ts'
import { Caution } from '../../../ui/failure.tsx'
import { MonoInput } from '../../../ui/fields/mono-fields.tsx'
import formStyles from '../../../ui/form.module.css'
import { MarkedText } from '../../../ui/text/marked-text.tsx'
import { Masked } from '../../../ui/text/masked.tsx'
import {
  type Choice,
  findSkippedColumns,
  getMetadataKey,
  hasTypeColumn,
  hasValuesAsNames,
  isReadable,
  listTargetGroups,
  removeUnfitTargets,
  type Target,
  withType,
} from './columns.ts'
import { maskValue } from './mask-value.ts'
import { strings } from './strings.ts'
import styles from './transfer.module.css'

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

const RECORDS = 3
const LEFT_OUT = 'left out'

type ColumnTableProps = {
  readonly preview: ImportPreview
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}

/** The columns of a file with their first values and targets. */
function ColumnTable({ preview: { columns, rows }, choice, onChange }: ColumnTableProps) {
  const [areValuesVisible, setValuesVisible] = useState(false)
  const records = rows.slice(0, RECORDS).map((_, at) => at + 1)
  const options = [
    { value: LEFT_OUT, label: t.leaveOut },
    ...listTargetGroups(choice).map(({ group, items }) => ({
      group,
      items: items.map((target) => ({ value: target, label: t.targets[target] })),
    })),
  ]
  function mapColumn(column: string, value: string | null) {
    const target = options
      .flatMap((option) => ('items' in option ? option.items : []))
      .find((item) => item.value === value)?.value
    const { [column]: _, ...otherTargets } = choice.targets
    const targets: Record<string, Target> = target ? { ...otherTargets, [column]: target } : otherTargets
    onChange(removeUnfitTargets({ ...choice, targets }))
  }
  return (
    <div>
      <Group justify="space-between" gap={16} pb={6} wrap="nowrap">
        <span className="label">{t.table}</span>
        <Switch
          label={t.show}
          checked={areValuesVisible}
          onChange={(event) => setValuesVisible(event.currentTarget.checked)}
          labelPosition="left"
        />
      </Group>
      <table className={styles.columnsTable}>
        <thead>
          <tr>
            <th scope="col">{t.column}</th>
            <th scope="col">{t.becomes}</th>
            {records.map((number) => (
              <th key={number} scope="col">
                {t.record(number)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map((column, index) => (
            <tr key={column}>
              <th scope="row" className="mono clip" title={column}>
                <MarkedText text={column} />
              </th>
              <td>
                <Select
                  aria-label={t.becomesOf(column)}
                  variant="unstyled"
                  data={options}
                  value={choice.targets[column] ?? LEFT_OUT}
                  onChange={(value) => mapColumn(column, value)}
                  disabled={column.startsWith('$') || !isNameable(column)}
                  classNames={{
                    input: choice.targets[column] ? 'clip' : 'clip faint',
                  }}
                  comboboxProps={{
                    width: 200,
                    position: 'bottom-start',
                    withinPortal: false,
                    floatingStrategy: 'fixed',
                  }}
                />
                {choice.targets[column] === 'metadata' && (
                  <MonoInput
                    aria-label={t.keyOf(column)}
                    variant="unstyled"
                    maxLength={200}
                    value={getMetadataKey(choice, column)}
                    onChange={(event) =>
                      onChange({ ...choice, keys: { ...choice.keys, [column]: event.currentTarget.value } })
                    }
                  />
                )}
              </td>
              {records.map((number) => {
                const value = rows[number - 1]?.[index] ?? ''
                const isVisible = areValuesVisible || isReadable(choice.targets[column])
                return (
                  <td key={number} className="clip" title={isVisible ? value : undefined}>
                    <Masked text={isVisible ? value : maskValue(value)} />
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
