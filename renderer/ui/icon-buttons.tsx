import { ActionIcon, type ActionIconProps, Button, type ButtonProps, type ElementProps } from '@mantine/core'
import { Icon, type IconName } from './icon.tsx'

type ActionButtonProps = ButtonProps & ElementProps<'button', keyof ButtonProps> & { readonly icon: IconName }

/** A secondary button with an icon before its text. */
export function ActionButton({ icon, ...button }: ActionButtonProps) {
  const size = button.size === 'compact-xs' ? 12 : 14
  return <Button variant="default" leftSection={<Icon name={icon} size={size} />} {...button} />
}

type IconButtonProps = ActionIconProps &
  ElementProps<'button', keyof ActionIconProps> & { readonly icon: IconName; readonly label: string }

/** A button that shows only an icon. The label is its accessible name. */
export function IconButton({ icon, label, ...button }: IconButtonProps) {
  return (
    <ActionIcon aria-label={label} {...button}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  )
}
