import { Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import type { TransferFormat } from '../../../shared/schemas/transfer.ts'
import { Icon } from '../../ui/icon.tsx'
import { saveText } from '../../ui/text/save-text.ts'
import { runJob, useJob } from '../connection/jobs.ts'
import { host } from '../connection/vault.ts'
import { useAction } from '../forms/use-action.ts'
import { showToast } from '../messages/toast.tsx'
import { type Confirmation, ConfirmPlaintext } from './confirm-plaintext.tsx'
import { JobProblem, JobProgress } from './job-progress.tsx'
import { strings } from './strings.ts'

const t = strings.export

type Props = {
  readonly vault: NonNullable<HostStatus['vault']>
  /** The id of a selection that the host has pinned; without it, all tokens are exported. */
  readonly selection?: string
  readonly onDone?: () => void
}

/** Exports tokens to a file: masked, or in plaintext after a confirmation. */
export function ExportSection({ vault, selection, onDone }: Props) {
  const [format, setFormat] = useState<TransferFormat>('ndjson')
  const [asking, setAsking] = useState(false)
  const { runAction, problem } = useAction()
  const running = useJob('export') !== undefined

  async function saveExport(confirm?: Confirmation): Promise<void> {
    const only = selection !== undefined && { selection }
    const request = { format, ...only, ...(confirm && { confirm }) }
    const { text, tokens } = await runJob('export', () => host.exportTokens(request))
    const name = t.file(vault.name, confirm !== undefined, format)
    saveText(name, text)
    showToast(t.done(tokens.toLocaleString('en'), name))
    onDone?.()
  }
  return (
    <>
      <Group gap="sm">
        <SegmentedControl
          aria-label={t.format}
          data={[
            { value: 'ndjson', label: t.formats.ndjson },
            { value: 'csv', label: t.formats.csv },
          ]}
          value={format}
          onChange={setFormat}
        />
        <span className="faint">{t.formatHelp[format]}</span>
      </Group>
      <Group gap="xs">
        <Button
          leftSection={<Icon name="download" size={14} />}
          disabled={running}
          onClick={() => runAction(saveExport)}
        >
          {t.masked}
        </Button>
        <Button variant="default" disabled={running} onClick={() => setAsking(true)}>
          {t.clear}
        </Button>
      </Group>
      {!asking && <JobProgress job="export" what={t.running} />}
      <JobProblem error={problem} />
      {asking && <ConfirmPlaintext vault={vault} onConfirm={saveExport} onClose={() => setAsking(false)} />}
    </>
  )
}
