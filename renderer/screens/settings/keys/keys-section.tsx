import { Group } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { runJob, useJob } from '../../../parts/connection/jobs.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host } from '../../../parts/connection/vault.ts'
import { useAction } from '../../../parts/forms/use-action.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { navigate, useRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { startFirstRun } from '../../../parts/vaults/first-run-store.ts'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { strings as vaults } from '../../../parts/vaults/strings.ts'
import { Caution } from '../../../ui/failure.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { Section } from '../fields.tsx'
import styles from '../settings.module.css'
import { ChangeMaster, ChangeProtection } from './change-master.tsx'
import { strings as t } from './strings.ts'

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
          <ActionButton label={vaults.newVault} onClick={startFirstRun} />
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

/** Re-encrypts every token under a new data key; resumes an interrupted rotation. */
function RotateDataKey() {
  const running = useJob('rotate data key') !== undefined
  const { runAction, problem } = useAction()
  const use = useLoaded(() => host.dataKey())
  const rotateDataKey = () =>
    runAction(async () => {
      await runJob('rotate data key', () => host.rotateDataKey())
      showToast(t.data.done)
      await use.load()
    })
  return (
    <KeyAction
      title={t.data.title}
      text={t.data.text}
      action={t.data.action}
      busy={running}
      onAct={rotateDataKey}
    >
      {use.value?.is_due && <Caution>{t.data.due}</Caution>}
      {use.value && <span className="faint">{t.data.seals(use.value.seals)}</span>}
      <JobProgress job="rotate data key" what={t.data.running} />
      <JobProblem error={problem} />
    </KeyAction>
  )
}

type Props = {
  readonly title: string
  /** The effect, and when to use it. */
  readonly text: string
  readonly action: string
  readonly busy?: boolean
  readonly onAct: () => void
  readonly children?: ReactNode
}

function KeyAction({ title, text, action, busy = false, onAct, children }: Props) {
  return (
    <li className={styles.keyAction}>
      <div>
        <h3>{title}</h3>
        <p className="help">{text}</p>
      </div>
      <ActionButton label={action} onClick={onAct} disabled={busy} />
      {children}
    </li>
  )
}
