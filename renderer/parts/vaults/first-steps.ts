import type { FirstSteps, HostStatus } from '../../../shared/host.ts'
import { latest } from '../connection/latest.ts'
import { useSession } from '../connection/session.ts'
import { vaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { toastFailure } from '../messages/toast.tsx'
import { go } from '../navigation/route.ts'
import { hrefOf } from '../navigation/route-text.ts'

type State = {
  /** Null until loaded. */
  readonly steps: FirstSteps | null
  /** Whether the owner asked for them, taken or not. */
  readonly asked: boolean
}

export const useFirstSteps = vaultStore<State>(() => ({ steps: null, asked: false }))

const { setState } = useFirstSteps
const readings = latest()
/** An older vault is no first look. */
const YOUNG_MS = 30 * 86_400_000
/** The most vaults whose steps stay put away. */
const MOST = 100

/** The steps in their order. */
export const stepNames = ['token', 'application', 'proxied_call', 'webhook', 'backup'] as const
export type StepName = (typeof stepNames)[number]

/** The steps that this vault has. */
export function stepsOf(steps: FirstSteps): StepName[] {
  return stepNames.filter((name) => steps[name] !== null)
}

/** Whether Home shows the steps: in a young vault until they are all taken or put away, and whenever they are asked for. */
export function showsSteps({ steps, asked }: State, isHidden: boolean, now: number): boolean {
  if (steps === null) return false
  if (asked) return true
  const isYoung = now - Date.parse(steps.created_at) < YOUNG_MS
  return isYoung && !isHidden && stepsOf(steps).some((name) => steps[name] === false)
}

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
