import type { ReactNode } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import navLinkStyles from '../../ui/nav-link.module.css'
import { BackupsSection } from './backups-section.tsx'
import { DestinationsSection } from './destinations/destinations-section.tsx'
import { BanksSection } from './directories/banks-section.tsx'
import { BinsSection } from './directories/bins-section.tsx'
import { FaultsSection } from './faults/faults-section.tsx'
import { KeysSection } from './keys/keys-section.tsx'
import { ListenerSection } from './listener-section.tsx'
import { MembersSection } from './members-section.tsx'
import { ReactorsSection } from './reactors-section.tsx'
import { type SectionName, sectionNames, sections } from './sections.ts'
import styles from './settings.module.css'
import { strings } from './strings.ts'
import { TenantSection } from './tenant-section.tsx'
import { TransferSection } from './transfer/transfer-section.tsx'
import { VaultSection } from './vault-section.tsx'
import { WindowSection } from './window-section.tsx'

const t = strings

const sectionViews: Readonly<Record<SectionName, (status: HostStatus) => ReactNode>> = {
  listener: (status) => <ListenerSection status={status} />,
  destinations: (status) => <DestinationsSection status={status} />,
  reactors: ({ settings }) => <ReactorsSection settings={settings} />,
  window: ({ settings }) => <WindowSection settings={settings} />,
  vaults: (status) => <VaultSection status={status} />,
  keys: (status) => <KeysSection status={status} />,
  backups: (status) => <BackupsSection status={status} />,
  transfer: ({ vault }) => vault && <TransferSection vault={vault} />,
  tenant: () => <TenantSection />,
  members: () => <MembersSection />,
  banks: () => <BanksSection />,
  bins: () => <BinsSection />,
  faults: (status) => <FaultsSection status={status} />,
}

/** All settings, one section at a time. */
export function Settings() {
  const { id } = useRoute()
  const status = useSession((session) => session.status)
  const current = sectionNames.find((each) => each === id) ?? 'listener'
  if (!status) return null
  return (
    <div className={styles.root}>
      <nav className={styles.nav} aria-label={t.title}>
        <h1>{t.title}</h1>
        {sectionNames.map((name) => (
          <a
            key={name}
            href={toHref('settings', name)}
            className={`${navLinkStyles.root} ${styles.link}`}
            aria-current={name === current ? 'page' : undefined}
          >
            {sections[name]}
          </a>
        ))}
      </nav>
      <div className={styles.body}>{sectionViews[current](status)}</div>
    </div>
  )
}
