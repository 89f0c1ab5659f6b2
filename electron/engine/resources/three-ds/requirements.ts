import { createInvalidError } from '../../../../shared/errors.ts'
import { Problems } from '../../../../shared/problems.ts'
import {
  type AuthenticationRequest,
  authenticationTypes,
  type DeviceInfo,
  type NewThreeDsSession,
  type SessionType,
} from '../../../../shared/schemas/three-ds.ts'

const browserFields = [
  'browser_javascript_enabled',
  'browser_java_enabled',
  'browser_language',
  'browser_color_depth',
  'browser_screen_height',
  'browser_screen_width',
  'browser_tz',
  'browser_user_agent',
] as const
const appFields = [
  'sdk_transaction_id',
  'sdk_application_id',
  'sdk_encryption_data',
  'sdk_ephemeral_public_key',
  'sdk_max_timeout',
  'sdk_reference_number',
  'sdk_render_options',
] as const

/** Checks that a session has all members that others require (S-01). Throws one `invalid` with all problems. */
export function requireForSession(input: NewThreeDsSession): void {
  const problems = new Problems()
  const { token_id, token_intent_id, pan, type = 'customer', device, device_info } = input
  const { authentication_request, callback_urls } = input
  const sources = [token_id, pan, token_intent_id].filter((each) => each !== undefined)
  if (sources.length === 0) problems.add('token_id', 'is required, unless token_intent_id is sent')
  if (sources.length > 1) problems.add('token_id', 'cannot be combined with token_intent_id or pan')
  if (type === 'customer') {
    if (device === undefined) problems.add('device', 'is required for a session of type customer')
    // With `callback_urls`, the redirect page reads the device info from the browser.
    else if (callback_urls === undefined) requireDevice(problems, device, device_info)
  }
  requireRedirect(problems, input)
  if (authentication_request)
    problems.attemptCheck(
      () => requireForAuthentication(authentication_request, type),
      'authentication_request',
    )
  problems.throwIfAny()
}

function requireRedirect(
  problems: Problems,
  { authentication_request, callback_urls, type, device }: NewThreeDsSession,
): void {
  if (authentication_request === undefined && callback_urls === undefined) return
  if (authentication_request === undefined)
    problems.add('authentication_request', 'is required if callback_urls is sent')
  if (callback_urls === undefined)
    problems.add('callback_urls', 'is required if authentication_request is sent')
  if (type === 'merchant') problems.add('callback_urls', 'is only allowed for sessions of type customer')
  if (device === 'app') problems.add('device', 'must be browser if callback_urls is sent')
}

function requireDevice(problems: Problems, device: 'browser' | 'app', info: DeviceInfo | undefined): void {
  if (!info) {
    problems.add('device_info', 'is required for a session of type customer')
    return
  }
  // `browser_timezone` is the former name of `browser_tz`.
  const all = { ...info, browser_tz: info.browser_tz ?? info.browser_timezone }
  for (const name of device === 'browser' ? browserFields : appFields) {
    if (all[name] === undefined) problems.add(`device_info.${name}`, `is required for the device ${device}`)
  }
}

// The hosted service's documentation also requires `url` and `transaction_type`, but its own programs leave them out.
const merchantFields = ['mid', 'acquirer_bin', 'name', 'country_code', 'category_code'] as const
const purchaseFields = ['amount', 'currency', 'exponent', 'date'] as const

/** Checks that an authentication has all members that others require. Throws one `invalid` with all problems. */
export function requireForAuthentication(request: AuthenticationRequest, type: SessionType): void {
  const { authentication_category: category, authentication_type, merchant_info } = request
  const problems = new Problems()
  const requireMember = (path: string, value: unknown, reason: string) => {
    if (value === undefined) problems.add(path, `is required ${reason}`)
  }
  const types: readonly SessionType[] = authenticationTypes[authentication_type]
  if (!types.includes(type))
    problems.add('authentication_type', `is not allowed for sessions of type ${type}`)
  if (category === 'payment') {
    const reason = 'for a payment'
    if (merchant_info)
      for (const name of merchantFields) requireMember(`merchant_info.${name}`, merchant_info[name], reason)
    else requireMember('merchant_info', undefined, reason)
  }
  requirePurchase(request, requireMember)
  if (type === 'merchant' || asksDecoupled(request, type)) {
    const reason = type === 'merchant' ? 'for a session of type merchant' : 'for a decoupled challenge'
    requireMember('decoupled_challenge_max_time', request.decoupled_challenge_max_time, reason)
  }
  problems.throwIfAny()
}

function requirePurchase(
  { authentication_category, authentication_type, purchase_info }: AuthenticationRequest,
  requireMember: (path: string, value: unknown, reason: string) => void,
): void {
  const isPayment = authentication_category === 'payment'
  const recurring = authentication_type === 'recurring-transaction'
  const installment = authentication_type === 'installment-transaction'
  if (!isPayment && !recurring && !installment) return
  const reasonOfType = `for ${authentication_type}`
  const reason = isPayment ? 'for a payment' : reasonOfType
  if (!purchase_info) {
    requireMember('purchase_info', undefined, reason)
    return
  }
  const requireField = (name: keyof typeof purchase_info, why: string) =>
    requireMember(`purchase_info.${name}`, purchase_info[name], why)
  for (const name of purchaseFields) requireField(name, reason)
  if (recurring) requireField('recurring_expiration', reasonOfType)
  if (recurring) requireField('recurring_frequency', reasonOfType)
  if (installment) requireField('installment_count', reasonOfType)
}

/** Whether the request asks for a challenge that may reach the cardholder outside the browser. */
export function asksDecoupled(
  { request_decoupled_challenge }: AuthenticationRequest,
  type: SessionType,
): boolean {
  return request_decoupled_challenge ?? type === 'merchant'
}

/** Returns the error for a card of a network without 3D Secure, whose name the official web client looks for. */
export function createNotSupportedError() {
  return createInvalidError(
    'The card was not supported by any card schemes',
    'because its network does not support 3D Secure',
  )
}
