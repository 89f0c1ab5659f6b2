import type { FirstSteps } from '../../../shared/schemas/first-steps.ts'

/** An older vault is no first look. */
const MAX_YOUNG_AGE_MS = 30 * 86_400_000

/** The steps in their order. */
const stepNames = ['token', 'application', 'proxied_call', 'webhook', 'backup'] as const
export type StepName = (typeof stepNames)[number]

export type StepsState = {
  /** Null until loaded. */
  readonly steps: FirstSteps | null
  /** Whether the owner asked for them, taken or not. */
  readonly isRequested: boolean
}

/** The steps that this vault has. */
export function listSteps(steps: FirstSteps): StepName[] {
  return stepNames.filter((name) => steps[name] !== null)
}

/** Whether Home shows the steps: in a young vault until they are all taken or put away, and whenever they are asked for. */
export function shouldShowSteps({ steps, isRequested }: StepsState, isHidden: boolean, now: number): boolean {
  if (steps === null) return false
  if (isRequested) return true
  const isYoung = now - Date.parse(steps.created_at) < MAX_YOUNG_AGE_MS
  return isYoung && !isHidden && listSteps(steps).some((name) => steps[name] === false)
}
