import type { HostStatus } from '../../../shared/host/status.ts'
import { Caution } from '../../ui/failure.tsx'
import { ConfirmOwner } from './confirm-owner.tsx'
import { JobProgress } from './job-progress.tsx'
import type { toOwnerCredential } from './owner-fields.tsx'
import { strings } from './strings.ts'

const t = strings.clear

/** The host's requirements for a plaintext export: the vault's name, and its credential. */
export type Confirmation = { readonly vault: string; readonly with?: ReturnType<typeof toOwnerCredential> }

type Props = {
  readonly vault: NonNullable<HostStatus['vault']>
  readonly onConfirm: (confirmation: Confirmation) => Promise<void>
  readonly onClose: () => void
}

/** Asks for confirmation before every value is exported in plaintext. */
export function ConfirmPlaintext({ vault, onConfirm, onClose }: Props) {
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
