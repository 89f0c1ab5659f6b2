import { Button, Group, Stack } from '@mantine/core'
import { lockNow, useLockQuestion } from '../../parts/vaults/lock.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.vault

/** Asks before an in-memory vault is locked, because locking deletes it. */
export function LockMemory() {
  const { isOpen } = useLockQuestion()
  const closeQuestion = () => useLockQuestion.setState({ isOpen: false })
  if (!isOpen) return null
  return (
    <Dialog onClose={closeQuestion} title={t.lockMemory} size={400}>
      <Stack gap="sm">
        <span>{t.lockMemoryText}</span>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={closeQuestion} data-autofocus>
            {ui.cancel}
          </Button>
          <Button color="red" onClick={lockNow}>
            {t.lockMemoryAction}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
