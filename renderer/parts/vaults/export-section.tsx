import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import type { TransferFormat } from '../../../shared/schemas/transfer.ts'
import { Caution } from '../../ui/failure.tsx'
import { Choice } from '../../ui/fields/choice.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { saveText } from '../../ui/text/save-text.ts'
import { runJob, useJob } from '../connection/jobs.ts'
import { host } from '../connection/vault.ts'
import { useAction } from '../forms/use-action.ts'
import { showToast } from '../messages/toast.tsx'
import { ConfirmOwner } from './confirm-owner.tsx'
import { JobProblem, JobProgress } from './job-progress.tsx'
import type { toOwnerCredential } from './owner-fields.tsx'
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
        <Choice label={t.format} of={t.formats} value={format} onChange={setFormat} />
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
        <ActionButton label={t.clear} disabled={running} onClick={() => setAsking(true)} />
      </Group>
      {!asking && <JobProgress job="export" what={t.running} />}
      <JobProblem error={problem} />
      {asking && <ConfirmPlaintext vault={vault} onConfirm={saveExport} onClose={() => setAsking(false)} />}
    </>
  )
}

/** The host's requirements for a plaintext export: the vault's name, and its credential. */
type Confirmation = { readonly vault: string; readonly with?: ReturnType<typeof toOwnerCredential> }

type ConfirmPlaintextProps = {
  readonly vault: NonNullable<HostStatus['vault']>
  readonly onConfirm: (confirmation: Confirmation) => Promise<void>
  readonly onClose: () => void
}

/** Asks for confirmation before every value is exported in plaintext. */
function ConfirmPlaintext({ vault, onConfirm, onClose }: ConfirmPlaintextProps) {
  const t = strings.clear
  return (
    <ConfirmOwner
      title={t.title}
      action={t.action}
      vault={vault}
      progress={<JobProgress job="export" what={strings.export.running} />}
      onConfirm={(credential) =>
        onConfirm({ vault: vault.name, ...(vault.protection !== 'memory' && { with: credential }) })
      }
      onClose={onClose}
    >
      <Caution>{t.text}</Caution>
    </ConfirmOwner>
  )
}
