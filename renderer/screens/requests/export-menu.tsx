import { Group, Menu } from '@mantine/core'
import { createOpenCheck, createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { saveBlob } from '../../ui/text/save-text.ts'
import { type ExportFormat, formatExportHeader, formatExportLine } from './export-line.ts'
import { type RecordFilter, toOwnerLogQuery } from './record.ts'
import { strings } from './strings.ts'

const t = strings.exporting

export function ExportMenu({ filters }: { filters: RecordFilter }) {
  const { running } = useExport()
  if (running) {
    return (
      <Group role="status" gap={12}>
        <span className="faint">{t.progress(running.done, running.total)}</span>
        <ActionButton label={t.stop} size="compact-xs" onClick={stopExport} />
      </Group>
    )
  }
  const startExport = (format: ExportFormat) =>
    exportRecords(filters, format).then(
      (records) => records !== null && showToast(t.done(records)),
      showFailureToast,
    )
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionButton icon="download" label={t.export} size="compact-xs" />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => startExport('ndjson')}>{t.ndjson}</Menu.Item>
        <Menu.Item onClick={() => startExport('csv')}>{t.csv}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const PAGE_SIZE = 1000

type ExportState = {
  /** Progress of the running export; null if none is running. */
  readonly running: { readonly done: number; readonly total: number | null } | null
  readonly stopped: boolean
}

/**
 * The export of the log. It continues while the owner uses other screens, and is cancelled when the vault is locked.
 */
const useExport = createVaultStore<ExportState>(() => ({ running: null, stopped: false }))

/** Cancels the running export; no file is written. */
function stopExport(): void {
  useExport.setState({ stopped: true })
}

/**
 * Writes every record that matches the filters to a file, newest first. Returns the number of records, or
 * null if the export was cancelled or another one is running. Throws if the log cannot be read.
 */
async function exportRecords(filters: RecordFilter, format: ExportFormat): Promise<number | null> {
  if (useExport.getState().running) return null
  const isOpen = createOpenCheck()
  const query = toOwnerLogQuery(filters)
  // Collected as parts of a Blob, which a browser may store on disk if the file is large.
  const parts = [formatExportHeader(format)]
  let done = 0
  useExport.setState({ running: { done, total: null }, stopped: false })
  try {
    let total: number | null = null
    for (let start: string | undefined | null; start !== null; ) {
      const { data, pagination } = await vault.logs.find({
        ...query,
        size: PAGE_SIZE,
        ...(start !== undefined && { start }),
      })
      if (!isOpen() || useExport.getState().stopped) return null
      parts.push(data.map((record) => formatExportLine(record, format)).join(''))
      done += data.length
      total ??= pagination.total_items ?? null
      useExport.setState({ running: { done, total } })
      start = pagination.next ?? null
    }
    saveBlob(`requests.${format}`, new Blob(parts, { type: 'text/plain' }))
    return done
  } finally {
    if (isOpen()) useExport.setState({ running: null })
  }
}
