import { Menu } from '@mantine/core'
import type { Ref } from 'react'
import { Icon, type IconName } from '../icon.tsx'
import { Key } from '../keys/keys.tsx'
import gridStyles from './grid.module.css'

/** An action on a row, offered in its menu. */
export type GridAction = {
  readonly label: string
  readonly icon: IconName
  readonly keys?: string
  readonly danger?: true
  readonly disabledReason?: string | undefined
  /** Actions to choose from, in a submenu. */
  readonly items?: readonly GridAction[]
  readonly run: () => void
}

/** The position of an open menu, the index of its row, and the column that was clicked. */
export type MenuPosition = {
  readonly x: number
  readonly y: number
  readonly index: number
  readonly column?: string | undefined
}

type Props = {
  readonly place: MenuPosition
  readonly label: string
  readonly actions: readonly GridAction[]
  readonly onClose: () => void
}

/** The context menu of a row, at the point of the click. */
export function GridMenu({ place: { x, y }, label, actions, onClose }: Props) {
  return (
    <Menu
      opened
      onChange={(opened) => !opened && onClose()}
      position="bottom-start"
      width={260}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <MenuAnchor x={x} y={y} />
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>
        {actions.map((action) => (
          <GridMenuItem key={action.label} action={action} onClose={onClose} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function GridMenuItem({ action, onClose }: { action: GridAction; onClose: () => void }) {
  const { label, icon, keys, danger, disabledReason, items, run } = action
  if (items) {
    return (
      <Menu.Sub position="right-start" transitionProps={{ duration: 0 }}>
        <Menu.Sub.Target>
          <Menu.Sub.Item leftSection={<Icon name={icon} size={14} />}>{label}</Menu.Sub.Item>
        </Menu.Sub.Target>
        <Menu.Sub.Dropdown maw={420}>
          {items.map((item) => (
            <GridMenuItem key={item.label} action={item} onClose={onClose} />
          ))}
        </Menu.Sub.Dropdown>
      </Menu.Sub>
    )
  }
  return (
    <Menu.Item
      leftSection={<Icon name={icon} size={14} />}
      rightSection={keys !== undefined && <Key of={keys} />}
      {...(danger && { className: gridStyles.menuDanger })}
      disabled={disabledReason !== undefined}
      onClick={() => {
        onClose()
        run()
      }}
    >
      {label}
      {disabledReason !== undefined && <span className={gridStyles.menuWhy}>{disabledReason}</span>}
    </Menu.Item>
  )
}

type MenuAnchorProps = {
  readonly x: number
  readonly y: number
  readonly id?: string
  readonly ref?: Ref<HTMLSpanElement>
}

/**
 * An invisible anchor for the menu. Leaves out the button attributes that Mantine passes, because the anchor
 * is not a button.
 */
function MenuAnchor({ x, y, id, ref }: MenuAnchorProps) {
  return <span ref={ref} id={id} className={gridStyles.menuPlace} style={{ left: x, top: y }} />
}
