import type { HostStatus } from '../../../../shared/host/status.ts'
import { runJob } from '../../../parts/connection/jobs.ts'
import { host } from '../../../parts/connection/vault.ts'
import { DialogForm } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { OwnerProblem } from '../../../parts/vaults/confirm-owner.tsx'
import { JobProgress } from '../../../parts/vaults/job-progress.tsx'
import {
  emptyPassphrase,
  NewPassphrase,
  type PassphraseInput,
  validatePassphrase,
} from '../../../parts/vaults/new-passphrase.tsx'
import { saveRecoveryKey } from '../../../parts/vaults/new-recovery-key.tsx'
import {
  emptyOwner,
  OwnerFields,
  type OwnerInput,
  toOwnerCredential,
  validateOwner,
} from '../../../parts/vaults/owner-fields.tsx'
import { ProtectionChoice } from '../../../parts/vaults/protection-choice.tsx'
import { strings as vaults } from '../../../parts/vaults/strings.ts'
import formStyles from '../../../ui/form.module.css'
import { strings } from './strings.ts'

const t = strings.protection
const { recovery } = vaults
const kinds = ['keychain', 'passphrase'] as const
type ProtectionChangeKind = (typeof kinds)[number]

type ProtectionDraft = PassphraseInput & OwnerInput & { readonly kind: ProtectionChangeKind }

type Props = {
  readonly name: string
  readonly protection: ProtectionChangeKind
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

/** Changes the vault's protection: the keychain or a new passphrase. */
export function ChangeProtection({ name, protection, keychain, onClose }: Props) {
  const vault = { name, protection }
  const form = useForm({
    initial: (): ProtectionDraft => ({ kind: 'passphrase', ...emptyPassphrase, ...emptyOwner }),
    getUnsavedInput: ({ first, again, owner }) => [first, again, owner],
    check: (draft) => ({
      ...validateOwner(vault, draft),
      ...(draft.kind === 'passphrase' && validatePassphrase(draft)),
    }),
    async send({ kind, first, ...ownerInput }) {
      const own = { with: toOwnerCredential(vault, ownerInput) }
      const protection = kind === 'keychain' ? { keychain: true as const } : { passphrase: first }
      const { needed, recovery_key } = await host.draftRecoveryKey(own)
      if (needed) await saveRecoveryKey(recovery_key, recovery.renewed)
      await runJob('rotate master', () =>
        host.changeProtection({ ...own, protection, ...(needed && { recovery_key }) }),
      )
    },
    onDone() {
      onClose()
      showToast(kind === 'passphrase' && protection === 'passphrase' ? t.changed : t.moved[kind])
    },
  })
  const { kind } = form.values
  return (
    <DialogForm
      form={form}
      title={t.dialog}
      size={480}
      action={t.submit[kind]}
      disabled={kind === 'keychain' && protection === 'keychain'}
      isLocked
      problem={<OwnerProblem of={form.problem} />}
      onClose={onClose}
    >
      <OwnerFields form={form} vault={vault} />
      <ProtectionChoice
        kinds={kinds}
        keychain={keychain}
        value={kind}
        onChange={(kind) => form.change({ kind })}
      />
      {kind === 'passphrase' && <NewPassphrase form={form} vault={name} labels={t.labels} />}
      <p className={formStyles.help}>{t.note}</p>
      <JobProgress job="rotate master" what={t.running} />
    </DialogForm>
  )
}
