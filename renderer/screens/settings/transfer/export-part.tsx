import { Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../../shared/host.ts'
import type { TransferFormat } from '../../../../shared/schemas/transfer.ts'
import { runJob, useJob } from '../../../parts/connection/jobs.ts'
import { host } from '../../../parts/connection/vault.ts'
import { useAct } from '../../../parts/forms/use-act.ts'
import { toast } from '../../../parts/messages/toast.tsx'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { type Confirmation, ConfirmClear } from './confirm-clear.tsx'
import { strings } from './strings.ts'

const t = strings.export

/** Exports the tokens to a file, masked or, once confirmed, in plaintext. */
export function ExportPart({ vault }: { vault: NonNullable<HostStatus['vault']> }) {
  const [format, setFormat] = useState<TransferFormat>('ndjson')
  const [asking, setAsking] = useState(false)
  const { act, problem } = useAct()
  const running = useJob('export') !== undefined

  async function save(confirm?: Confirmation): Promise<void> {
    const order = { format, ...(confirm && { confirm }) }
    const { text, tokens } = await runJob('export', () => host.host.exportTokens(order))
    const name = t.file(vault.name, confirm !== undefined, format)
    saveText(name, text)
    toast(t.done(tokens.toLocaleString('en'), name))
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
        <Button leftSection={<Icon name="download" size={14} />} disabled={running} onClick={() => act(save)}>
          {t.masked}
        </Button>
        <Button variant="default" disabled={running} onClick={() => setAsking(true)}>
          {t.clear}
        </Button>
      </Group>
      {!asking && <JobProgress job="export" what={t.running} />}
      <JobProblem error={problem} />
      {asking && <ConfirmClear vault={vault} onConfirm={save} onClose={() => setAsking(false)} />}
    </>
  )
}
