import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { host } from '../../../parts/connection/vault.ts'
import { sentenceOf } from '../../../parts/messages/sentence.ts'
import { showRecoveryKey } from '../../../parts/vaults/new-recovery-key.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Caution, Failure } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.renew

/** Asks before the recovery key that somebody keeps opens the vault no more. */
export function RenewRecoveryKey({ onClose }: { onClose: () => void }) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  async function renew() {
    setBusy(true)
    setProblem(null)
    try {
      const { recovery_key } = await host.host.newRecoveryKey()
      showRecoveryKey(recovery_key, t.done)
      onClose()
    } catch (error) {
      setProblem(sentenceOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog onClose={onClose} title={t.dialog} size={440}>
      <Stack gap="sm">
        <Caution>{t.caution}</Caution>
        <span className="dim">{t.note}</span>
        {problem !== null && <Failure>{problem}</Failure>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {ui.cancel}
          </Button>
          <Button loading={busy} onClick={renew}>
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
