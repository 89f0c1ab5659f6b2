import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core'
import { runJob } from '../../../parts/connection/jobs.ts'
import { host } from '../../../parts/connection/vault.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { toast } from '../../../parts/messages/toast.tsx'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { saveRecoveryKey } from '../../../parts/vaults/new-recovery-key.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

type Props = {
  readonly protection: 'keychain' | 'passphrase'
  /** Both give the vault a new master secret and a new recovery key; they differ in what the owner is after. */
  readonly command: 'rotateMaster' | 'newRecoveryKey'
  readonly onClose: () => void
}

/** A new recovery key under a new master secret. The key is saved before it counts. */
export function ChangeMaster({ protection, command, onClose }: Props) {
  const t = command === 'rotateMaster' ? strings.changeMaster : strings.renew
  const asks = protection === 'passphrase'
  const form = useForm({
    initial: { passphrase: '', renew_fingerprints: false },
    async send({ passphrase, renew_fingerprints }) {
      const own = asks ? { passphrase } : {}
      const { recovery_key } = await host.host.draftRecoveryKey(own)
      await saveRecoveryKey(recovery_key)
      await runJob('rotate master', () =>
        command === 'rotateMaster'
          ? host.host.rotateMaster({ ...own, recovery_key, renew_fingerprints })
          : host.host.newRecoveryKey({ ...own, recovery_key }),
      )
    },
    done() {
      onClose()
      toast(t.done)
    },
  })
  const busy = form.state === 'running'
  return (
    <Dialog
      onClose={onClose}
      title={t.dialog}
      size={440}
      withCloseButton={!busy}
      closeOnEscape={!busy}
      closeOnClickOutside={!busy}
    >
      <form onSubmit={form.submit}>
        <Stack gap="sm">
          <Caution>{t.caution}</Caution>
          <span className="dim">{t.note[protection]}</span>
          {asks && (
            <PasswordInput
              label={t.passphrase}
              {...form.text('passphrase')}
              autoComplete="current-password"
              disabled={busy}
              data-autofocus
            />
          )}
          {command === 'rotateMaster' && (
            <Checkbox
              label={strings.changeMaster.fingerprints}
              description={strings.changeMaster.fingerprintsHelp}
              checked={form.values.renew_fingerprints}
              onChange={(event) => form.change({ renew_fingerprints: event.currentTarget.checked })}
              disabled={busy}
            />
          )}
          <JobProgress job="rotate master" what={t.running} />
          <JobProblem error={form.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy} data-autofocus={!asks || undefined}>
              {ui.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={asks && form.values.passphrase === ''}>
              {t.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
