import type { HostStatus } from '../../../shared/host.ts'
import { latest } from '../connection/latest.ts'
import { useSession } from '../connection/session.ts'
import { vaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { toastFailure } from '../messages/toast.tsx'
import { go } from '../navigation/route.ts'
import { hrefOf } from '../navigation/route-text.ts'
import type { StepsState } from './steps.ts'

export const useFirstSteps = vaultStore<StepsState>(() => ({ steps: null, asked: false }))

const { setState } = useFirstSteps
const readings = latest()
/** The most vaults whose steps stay put away. */
const MOST = 100

/** Loads the steps. Throws the host's error. */
export async function loadFirstSteps(): Promise<void> {
  const isWanted = readings.begin()
  const steps = await host.host.firstSteps()
  if (isWanted()) setState({ steps })
}

/** Goes to the steps on Home, also after they were put away. */
export function showFirstSteps(): void {
  setState({ asked: true })
  go(hrefOf('home'))
}

/** Whether the steps of the open vault are put away. */
export function areStepsHidden({ vault, settings }: HostStatus): boolean {
  return vault !== null && settings.first_steps_hidden.includes(vault.tenant_id)
}

/** Puts the steps of the open vault away. */
export async function hideFirstSteps(): Promise<void> {
  setState({ asked: false })
  const { status } = useSession.getState()
  if (!status?.vault || areStepsHidden(status)) return
  const first_steps_hidden = [...status.settings.first_steps_hidden, status.vault.tenant_id].slice(-MOST)
  await host.host.updateSettings({ first_steps_hidden }).catch(toastFailure)
}
