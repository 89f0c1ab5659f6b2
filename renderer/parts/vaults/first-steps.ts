import type { HostStatus } from '../../../shared/host/status.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { useSession } from '../connection/session.ts'
import { createVaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { navigate } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import type { StepsState } from './steps.ts'

export const useFirstSteps = createVaultStore<StepsState>(() => ({ steps: null, isRequested: false }))

const { setState } = useFirstSteps
const readings = createRequestGuard()
/** The maximum number of vaults for which the settings remember that the steps are hidden. */
const MAX_HIDDEN_VAULTS = 100

export async function loadFirstSteps(): Promise<void> {
  const isCurrent = readings.start()
  const steps = await host.firstSteps()
  if (isCurrent()) setState({ steps })
}

/** Opens Home and shows the steps, even if they were hidden. */
export function showFirstSteps(): void {
  setState({ isRequested: true })
  navigate(toHref('home'))
}

export function areStepsHidden({ vault, settings }: HostStatus): boolean {
  return vault !== null && settings.first_steps_hidden.includes(vault.tenant_id)
}

export async function hideFirstSteps(): Promise<void> {
  setState({ isRequested: false })
  const { status } = useSession.getState()
  if (!status?.vault || areStepsHidden(status)) return
  const first_steps_hidden = [...status.settings.first_steps_hidden, status.vault.tenant_id].slice(
    -MAX_HIDDEN_VAULTS,
  )
  await host.updateSettings({ first_steps_hidden }).catch(showFailureToast)
}
