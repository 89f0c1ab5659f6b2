import { Menu } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus, VaultSummary } from '../../../shared/host.ts'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { beginFirstRun } from '../../parts/vaults/first-run-store.ts'
import { showFirstSteps } from '../../parts/vaults/first-steps.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { Icon } from '../../ui/icon.tsx'
import { Later, later } from '../../ui/later.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { strings } from './strings.ts'

const openVault = later(async () => (await import('../../parts/vaults/open-vault.tsx')).OpenVault)
const t = strings.vault
/** The most vaults listed here; Settings lists them all. */
const SHOWN = 6

type Props = { readonly vault: NonNullable<HostStatus['vault']>; readonly vaults: readonly VaultSummary[] }

/** The open vault, how it is protected, and other vaults to open. */
export function VaultMenu({ vault, vaults }: Props) {
  const [opening, setOpening] = useState<VaultSummary | null>(null)
  const memory = vault.protection === 'memory'
  const others = vaults.filter(({ name, problem }) => (memory || name !== vault.name) && !problem)
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <button type="button" className="bar-button" aria-label={t.open(vault.name)}>
            <strong className="clip">
              <MarkedText text={vault.name} />
            </strong>
            <Icon name="down" size={14} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t[vault.protection]}</Menu.Label>
          <Menu.Item leftSection={<Icon name="sliders" />} onClick={() => go(hrefOf('settings', 'vaults'))}>
            {t.settings}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="check" />} onClick={showFirstSteps}>
            {t.steps}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="lock" />} onClick={lockVault}>
            {vaultWords.lock}
          </Menu.Item>
          <Menu.Divider />
          {others.length > 0 && <Menu.Label>{t.others}</Menu.Label>}
          {others.slice(0, SHOWN).map((each) => (
            <Menu.Item
              key={each.name}
              leftSection={<Icon name="switch" />}
              onClick={() => leaving(() => setOpening(each))}
            >
              <MarkedText text={each.name} />
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<Icon name="plus" />} onClick={beginFirstRun}>
            {t.create}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opening && (
        <Later of={openVault} props={{ vault: opening, instead: vault, onClose: () => setOpening(null) }} />
      )}
    </>
  )
}
