import type { HostStatus } from '../../../shared/host/status.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import styles from './frame.module.css'
import { palette } from './palette-store.ts'
import { strings } from './strings.ts'
import { VaultMenu } from './vault-menu.tsx'
import { ViewAsMenu } from './view-as-menu.tsx'

/** The bar above every screen: vault, listener, view-as menu, palette. */
export function Header({ status }: { status: HostStatus }) {
  return (
    <header className={styles.bar}>
      {status.vault && <VaultMenu vault={status.vault} vaults={status.vaults} />}
      <ListenerPill status={status} />
      <div className={styles.barSpace} />
      <ViewAsMenu />
      <button type="button" className={`${styles.barButton} ${styles.barSearch}`} onClick={palette.open}>
        <Icon name="search" size={14} />
        <span className="visually-hidden">{strings.palette.button}</span>
        <Key of="mod+k" />
      </button>
    </header>
  )
}
