import type { FirstSteps } from '../../../shared/schemas/first-steps.ts'

/** Vaults older than this do not show the steps by default. */
const MAX_YOUNG_AGE_MS = 30 * 86_400_000

const stepNames = ['token', 'application', 'proxied_call', 'webhook', 'backup'] as const
export type StepName = (typeof stepNames)[number]

export type StepsState = {
  readonly steps: FirstSteps | null
  /** Whether the owner has asked to see the steps, even if all of them are done. */
  readonly isRequested: boolean
}

export function listSteps(steps: FirstSteps): StepName[] {
  return stepNames.filter((name) => steps[name] !== null)
}

/**
 * Whether Home shows the steps: in a young vault until all are done or hidden, and whenever the owner asks for them.
 */
export function shouldShowSteps({ steps, isRequested }: StepsState, isHidden: boolean, now: number): boolean {
  if (steps === null) return false
  if (isRequested) return true
  const isYoung = now - Date.parse(steps.created_at) < MAX_YOUNG_AGE_MS
  return isYoung && !isHidden && listSteps(steps).some((name) => steps[name] === false)
}
