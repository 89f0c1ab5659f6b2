import { Menu } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import { goTo } from '../../parts/navigation/route.ts'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { startFirstRun } from '../../parts/vaults/first-run-store.ts'
import { showFirstSteps } from '../../parts/vaults/first-steps.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { Icon } from '../../ui/icon.tsx'
import { createLazy, LazyView } from '../../ui/lazy-view.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import styles from './frame.module.css'
import { strings } from './strings.ts'

const openVault = createLazy(async () => (await import('../../parts/vaults/open-vault.tsx')).OpenVault)
const t = strings.vault
/** The maximum number of vaults in the menu; Settings lists all of them. */
const MAX_LISTED_VAULTS = 6

type Props = { readonly vault: NonNullable<HostStatus['vault']>; readonly vaults: readonly VaultSummary[] }

export function VaultMenu({ vault, vaults }: Props) {
  const [opening, setOpening] = useState<VaultSummary | null>(null)
  const isInMemory = vault.protection === 'memory'
  const otherVaults = vaults.filter(({ name, problem }) => (isInMemory || name !== vault.name) && !problem)
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <button type="button" className={styles.barButton} aria-label={t.open(vault.name)}>
            <strong className="clip">
              <MarkedText text={vault.name} />
            </strong>
            <Icon name="down" size={14} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t[vault.protection]}</Menu.Label>
          <Menu.Item leftSection={<Icon name="sliders" />} onClick={goTo('settings', 'vaults')}>
            {t.settings}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="check" />} onClick={showFirstSteps}>
            {t.steps}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="lock" />} onClick={lockVault}>
            {vaultWords.lock}
          </Menu.Item>
          <Menu.Divider />
          {otherVaults.length > 0 && <Menu.Label>{t.others}</Menu.Label>}
          {otherVaults.slice(0, MAX_LISTED_VAULTS).map((each) => (
            <Menu.Item
              key={each.name}
              leftSection={<Icon name="switch" />}
              onClick={() => confirmLeave(() => setOpening(each))}
            >
              <MarkedText text={each.name} />
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<Icon name="plus" />} onClick={startFirstRun}>
            {t.create}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opening && (
        <LazyView
          of={openVault}
          props={{ vault: opening, instead: vault, onClose: () => setOpening(null) }}
        />
      )}
    </>
  )
}
