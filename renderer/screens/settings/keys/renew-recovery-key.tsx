import { Button, Group, Stack } from '@mantine/core'
import { host } from '../../../parts/connection/vault.ts'
import { useAct } from '../../../parts/forms/use-act.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { showRecoveryKey } from '../../../parts/vaults/new-recovery-key.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.renew

/** Asks before a new recovery key replaces the current one. */
export function RenewRecoveryKey({ onClose }: { onClose: () => void }) {
  const { act, problem, state } = useAct()
  const renew = () =>
    act(async () => {
      const { recovery_key } = await host.host.newRecoveryKey()
      showRecoveryKey(recovery_key, t.done)
      onClose()
    })
  return (
    <Dialog onClose={onClose} title={t.dialog} size={440}>
      <Stack gap="sm">
        <Caution>{t.caution}</Caution>
        <span className="dim">{t.note}</span>
        <Problem of={problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {ui.cancel}
          </Button>
          <Button loading={state === 'running'} onClick={renew}>
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
