import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../../shared/host.ts'
import { beginFirstRun } from '../../../parts/vaults/first-run-store.ts'
import { strings as vaults } from '../../../parts/vaults/strings.ts'
import { Section } from '../section.tsx'
import { ChangeMaster } from './change-master.tsx'
import { ChangeProtection } from './change-protection.tsx'
import { KeyAction } from './key-action.tsx'
import { RotateDataKey } from './rotate-data-key.tsx'
import { strings } from './strings.ts'

const t = strings
type Asking = 'protection' | 'recovery' | 'master'

/** What opens the vault, and the keys that encrypt it. */
export function KeysSection({ status }: { status: HostStatus }) {
  const [asking, setAsking] = useState<Asking | null>(null)
  const { vault } = status
  const close = () => setAsking(null)
  if (!vault) return null
  const { protection } = vault
  if (protection === 'memory') {
    return (
      <Section name="keys" text={t.memory}>
        <Group>
          <Button variant="default" onClick={beginFirstRun}>
            {vaults.newVault}
          </Button>
        </Group>
      </Section>
    )
  }
  return (
    <Section name="keys" text={t.text}>
      <ul className="key-actions">
        <KeyAction
          title={t.protection.title(protection)}
          text={t.protection.text[protection]}
          action={t.protection.action}
          onAct={() => setAsking('protection')}
        />
        <KeyAction {...t.recovery} onAct={() => setAsking('recovery')} />
        <RotateDataKey />
        <KeyAction {...t.master} onAct={() => setAsking('master')} />
      </ul>
      {asking === 'protection' && (
        <ChangeProtection
          name={vault.name}
          protection={protection}
          keychain={status.keychain}
          onClose={close}
        />
      )}
      {asking === 'recovery' && (
        <ChangeMaster command="newRecoveryKey" vault={{ name: vault.name, protection }} onClose={close} />
      )}
      {asking === 'master' && (
        <ChangeMaster command="rotateMaster" vault={{ name: vault.name, protection }} onClose={close} />
      )}
    </Section>
  )
}
