import type { ThreeDsAuthentication } from '../../../../shared/schemas/three-ds.ts'
import type { Authenticated, ThreeDsContent } from './content.ts'
import { type AuthenticationOutcome, isWaiting } from './status.ts'

type WhitelistStatus = NonNullable<ThreeDsAuthentication['whitelist_status']>

/** How the bank shows a challenge in an app. It has each member under two names, because clients read either. */
const renderingType = {
  acs_interface: '02',
  acs_ui_template: '05',
  acsInterface: '02',
  acsUiTemplate: '05',
}

/** Returns what the cardholder's bank adds to a result for the shop and its customer (rule S-01). */
export function toIssuerMembers(
  { device }: ThreeDsContent,
  authenticated: Authenticated,
  outcome: AuthenticationOutcome,
) {
  const cardholder_info = getCardholderInfo(outcome)
  const whitelist_status = getWhitelistStatus(authenticated, outcome)
  return {
    acs_operator_id: 'coffer-acs-operator',
    // EMVCo's codes for a page in a web view: native texts would need the signature of a bank.
    ...(device === 'app' && outcome.challenge && { acs_rendering_type: renderingType }),
    ...(cardholder_info !== null && { cardholder_info }),
    ...(whitelist_status && { whitelist_status, whitelist_status_source: 'acs' as const }),
  }
}

/** The bank's text for the cardholder, whom no challenge tells about the result. */
function getCardholderInfo(outcome: AuthenticationOutcome): string | null {
  const { challenge, status } = outcome
  if (challenge === 'decoupled' && isWaiting(outcome)) return 'Confirm this payment with your bank.'
  const isDeclined = status === 'failed' || status === 'rejected'
  return challenge === null && isDeclined
    ? 'Your bank did not approve this payment. Please contact your bank.'
    : null
}

/** Whether the cardholder trusts the shop, if the shop asked. Trust lasts for one session. */
function getWhitelistStatus(
  { challenge_preference, checks_whitelist, choice }: Authenticated,
  outcome: AuthenticationOutcome,
): WhitelistStatus | null {
  const isPrompted = challenge_preference === 'challenge-requested-whitelist-prompt'
  if (isPrompted && isWaiting(outcome)) return 'pending-confirmation'
  if (isPrompted && choice) return choice === 'pass' ? 'merchant-trusted' : 'request-to-trust-rejected'
  const isAsked =
    isPrompted || checks_whitelist || challenge_preference === 'no-challenge-whitelist-exemption'
  return isAsked ? 'merchant-not-trusted' : null
}
