import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core'
import { runJob, useJob } from '../../../parts/connection/jobs.ts'
import { host } from '../../../parts/connection/vault.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { showRecoveryKey } from '../../../parts/vaults/new-recovery-key.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.changeMaster
type Props = { readonly protection: 'keychain' | 'passphrase'; readonly onClose: () => void }

/** A new master secret, and with it a new recovery key. */
export function ChangeMaster({ protection, onClose }: Props) {
  const asks = protection === 'passphrase'
  const form = useForm({
    initial: { passphrase: '', renew_fingerprints: false },
    send: ({ passphrase, renew_fingerprints }) =>
      runJob('rotate master', () =>
        host.host.rotateMaster({ renew_fingerprints, ...(asks && { passphrase }) }),
      ),
    done({ recovery_key }) {
      showRecoveryKey(recovery_key, t.done)
      onClose()
    },
  })
  const busy = useJob('rotate master') !== undefined
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
          <Checkbox
            label={t.fingerprints}
            description={t.fingerprintsHelp}
            checked={form.values.renew_fingerprints}
            onChange={(event) => form.change({ renew_fingerprints: event.currentTarget.checked })}
            disabled={busy}
          />
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
