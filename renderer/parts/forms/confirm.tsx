import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Problem } from '../messages/problem.tsx'
import { useAction } from './use-action.ts'

type Props = {
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks the owner before something that cannot be undone, but is easily made again. */
export function Confirm({ title, children, action, onConfirm, onClose }: Props) {
  const { runAction, problem, state } = useAction()
  return (
    <Dialog onClose={onClose} title={title} size={420}>
      <Stack gap="sm">
        <Text size="sm" component="div">
          {children}
        </Text>
        <Problem of={problem} />
        <DialogButtons
          color="red"
          action={action}
          loading={state === 'running'}
          onAction={() =>
            runAction(async () => {
              await onConfirm()
              onClose()
            })
          }
          onCancel={onClose}
        />
      </Stack>
    </Dialog>
  )
}
