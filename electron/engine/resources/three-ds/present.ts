import { hash } from 'node:crypto'
import {
  authenticationStatuses,
  type CreatedThreeDsSession,
  challengePreferences,
  type ThreeDsAuthentication,
  type ThreeDsPage,
  type ThreeDsSession,
} from '../../../../shared/schemas/three-ds.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import type { Context } from '../../pipeline/context.ts'
import { findScheme, getBrandName } from './brands.ts'
import type { Authenticated, ThreeDsContent } from './content.ts'
import { toIssuerMembers } from './issuer-members.ts'
import { scenarios } from './scenarios.ts'
import { type AuthenticationOutcome, computeOutcome, isGood, isWaiting } from './status.ts'
import type { ThreeDsRow } from './store.ts'

const VERSION = '2.2.0'

export type OpenedThreeDsSession = { readonly row: ThreeDsRow; readonly content: ThreeDsContent }

/** Returns the response to a new session (rule S-01). */
export function toCreatedSession({ row, content }: OpenedThreeDsSession): CreatedThreeDsSession {
  const { type, brand, base_url, redirect, metadata } = content
  const name = getBrandName(brand)
  return {
    id: row.id,
    type,
    cardBrand: name,
    card_brand: name,
    ...toAdditionalBrands(content),
    ...(hasMethod(content) && { method_url: formatMethodUrl(content) }),
    method_notification_url: `${base_url}/3ds/sessions/${row.id}/method-notification`,
    directory_server_id: findScheme(brand)?.directory_server_id ?? '',
    recommended_version: VERSION,
    ...(redirect && { redirect_url: `${base_url}/3ds/redirect/${row.id}?apiKey=` }),
    ...(metadata && { metadata }),
  }
}

/** Returns a session as the API presents it (rule S-01). */
export function toSession(context: Context, { row, content }: OpenedThreeDsSession): ThreeDsSession {
  const { type, brand, device, device_info, web_challenge_mode, metadata, authenticated } = content
  return {
    id: row.id,
    type,
    tenant_id: context.tenant_id,
    ...toCardIds(content),
    card_brand: getBrandName(brand),
    ...toAdditionalBrands(content),
    expiration_date: formatIsoTime(row.expires_at),
    created_date: formatIsoTime(row.created_at),
    ...(row.created_by !== null && { created_by: row.created_by }),
    ...(row.modified_at !== null && { modified_date: formatIsoTime(row.modified_at) }),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(device && { device }),
    ...(device_info && { device_info }),
    ...(web_challenge_mode && { web_challenge_mode }),
    version: {
      recommended_version: VERSION,
      available_versions: ['2.1.0', VERSION],
      earliest_acs_supported_version: '2.1.0',
      earliest_ds_supported_version: '2.1.0',
      latest_acs_supported_version: VERSION,
      latest_ds_supported_version: VERSION,
      acs_information: [
        'threeds-auth-available',
        'threeds-attempts-supported',
        'threeds-whitelisting-supported',
      ],
    },
    method: {
      ...(hasMethod(content) && { method_url: formatMethodUrl(content) }),
      method_completion_indicator: !hasMethod(content) ? 'U' : content.method_completed ? 'Y' : 'N',
    },
    ...(authenticated && { authentication: toAuthentication(context, { row, content }, authenticated) }),
    ...(metadata && { metadata }),
  }
}

/**
 * Returns the current result of an authentication (rule S-01). Values that card networks would generate are derived
 * from the session's id.
 */
export function toAuthentication(
  { now }: Pick<Context, 'now'>,
  { row, content }: OpenedThreeDsSession,
  authenticated: Authenticated,
): ThreeDsAuthentication {
  const outcome = computeOutcome(content, authenticated, now)
  const { status, reason, challenge, directory } = outcome
  const { challenge_preference: preference, choice, message_extensions } = authenticated
  const sdk = content.device_info?.sdk_transaction_id
  return {
    ...toCardIds(content),
    session_id: row.id,
    threeds_version: VERSION,
    acs_transaction_id: row.acs_transaction_id,
    ds_transaction_id: deriveUuid(`ds ${row.id}`),
    ...(sdk !== undefined && { sdk_transaction_id: sdk }),
    acs_reference_number: 'coffer-acs',
    ds_reference_number: 'coffer-directory-server',
    liability_shifted: isGood(status),
    ...(isGood(status) && { authentication_value: deriveAuthenticationValue(row.id) }),
    authentication_status: status,
    authentication_status_code: authenticationStatuses[status],
    ...(reason && { authentication_status_reason: reason[0], authentication_status_reason_code: reason[1] }),
    directory_status_code: authenticationStatuses[directory],
    ...(!isWaiting(outcome) && { eci: getEci(authenticated, outcome) }),
    acs_challenge_mandated: challenge && scenarios[content.scenario].mandated ? 'Y' : 'N',
    acs_decoupled_authentication: challenge === 'decoupled' ? 'Y' : 'N',
    ...(challenge && {
      authentication_challenge_type: challenge,
      acs_challenge_url: `${content.base_url}/3ds/acs/challenge/${row.acs_transaction_id}`,
    }),
    ...(preference && {
      challenge_preference: preference,
      challenge_preference_code: challengePreferences[preference],
    }),
    ...(choice && { challenge_attempts: '01' }),
    ...(choice === 'cancel' && {
      challenge_cancel_reason: 'cardholder-canceled',
      challenge_cancel_reason_code: '01',
    }),
    ...toIssuerMembers(content, authenticated, outcome),
    message_extensions: message_extensions.map((each) => ({ ...each })),
  }
}

/** Returns what the pages of a session display. SECURITY: of the card, only its brand. */
export function toPage({ now }: Pick<Context, 'now'>, { row, content }: OpenedThreeDsSession): ThreeDsPage {
  const { authenticated, brand, redirect, scenario } = content
  const outcome = authenticated && computeOutcome(content, authenticated, now)
  const isOver = outcome !== null && !isWaiting(outcome)
  return {
    session_id: row.id,
    acs_transaction_id: row.acs_transaction_id,
    card_brand: getBrandName(authenticated?.brand ?? brand),
    merchant: authenticated?.merchant ?? null,
    purchase: authenticated?.purchase ?? null,
    challenge_type: outcome?.challenge ?? null,
    passes_as: outcome?.challenge ? scenarios[scenario].outcome : null,
    status: outcome?.status ?? null,
    returns_to:
      redirect && isOver ? stripQuery(isGood(outcome.status) ? redirect.success : redirect.failure) : null,
  }
}

/** Removes the query and the fragment of a URL, because the hosted service also returns cardholders without them. */
export function stripQuery(address: string): string {
  const url = new URL(address)
  url.search = ''
  url.hash = ''
  return url.href
}

/** Returns the token or token intent of a session. `pan_token_id` is the former name of `token_id`. */
function toCardIds({ token_id, token_intent_id }: ThreeDsContent) {
  if (token_id === null) return { token_intent_id: token_intent_id ?? '' }
  return { token_id, pan_token_id: token_id }
}

/** Whether the issuer checks the device first (the 3DS method). Only a browser supports this. */
export function hasMethod({ scenario, device }: ThreeDsContent): boolean {
  return device === 'browser' && scenarios[scenario].method
}

function formatMethodUrl({ base_url }: ThreeDsContent): string {
  return `${base_url}/3ds/acs/method`
}

function toAdditionalBrands({ brand, additional_brands }: ThreeDsContent) {
  if (additional_brands.length === 0) return {}
  return { additional_card_brands: [brand, ...additional_brands].map(getBrandName) }
}

function getEci({ brand }: Authenticated, { status }: AuthenticationOutcome): string {
  const [successful, attempted, neither] = findScheme(brand)?.eci ?? ['05', '06', '07']
  return status === 'successful' ? successful : status === 'attempted' ? attempted : neither
}

/** Derives 20 bytes, the length of the value that an issuer would sign. This value is not signed. */
function deriveAuthenticationValue(id: string): string {
  return hash('sha256', `value ${id}`, 'buffer').subarray(0, 20).toString('base64')
}

function deriveUuid(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
