import './settings.css'
import type { HostStatus } from '../../../shared/host.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { strings } from '../../parts/strings.ts'
import { BackupsSection } from './backups-section.tsx'
import { BanksSection } from './directories/banks-section.tsx'
import { BinsSection } from './directories/bins-section.tsx'
import { FaultsSection } from './faults/faults-section.tsx'
import { KeysSection } from './keys/keys-section.tsx'
import { ListenerSection } from './listener-section.tsx'
import { TenantSection } from './tenant-section.tsx'
import { TransferSection } from './transfer/transfer-section.tsx'
import { VaultSection } from './vault-section.tsx'
import { WindowSection } from './window-section.tsx'

const t = strings.settings
type SectionName = keyof typeof t.sections
const sections = Object.keys(t.sections) as SectionName[]

/** Everything that can be chosen, a section at a time. */
export function Settings() {
  const { id } = useRoute()
  const status = useSession((session) => session.status)
  const current = sections.find((each) => each === id) ?? 'listener'
  if (!status) return null
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label={t.title}>
        <h1>{t.title}</h1>
        {sections.map((name) => (
          <a
            key={name}
            href={hrefOf('settings', name)}
            className="rail-link settings-link"
            aria-current={name === current ? 'page' : undefined}
          >
            {t.sections[name]}
          </a>
        ))}
      </nav>
      <div className="settings-body">
        <Current name={current} status={status} />
      </div>
    </div>
  )
}

function Current({ name, status }: { name: SectionName; status: HostStatus }) {
  switch (name) {
    case 'listener':
      return <ListenerSection status={status} />
    case 'window':
      return <WindowSection settings={status.settings} />
    case 'vaults':
      return <VaultSection status={status} />
    case 'keys':
      return <KeysSection status={status} />
    case 'backups':
      return <BackupsSection status={status} />
    case 'transfer':
      return status.vault && <TransferSection vault={status.vault} />
    case 'tenant':
      return <TenantSection />
    case 'banks':
      return <BanksSection />
    case 'bins':
      return <BinsSection />
    case 'faults':
      return <FaultsSection />
  }
}
