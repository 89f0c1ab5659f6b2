import { Group } from '@mantine/core'
import { useState } from 'react'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host, vault } from '../../../parts/connection/vault.ts'
import { InputConfirm } from '../../../parts/forms/input-confirm.tsx'
import { showToast } from '../../../parts/messages/toast.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { type DataColumn, DataTable } from '../../../ui/row-table.tsx'
import { Section } from '../fields.tsx'
import { ImportFile } from './import-file.tsx'
import { strings } from './strings.ts'

const t = strings.bins
const columns = Object.entries(t.columns) as [keyof typeof t.columns, string][]
const PAGE_SIZE = 20

async function readEntries() {
  const { data, pagination } = await vault.bins.list({ size: PAGE_SIZE })
  return {
    entries: data.map(({ facts, ...entry }) => ({ ...entry, ...facts })),
    total: pagination.total_items,
  }
}

/** The BIN directory: details of card numbers, beyond the network. */
export function BinsSection() {
  const imported = useLoaded(readEntries, { follows: ['bin'] })
  const { load } = imported
  const [clearing, setClearing] = useState(false)
  return (
    <Section name="bins" text={t.text}>
      <LoadedView of={imported}>
        {({ entries, total }) => (
          <>
            {total > 0 && <span>{t.count(total.toLocaleString('en'))}</span>}
            <DataTable
              none={t.none}
              rows={entries}
              keyOf={({ from, to }) => `${from} ${to}`}
              columns={columns.map(
                ([name, label]): DataColumn<(typeof entries)[number]> => ({
                  label,
                  render: (entry) => entry[name],
                  className: name === 'from' || name === 'to' ? 'mono' : undefined,
                }),
              )}
            />
          </>
        )}
      </LoadedView>
      <Group gap="xs">
        <ImportFile
          label={t.import}
          onImport={(csv, dry_run) => host.importBins({ csv, dry_run })}
          onDone={load}
        />
        <ActionButton label={t.clear} disabled={!imported.value?.total} onClick={() => setClearing(true)} />
        <span className="faint">{t.format}</span>
      </Group>
      {clearing && (
        <InputConfirm
          title={t.clear}
          word={t.clearWord}
          action={t.clear}
          onConfirm={async () => {
            await vault.bins.clear()
            await load()
            showToast(t.cleared)
          }}
          onClose={() => setClearing(false)}
        >
          {t.clearText}
        </InputConfirm>
      )}
    </Section>
  )
}
