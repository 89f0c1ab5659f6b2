import { Checkbox } from '@mantine/core'
import { runJob } from '../../../parts/connection/jobs.ts'
import { host } from '../../../parts/connection/vault.ts'
import { DialogForm } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { OwnerProblem } from '../../../parts/vaults/confirm-owner.tsx'
import { JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { saveRecoveryKey } from '../../../parts/vaults/new-recovery-key.tsx'
import {
  type ConfirmedVault,
  emptyOwner,
  isOwnerEntered,
  OwnerFields,
  toOwnerCredential,
} from '../../../parts/vaults/owner-fields.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { strings } from './strings.ts'

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
