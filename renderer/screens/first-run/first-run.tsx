import { Group } from '@mantine/core'
import type { HostStatus } from '../../../shared/host/status.ts'
import { confirmRecoveryKey, type FirstRunStep, useFirstRun } from '../../parts/vaults/first-run-store.ts'
import { RecoveryKey } from '../../parts/vaults/recovery-key.tsx'
import { StartLayout } from '../../parts/vaults/start-layout.tsx'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { Logo } from '../../ui/logo.tsx'
import { CreateVault } from './create-vault.tsx'
import { FirstRequest } from './first-request.tsx'
import styles from './first-run.module.css'
import { strings as t } from './strings.ts'

const steps: readonly FirstRunStep[] = ['create', 'recovery', 'request']

/** Guides a new owner to the first token: vault, recovery key, first request. */
export function FirstRun({ status, step }: { status: HostStatus; step: FirstRunStep }) {
  const at = steps.indexOf(step)
  const { name, recovery_key } = useFirstRun()
  return (
    <StartLayout
      notices={status.notices}
      head={
        <Group component="header" gap={14} w="100%" maw={560} mt="4vh" mb={14} wrap="nowrap">
          <Logo size={26} />
          <ol className={styles.steps}>
            {t.steps.map((each, index) => (
              <li key={each} aria-current={index === at ? 'step' : undefined}>
                {each}
              </li>
            ))}
          </ol>
        </Group>
      }
    >
      {step === 'create' && <CreateVault status={status} />}
      {step === 'recovery' && recovery_key !== null && (
        <>
          <h1>{vaultWords.recovery.title}</h1>
          <RecoveryKey name={name} recovery_key={recovery_key} onSaved={confirmRecoveryKey} />
        </>
      )}
      {step === 'request' && <FirstRequest status={status} />}
    </StartLayout>
  )
}
