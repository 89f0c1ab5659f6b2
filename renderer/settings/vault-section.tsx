import { Button, Group } from '@mantine/core'
import type { HostStatus } from '../../shared/host.ts'
import { lockVault } from '../frame/lock.ts'
import { strings } from '../strings.ts'
import { Chip } from '../ui/chip.tsx'
import { Caution, Failure } from '../ui/failure.tsx'
import { Icon } from '../ui/icon.tsx'
import { Fact, Facts } from '../ui/panel.tsx'
import { Time } from '../ui/time.tsx'
import { Section } from './section.tsx'

const t = strings.settings.vault

/** The open vault, and the others of this machine. */
export function VaultSection({ status }: { status: HostStatus }) {
  const { vault, vaults } = status
  return (
    <Section title={strings.settings.sections.vaults}>
      {status.notices.map((notice) => (
        <Caution key={notice}>{notice}</Caution>
      ))}
      <Facts>
        {vault && <Fact name={t.name}>{vault.name}</Fact>}
        {vault && <Fact name={t.protection}>{t.protections[vault.protection]}</Fact>}
        <Fact name={t.folder}>
          <span className="mono">{status.data_dir}</span>
        </Fact>
        <Fact name={t.version}>{status.version}</Fact>
      </Facts>
      <div>
        <div className="field-label">{t.others}</div>
        {vaults.length === 0 && <span className="faint">{t.none}</span>}
        <ul className="vault-list">
          {vaults.map(({ name, created_at, problem }) => (
            <li key={name}>
              <Icon name="database" size={14} />
              <span>{name}</span>
              {name === vault?.name && <Chip tone="green">{t.open}</Chip>}
              {created_at !== undefined && (
                <span className="faint">
                  {t.created} <Time at={created_at} />
                </span>
              )}
              {problem !== undefined && <Failure>{problem}</Failure>}
            </li>
          ))}
        </ul>
      </div>
      <Group>
        <Button variant="default" leftSection={<Icon name="switch" size={14} />} onClick={lockVault}>
          {t.lock}
        </Button>
      </Group>
    </Section>
  )
}
