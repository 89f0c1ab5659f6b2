import {
  ActionIcon,
  type ActionIconProps,
  Button,
  type ButtonProps,
  type ElementProps,
  Tooltip,
} from '@mantine/core'
import { Icon, type IconName } from './icon.tsx'
import { Key } from './keys/keys.tsx'

type ActionButtonProps = Omit<ButtonProps, 'children'> &
  ElementProps<'button', keyof ButtonProps> & {
    readonly label: string
    readonly icon?: IconName
    /** The key that does the same, shown after the label. */
    readonly shortcut?: string | undefined
  }

/** A secondary button, with an icon before its label if there is one. */
export function ActionButton({ label, icon, shortcut, ...button }: ActionButtonProps) {
  const size = button.size === 'compact-xs' ? 12 : 14
  return (
    <Button variant="default" leftSection={icon && <Icon name={icon} size={size} />} {...button}>
      {label}
      {shortcut !== undefined && (
        <>
          {' '}
          <Key of={shortcut} />
        </>
      )}
    </Button>
  )
}

type IconButtonProps = ActionIconProps &
  ElementProps<'button', keyof ActionIconProps> & {
    readonly icon: IconName
    readonly label: string
    readonly hasTooltip?: boolean
  }

/** A button that shows only an icon. The label is its accessible name. */
export function IconButton({ icon, label, hasTooltip = false, ...button }: IconButtonProps) {
  return (
    <Tooltip label={label} disabled={!hasTooltip}>
      <ActionIcon aria-label={label} {...button}>
        <Icon name={icon} size={14} />
      </ActionIcon>
    </Tooltip>
  )
}
