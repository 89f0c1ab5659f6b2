import type { HostStatus } from '../../../shared/host/status.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { palette } from './palette-store.ts'
import { strings } from './strings.ts'
import { VaultMenu } from './vault-menu.tsx'
import { ViewAsMenu } from './view-as-menu.tsx'

/** The bar above every screen: vault, listener, view-as menu, palette. */
export function Header({ status }: { status: HostStatus }) {
  return (
    <header className="bar">
      {status.vault && <VaultMenu vault={status.vault} vaults={status.vaults} />}
      <ListenerPill status={status} />
      <div className="bar-space" />
      <ViewAsMenu />
      <button type="button" className="bar-button bar-search" onClick={palette.open}>
        <Icon name="search" size={14} />
        <span className="visually-hidden">{strings.palette.button}</span>
        <Key of="mod+k" />
      </button>
    </header>
  )
}
