import { Menu } from '@mantine/core'
import type { HostStatus } from '../../../shared/host/status.ts'
import { clockMoves, moveClock } from '../../parts/vaults/move-clock.ts'
import { Icon } from '../../ui/icon.tsx'
import { useClock } from '../../ui/time/clock.ts'
import { formatExactTime, formatLead } from '../../ui/time/relative-time.ts'
import styles from './frame.module.css'
import { strings } from './strings.ts'

const t = strings.clock

/** The clock of an in-memory vault: how far it was moved, and the menu that moves it. */
export function ClockMenu({ clock_moved_ms: moved }: NonNullable<HostStatus['vault']>) {
  return (
    <Menu position="bottom-start" width={310}>
      <Menu.Target>
        <button
          type="button"
          className={moved === undefined ? styles.barButton : `${styles.barButton} ${styles.clockMoved}`}
          {...(moved === undefined && { title: t.menu, 'aria-label': t.menu })}
        >
          <Icon name="clock" size={14} />
          {moved !== undefined && <span>{t.moved(formatLead(moved))}</span>}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <VaultTime />
        </Menu.Label>
        {(['hour', 'day', 'expiry'] as const).map((name) => (
          <Menu.Item
            key={name}
            closeMenuOnClick={name === 'expiry'}
            onClick={() => moveClock(clockMoves[name])}
          >
            {clockMoves[name].label}
          </Menu.Item>
        ))}
        {moved !== undefined && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => moveClock(clockMoves.back)}>
              {clockMoves.back.label}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function VaultTime() {
  return <>{t.now(useClock(formatExactTime))}</>
}
