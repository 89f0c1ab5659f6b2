import { Checkbox } from '@mantine/core'
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
  type ConfirmedVault,
  emptyOwner,
  isOwnerEntered,
  OwnerFields,
  type OwnerInput,
  toOwnerCredential,
  validateOwner,
} from '../../../parts/vaults/owner-fields.tsx'
import { ProtectionChoice } from '../../../parts/vaults/protection-choice.tsx'
import { strings as vaults } from '../../../parts/vaults/strings.ts'
import { Caution } from '../../../ui/failure.tsx'
import { strings } from './strings.ts'

const t = strings.protection

type Props = {
  readonly vault: ConfirmedVault & { readonly protection: 'keychain' | 'passphrase' }
  /** Both commands create a new master secret and a new recovery key. They differ only in why the owner runs them. */
  readonly command: 'rotateMaster' | 'newRecoveryKey'
  readonly onClose: () => void
}

/** Creates a new master secret and recovery key, which take effect once the owner has saved the recovery key. */
export function ChangeMaster({ vault, command, onClose }: Props) {
  const t = command === 'rotateMaster' ? strings.changeMaster : strings.renew
  const form = useForm({
    initial: { ...emptyOwner, renew_fingerprints: false },
    async send({ renew_fingerprints, ...ownerInput }) {
      const own = { with: toOwnerCredential(vault, ownerInput) }
      const { recovery_key } = await host.draftRecoveryKey(own)
      await saveRecoveryKey(recovery_key)
      await runJob('rotate master', () =>
        command === 'rotateMaster'
          ? host.rotateMaster({ ...own, recovery_key, renew_fingerprints })
          : host.newRecoveryKey({ ...own, recovery_key }),
      )
    },
    onDone() {
      onClose()
      showToast(t.done)
    },
  })
  return (
    <DialogForm
      form={form}
      title={t.dialog}
      size={440}
      action={t.submit}
      disabled={!isOwnerEntered(vault, form.values)}
      isLocked
      problem={<OwnerProblem of={form.problem} />}
      onClose={onClose}
    >
      <Caution>{t.caution}</Caution>
      <span className="dim">{t.note[vault.protection]}</span>
      <OwnerFields form={form} vault={vault} passphraseOnly />
      {command === 'rotateMaster' && (
        <Checkbox
          label={strings.changeMaster.fingerprints}
          description={strings.changeMaster.fingerprintsHelp}
          checked={form.values.renew_fingerprints}
          onChange={(event) => form.change({ renew_fingerprints: event.currentTarget.checked })}
          disabled={form.state === 'running'}
        />
      )}
      <JobProgress job="rotate master" what={t.running} />
    </DialogForm>
  )
}

const { recovery } = vaults
const kinds = ['keychain', 'passphrase'] as const
type ProtectionChangeKind = (typeof kinds)[number]

type ProtectionDraft = PassphraseInput & OwnerInput & { readonly kind: ProtectionChangeKind }

type ChangeProtectionProps = {
  readonly name: string
  readonly protection: ProtectionChangeKind
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

/** Changes the vault's protection: the keychain or a new passphrase. */
export function ChangeProtection({ name, protection, keychain, onClose }: ChangeProtectionProps) {
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
      <p className="help">{t.note}</p>
      <JobProgress job="rotate master" what={t.running} />
    </DialogForm>
  )
}
