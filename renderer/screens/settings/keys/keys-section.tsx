import { Button, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { navigate, useRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { startFirstRun } from '../../../parts/vaults/first-run-store.ts'
import { strings as vaults } from '../../../parts/vaults/strings.ts'
import { Section } from '../section.tsx'
import { ChangeMaster } from './change-master.tsx'
import { ChangeProtection } from './change-protection.tsx'
import { KeyAction } from './key-action.tsx'
import { RotateDataKey } from './rotate-data-key.tsx'
import { strings } from './strings.ts'

const t = strings
const dialogs = ['protection', 'recovery', 'master'] as const
type Asking = (typeof dialogs)[number]

/** The vault's protection, and its encryption keys. */
export function KeysSection({ status }: { status: HostStatus }) {
  const [asking, setAsking] = useState<Asking | null>(null)
  const { ask } = useRoute().query
  useEffect(() => {
    // The palette opens a dialog through the route's query. The query is then cleared, so that a reload does
    // not open the dialog again.
    const requested = dialogs.find((each) => each === ask)
    if (!requested) return
    setAsking(requested)
    navigate(toHref('settings', 'keys'), { replace: true })
  }, [ask])
  const { vault } = status
  const closeDialog = () => setAsking(null)
  if (!vault) return null
  const { protection } = vault
  if (protection === 'memory') {
    return (
      <Section name="keys" text={t.memory}>
        <Group>
          <Button variant="default" onClick={startFirstRun}>
            {vaults.newVault}
          </Button>
        </Group>
      </Section>
    )
  }
  return (
    <Section name="keys" text={t.text}>
      <ul>
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
          onClose={closeDialog}
        />
      )}
      {asking === 'recovery' && (
        <ChangeMaster
          command="newRecoveryKey"
          vault={{ name: vault.name, protection }}
          onClose={closeDialog}
        />
      )}
      {asking === 'master' && (
        <ChangeMaster command="rotateMaster" vault={{ name: vault.name, protection }} onClose={closeDialog} />
      )}
    </Section>
  )
}
