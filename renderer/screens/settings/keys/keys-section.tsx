import { Button, Group } from '@mantine/core'
import type { HostStatus } from '../../../../shared/host.ts'
import { go, leaveFor, useRoute } from '../../../parts/navigation/route.ts'
import { hrefOf } from '../../../parts/navigation/route-text.ts'
import { beginFirstRun } from '../../../parts/vaults/first-run-store.ts'
import { strings as vaults } from '../../../parts/vaults/strings.ts'
import { Section } from '../section.tsx'
import { ChangeMaster } from './change-master.tsx'
import { ChangeProtection } from './change-protection.tsx'
import { KeyAction } from './key-action.tsx'
import { RotateDataKey } from './rotate-data-key.tsx'
import { strings } from './strings.ts'

const t = strings
const here = hrefOf('settings', 'keys')
/** Opens the dialog of this name, which the address holds, so that the palette leads to it too. */
const ask = (name: 'protection' | 'recovery' | 'master') => go(hrefOf('settings', 'keys', { ask: name }))
const close = () => leaveFor(here)

/** What opens the vault, and the keys that encrypt it. */
export function KeysSection({ status }: { status: HostStatus }) {
  const asking = useRoute().query.ask
  const { vault } = status
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
          onAct={() => ask('protection')}
        />
        <KeyAction {...t.recovery} onAct={() => ask('recovery')} />
        <RotateDataKey />
        <KeyAction {...t.master} onAct={() => ask('master')} />
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
        <ChangeMaster command="newRecoveryKey" protection={protection} onClose={close} />
      )}
      {asking === 'master' && <ChangeMaster command="rotateMaster" protection={protection} onClose={close} />}
    </Section>
  )
}
