import { Menu } from '@mantine/core'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import type { ExportFormat } from './export-line.ts'
import { exportRecords, stopExport, useExport } from './export-store.ts'
import type { RecordFilter } from './record.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.exporting

/** Exports every record that matches the filters, and shows the progress. */
export function ExportMenu({ filters }: { filters: RecordFilter }) {
  const { running } = useExport()
  if (running) {
    return (
      <span className={styles.exportRunning} role="status">
        <span className="faint">{t.progress(running.done, running.total)}</span>
        <ActionButton label={t.stop} size="compact-xs" onClick={stopExport} />
      </span>
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
