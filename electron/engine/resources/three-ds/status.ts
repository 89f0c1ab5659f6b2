import type { AuthenticationStatus } from '../../../../shared/schemas/three-ds.ts'
import type { Authenticated, ThreeDsContent } from './content.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/** The reason for the status of an authentication, with EMVCo's code. */
type Reason = readonly [name: string, code: string]

/** The current result of an authentication. */
export type AuthenticationOutcome = {
  readonly status: AuthenticationStatus
  readonly reason: Reason | null
  /** The kind of challenge that the cardholder gets or got; null without a challenge. */
  readonly challenge: 'static' | 'out-of-band' | 'decoupled' | null
  /** The status in the first response of the directory server. */
  readonly directory: AuthenticationStatus
}

const reasons: Partial<Record<AuthenticationStatus, Reason>> = {
  failed: ['card-authentication-failed', '01'],
  unavailable: ['acs-technical-issue', '22'],
  rejected: ['suspected-fraud', '11'],
}

/** Computes the current result of an authenticated session (rule S-01). Never throws. */
export function computeOutcome(
  { type, scenario: name }: ThreeDsContent,
  authenticated: Authenticated,
  now: number,
): AuthenticationOutcome {
  const scenario: Scenario = scenarios[name]
  const { decoupled } = authenticated
  if (scenario.challenge === null) {
    const { outcome } = scenario
    return { status: outcome, reason: findReason(outcome), challenge: null, directory: outcome }
  }
  if (type === 'merchant' && !decoupled.asked) {
    // In a merchant session, no cardholder is present for a challenge.
    const reason = ['decoupled-authentication-required', '23'] as const
    return { status: 'failed', reason, challenge: null, directory: 'failed' }
  }
  const challenge = decoupled.asked ? 'decoupled' : scenario.challenge
  const directory = decoupled.asked ? 'decoupled_challenge' : 'challenge'
  if (authenticated.choice === null) {
    const isOver = decoupled.until !== null && now >= decoupled.until
    if (!isOver) return { status: directory, reason: null, challenge, directory }
    return { status: 'failed', reason: ['decoupled-authentication-timeout', '24'], challenge, directory }
  }
  const status = authenticated.choice === 'pass' ? scenario.outcome : 'failed'
  return { status, reason: findReason(status), challenge, directory }
}

function findReason(status: AuthenticationStatus): Reason | null {
  return reasons[status] ?? null
}

/** Whether a challenge is still waiting for the cardholder's answer. */
export function isWaiting({ status }: AuthenticationOutcome): boolean {
  return status === 'challenge' || status === 'decoupled_challenge'
}

/** Whether the payment may proceed. */
export function isGood(status: AuthenticationStatus): boolean {
  return status === 'successful' || status === 'attempted'
}
