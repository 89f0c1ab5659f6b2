import type { AuthenticationStatus } from '../../../shared/schemas/three-ds.ts'
import type { Authenticated, ThreeDsContent } from './content.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/** Why an authentication has its status, with the code that EMVCo gives it. */
type Reason = readonly [name: string, code: string]

/** What an authentication has come to. */
export type AuthenticationOutcome = {
  readonly status: AuthenticationStatus
  readonly reason: Reason | null
  /** The challenge the cardholder has, or had; null without one. */
  readonly challenge: 'static' | 'out-of-band' | 'decoupled' | null
  /** What the directory said first. */
  readonly directory: AuthenticationStatus
}

const reasons: Partial<Record<AuthenticationStatus, Reason>> = {
  failed: ['card-authentication-failed', '01'],
  unavailable: ['acs-technical-issue', '22'],
  rejected: ['suspected-fraud', '11'],
}

/** What a session that was authenticated has come to by now (rule S-01). Never throws. */
export function computeOutcome(
  { type, scenario: name }: ThreeDsContent,
  done: Authenticated,
  now: number,
): AuthenticationOutcome {
  const scenario: Scenario = scenarios[name]
  const { decoupled } = done
  if (scenario.challenge === null) {
    const { outcome } = scenario
    return { status: outcome, reason: findReason(outcome), challenge: null, directory: outcome }
  }
  if (type === 'merchant' && !decoupled.asked) {
    // Nobody is there to be challenged.
    const reason = ['decoupled-authentication-required', '23'] as const
    return { status: 'failed', reason, challenge: null, directory: 'failed' }
  }
  const challenge = decoupled.asked ? 'decoupled' : scenario.challenge
  const directory = decoupled.asked ? 'decoupled_challenge' : 'challenge'
  if (done.choice === null) {
    const isOver = decoupled.until !== null && now >= decoupled.until
    if (!isOver) return { status: directory, reason: null, challenge, directory }
    return { status: 'failed', reason: ['decoupled-authentication-timeout', '24'], challenge, directory }
  }
  const status = done.choice === 'pass' ? scenario.outcome : 'failed'
  return { status, reason: findReason(status), challenge, directory }
}

function findReason(status: AuthenticationStatus): Reason | null {
  return reasons[status] ?? null
}

/** Whether a challenge waits for its cardholder. */
export function isWaiting({ status }: AuthenticationOutcome): boolean {
  return status === 'challenge' || status === 'decoupled_challenge'
}

/** Whether a payment may go on. */
export function isGood(status: AuthenticationStatus): boolean {
  return status === 'successful' || status === 'attempted'
}
