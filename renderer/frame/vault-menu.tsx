import { Menu } from '@mantine/core'
import type { HostStatus } from '../../shared/host.ts'
import { go } from '../route.ts'
import { hrefOf } from '../route-text.ts'
import { strings } from '../strings.ts'
import { Icon } from '../ui/icon.tsx'
import { lockVault } from './lock.ts'

const t = strings.frame.vault

/** Which vault is open, how it is protected, and the way to another. */
export function VaultMenu({ vault }: { vault: NonNullable<HostStatus['vault']> }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className="bar-button" aria-label={t.open(vault.name)}>
          <strong className="clip">{vault.name}</strong>
          <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t[vault.protection]}</Menu.Label>
        <Menu.Item leftSection={<Icon name="sliders" />} onClick={() => go(hrefOf('settings', 'vaults'))}>
          {t.settings}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="switch" />} onClick={lockVault}>
          {t.other}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="lock" />} onClick={lockVault}>
          {t.lock}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
