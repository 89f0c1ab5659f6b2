import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useState } from 'react'
import { runJob, useJob } from '../../../parts/connection/jobs.ts'
import { host } from '../../../parts/connection/vault.ts'
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
  const [passphrase, setPassphrase] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const busy = useJob('rotate master') !== undefined
  const asks = protection === 'passphrase'
  async function change() {
    setProblem(null)
    try {
      const { recovery_key } = await runJob('rotate master', () =>
        host.host.rotateMaster(asks ? { passphrase } : {}),
      )
      showRecoveryKey(recovery_key, t.done)
      onClose()
    } catch (error) {
      setProblem(error)
    }
  }
  return (
    <Dialog
      onClose={onClose}
      title={t.dialog}
      size={440}
      withCloseButton={!busy}
      closeOnEscape={!busy}
      closeOnClickOutside={!busy}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          change()
        }}
      >
        <Stack gap="sm">
          <Caution>{t.caution}</Caution>
          <span className="dim">{t.note[protection]}</span>
          {asks && (
            <PasswordInput
              label={t.passphrase}
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
              autoComplete="current-password"
              disabled={busy}
              data-autofocus
            />
          )}
          <JobProgress job="rotate master" what={t.running} />
          <JobProblem error={problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy} data-autofocus={!asks || undefined}>
              {ui.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={asks && passphrase === ''}>
              {t.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
