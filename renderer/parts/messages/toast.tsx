import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { strings as ui } from '../../ui/strings.ts'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { describeError } from './describe-error.ts'

type ToastOptions = {
  /** Reverts the action; adds an Undo button. */
  readonly undo?: () => Promise<unknown>
}

export function showToast(message: string, { undo }: ToastOptions = {}): void {
  let taken = false
  const id = notifications.show({
    autoClose: undo ? 8000 : 3500,
    withCloseButton: undo !== undefined,
    closeButtonProps: { 'aria-label': ui.close },
    message: undo ? (
      <Group component="span" justify="space-between" gap={12} wrap="nowrap">
        <MarkedText text={message} />
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={async () => {
            if (taken) return
            taken = true
            notifications.hide(id)
            try {
              await undo()
              showToast(ui.undone)
            } catch (error) {
              showFailureToast(error)
            }
          }}
        >
          {ui.undo}
        </Button>
      </Group>
    ) : (
      <MarkedText text={message} />
    ),
  })
}

/** Shows an error that has no other place on the screen. */
export function showFailureToast(error: unknown): void {
  const message = describeError(error)
  // The text is the id, so that the same message does not appear twice.
  notifications.show({
    id: message,
    message: <MarkedText text={message} />,
    color: 'red',
    autoClose: 8000,
    role: 'alert',
  })
}
