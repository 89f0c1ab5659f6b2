import { Button, type ButtonProps, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { ActionButton } from './icon-buttons.tsx'
import { saveKey } from './keys/save-key.ts'
import { strings } from './strings.ts'

type Props = Pick<ButtonProps, 'color' | 'disabled' | 'loading'> & {
  readonly action: string
  /** Runs the action. Without it, the button submits the form around it. */
  readonly onAction?: () => void
  readonly onCancel: () => void
  /** Disables Cancel too. */
  readonly isLocked?: boolean
  /** Further buttons, before these two. */
  readonly children?: ReactNode
}

/** The buttons at the end of a dialog: Cancel, and the action. */
export function DialogButtons({ action, onAction, onCancel, isLocked = false, children, ...button }: Props) {
  return (
    <Group justify="flex-end" gap="xs">
      {children}
      <ActionButton label={strings.cancel} onClick={onCancel} disabled={isLocked} />
      <Button
        type={onAction ? 'button' : 'submit'}
        onClick={onAction}
        {...(!onAction && !button.color && saveKey)}
        {...button}
      >
        {action}
      </Button>
    </Group>
  )
}
