import { useState } from 'react'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import styles from '../../ui/row-table.module.css'
import { type DataColumn, DataTable } from '../../ui/row-table.tsx'

type Props<Row> = {
  readonly rows: readonly Row[]
  readonly columns: readonly DataColumn<Row>[]
  readonly strings: {
    readonly remove: (name: string) => string
    readonly removeTitle: string
    readonly removeText: string
    readonly removeConfirm: string
  }
  readonly getName: (row: Row) => string
  readonly onRemove: (row: Row) => Promise<unknown>
}

/** A table whose rows the owner can delete, after typing the name of the row. */
export function RemovableRows<Row extends { readonly id: string }>(props: Props<Row>) {
  const { rows, columns, strings: t, getName, onRemove } = props
  const isOwner = useIsOwner()
  const [removing, setRemoving] = useState<Row | null>(null)
  return (
    <>
      <DataTable
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          ...columns,
          {
            label: t.remove(''),
            className: styles.action,
            is: 'action',
            render: (row) =>
              isOwner && (
                <IconButton icon="trash" label={t.remove(getName(row))} onClick={() => setRemoving(row)} />
              ),
          },
        ]}
      />
      {removing && (
        <InputConfirm
          title={t.removeTitle}
          word={getName(removing)}
          action={t.removeConfirm}
          onConfirm={async () => void (await onRemove(removing))}
          onClose={() => setRemoving(null)}
        >
          {t.removeText}
        </InputConfirm>
      )}
    </>
  )
}
