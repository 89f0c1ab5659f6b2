import { z } from '../zod.ts'
import {
  absent,
  createdId,
  forbidTogether,
  hiddenAlias,
  json,
  nameObject,
  optionalField,
  withJsonSchema,
} from './common.ts'
import { metadata } from './metadata.ts'

/** Text in a request, with a maximum length because it is stored. */
function optionalText(max = 200) {
  return optionalField(z.string().min(1).max(max))
}

function optionalPattern(pattern: RegExp, message: string) {
  return optionalField(z.string().regex(pattern, message))
}

function optionalEnum<const Names extends readonly string[]>(names: Names) {
  return optionalField(z.enum(names))
}

function optionalObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return optionalField(z.strictObject(shape))
}

/** Facts about the cardholder's browser or app (rule S-01). Older clients spell two of the members differently. */
export const deviceInfo = z.lazy(() =>
  z.strictObject({
    browser_accept_header: optionalText(2048),
    browser_ip: optionalText(45),
    browser_ip_address: optionalText(45),
    browser_javascript_enabled: optionalField(z.boolean()),
    browser_java_enabled: optionalField(z.boolean()),
    browser_language: optionalText(35),
    browser_color_depth: optionalText(10),
    browser_screen_height: optionalText(10),
    browser_screen_width: optionalText(10),
    browser_tz: optionalText(60),
    browser_timezone: optionalText(60),
    browser_user_agent: optionalText(2048),
    sdk_transaction_id: optionalText(),
    sdk_application_id: optionalText(),
    sdk_encryption_data: optionalText(64_000),
    sdk_ephemeral_public_key: optionalText(2048),
    sdk_max_timeout: optionalText(10),
    sdk_reference_number: optionalText(),
    sdk_render_options: optionalObject({
      sdk_interface: optionalText(),
      sdk_ui_type: optionalField(z.union([z.string().max(200), z.array(z.string().max(200)).max(10)])),
    }),
  }),
)
export type DeviceInfo = z.output<typeof deviceInfo>

/** The challenge preferences of a merchant, with their EMVCo codes. */
export const challengePreferences = {
  'no-preference': '01',
  'no-challenge': '02',
  'challenge-requested': '03',
  'challenge-mandated': '04',
  'no-challenge-risk-analysis-performed': '05',
  'no-challenge-data-sharing-only': '06',
  'no-challenge-strong-consumer-auth': '07',
  'no-challenge-whitelist-exemption': '08',
  'challenge-requested-whitelist-prompt': '09',
  'cartes-bancaires': '90',
} as const
export type ChallengePreference = keyof typeof challengePreferences

/** The session types that each type of authentication allows. */
export const authenticationTypes = {
  'payment-transaction': ['customer'],
  'cardholder-emv-verification': ['customer'],
  'recurring-transaction': ['customer', 'merchant'],
  'installment-transaction': ['customer', 'merchant'],
  'add-card': ['customer', 'merchant'],
  'maintain-card': ['customer', 'merchant'],
  'account-verification': ['customer', 'merchant'],
  'split-or-delayed-shipment': ['merchant'],
  'top-up': ['merchant'],
  'mail-order': ['merchant'],
  'telephone-order': ['merchant'],
  'whitelist-status-check': ['merchant'],
  'other-payment': ['merchant'],
  'billing-agreement': ['merchant'],
} as const satisfies Record<string, readonly SessionType[]>

const sessionTypes = ['customer', 'merchant'] as const
export type SessionType = (typeof sessionTypes)[number]

const listKeys = <T extends object>(object: T) => Object.keys(object) as [keyof T & string]

const day = optionalPattern(/^\d{8}$/, 'must be a date in the form YYYYMMDD')
const country = optionalPattern(/^\d{3}$/, 'must be the three digits of ISO 3166-1')
const currency = optionalPattern(/^\d{3}$/, 'must be the three digits of ISO 4217')
const optionalDigits = (max: number) =>
  optionalPattern(new RegExp(`^\\d{1,${max}}$`), `must be 1 to ${max} digits`)
const stages = ['less-than-30-days', '30-to-60-days', 'more-than-60-days'] as const

const phone = z.lazy(() => optionalObject({ country_code: optionalDigits(3), number: optionalDigits(15) }))
const address = z.lazy(() =>
  optionalObject({
    line1: optionalText(),
    line2: optionalText(),
    line3: optionalText(),
    postal_code: optionalText(20),
    city: optionalText(),
    state_code: optionalText(10),
    country_code: country,
  }),
)

const cardholderInfo = z.lazy(() =>
  z.strictObject({
    account_id: optionalText(),
    account_type: optionalEnum(['debit', 'credit']),
    account_info: optionalObject({
      account_age: optionalEnum(['no-account', 'created-this-transaction', ...stages]),
      account_last_changed: optionalEnum(['no-change', 'changed-this-transaction', ...stages]),
      account_change_date: day,
      account_created_date: day,
      account_pwd_last_changed: optionalEnum(['no-change', 'changed-this-transaction', ...stages]),
      account_pwd_change_date: day,
      purchase_count_half_year: optionalDigits(4),
      transaction_count_day: optionalDigits(3),
      payment_account_age: day,
      transaction_count_year: optionalDigits(3),
      payment_account_created: optionalEnum(['no-account', 'created-this-transaction', ...stages]),
      shipping_address_first_used: optionalEnum(['no-address', 'address-first-used', ...stages]),
      shipping_address_usage_date: day,
      shipping_account_name_match: optionalField(z.boolean()),
      suspicious_activity_observed: optionalField(z.boolean()),
      // The spellings of older clients.
      account_password_last_changed: optionalEnum(['no-change', 'changed-this-transaction', ...stages]),
      account_password_change_date: day,
      purchase_count_last_year: optionalDigits(4),
    }),
    authentication_info: optionalObject({
      method: optionalEnum([
        'no-login',
        'username-password',
        'federated-id',
        'issuer-credentials',
        'third-party',
        'fido',
        'fido-data-signed',
        'src-assurance-data',
      ]),
      timestamp: optionalPattern(/^\d{12}$/, 'must be a time in the form YYYYMMDDhhmm'),
      data: optionalText(20_000),
    }),
    prior_authentication_info: optionalObject({
      method: optionalEnum(['frictionless', 'challenged', 'avs-verified', 'other']),
      timestamp: optionalPattern(/^\d{12}$/, 'must be a time in the form YYYYMMDDhhmm'),
      reference_id: optionalText(),
      data: optionalText(2048),
    }),
    name: z.string().min(1).max(200),
    email: z
      .string()
      .max(254)
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address'),
    phone_number: phone,
    mobile_phone_number: phone,
    work_phone_number: phone,
    billing_shipping_address_match: optionalEnum(['Y', 'N']),
    billing_address: address,
    shipping_address: address,
  }),
)

const merchantInfo = z.lazy(() =>
  z.strictObject({
    mid: optionalText(35),
    acquirer_bin: optionalText(20),
    name: optionalText(),
    country_code: country,
    category_code: optionalPattern(/^\d{4}$/, 'must be four digits'),
    url: optionalText(2048),
    risk_info: optionalObject({
      delivery_email: optionalText(254),
      delivery_time_frame: optionalEnum([
        'electronic-delivery',
        'same-day-shipping',
        'overnight-shipping',
        'two-or-more-day-shipping',
      ]),
      // The spelling of older clients.
      delivery_timeframe: optionalText(),
      gift_card_amount: optionalDigits(15),
      gift_card_count: optionalDigits(2),
      gift_card_currency: currency,
      pre_order_purchase: optionalField(z.boolean()),
      pre_order_date: day,
      reordered_purchase: optionalField(z.boolean()),
      shipping_method: optionalEnum([
        'ship-to-billing-address',
        'ship-to-verified-address',
        'ship-to-different-address',
        'ship-to-store',
        'digital-goods',
        'travel-and-event-tickets',
        'other',
      ]),
    }),
  }),
)

const purchaseInfo = z.lazy(() =>
  z.strictObject({
    amount: optionalDigits(48),
    currency,
    exponent: optionalPattern(/^\d$/, 'must be one digit'),
    date: optionalPattern(/^\d{14}$/, 'must be a time in the form YYYYMMDDhhmmss'),
    // `purchase` if it is absent, as in requests of the hosted service's own programs.
    transaction_type: optionalEnum([
      'purchase',
      'check-acceptance',
      'account-funding',
      'quasi-cash',
      'prepaid-activation-load',
    ]),
    installment_count: optionalDigits(3),
    recurring_expiration: day,
    recurring_frequency: optionalDigits(4),
  }),
)

const requestorInfo = z.lazy(() =>
  z.strictObject({
    id: optionalText(),
    name: optionalText(),
    url: optionalText(2048),
    discover_client_id: optionalText(),
    discover_requestor_id: optionalText(),
    amex_requestor_type: optionalEnum(['MER', 'AGG', 'JCB', 'OTA', 'OPT', 'WAL']),
    cb_siret_number: optionalText(),
  }),
)

const messageExtension = z.lazy(() =>
  z.strictObject({
    id: optionalText(64),
    name: optionalText(64),
    critical: optionalField(z.boolean()),
    data: optionalField(json),
  }),
)

/** A merchant's description of a payment and its cardholder (rule S-01). Some members require others. */
const authenticationRequest = z.lazy(() =>
  z.strictObject({
    authentication_category: z.enum(['payment', 'non-payment']),
    authentication_type: z.enum(listKeys(authenticationTypes)),
    card_brand: optionalText(50).describe('One of the brands of a co-badged card'),
    challenge_preference: optionalEnum(listKeys(challengePreferences)),
    request_decoupled_challenge: optionalField(z.boolean()),
    decoupled_challenge_max_time: optionalField(z.int().min(1).max(10_080)).describe('Minutes'),
    purchase_info: optionalField(purchaseInfo),
    merchant_info: optionalField(merchantInfo),
    requestor_info: optionalField(requestorInfo),
    cardholder_info: cardholderInfo,
    broadcast_info: optionalField(json),
    message_extensions: optionalField(z.array(messageExtension).max(10)),
    metadata: optionalField(metadata),
  }),
)
export type AuthenticationRequest = z.output<typeof authenticationRequest>

export const authenticateSession = z.lazy(() => authenticationRequest.unwrap().extend({ id: createdId }))

/** SECURITY: the cardholder's browser is redirected to this URL, so it must be http(s) (case X-59). */
const callbackUrl = withJsonSchema(
  z.string().max(2048).refine(isWebAddress, 'must be an http: or https: URL without a user or a password'),
  { type: 'string', maxLength: 2048, format: 'uri' },
)

function isWebAddress(address: string): boolean {
  if (/[\p{Cc}\p{Cs} ]/u.test(address) || !URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

/** A new 3D Secure session (rule S-01). */
export const newThreeDsSession = z.lazy(() =>
  z
    .strictObject({
      token_id: optionalText(400).describe(
        'A token of type `card`, or of type `token` for a test card that fails the Luhn check',
      ),
      token_intent_id: optionalField(createdId).describe('In place of `token_id`'),
      pan: optionalText(400).describe('The older name of `token_id`'),
      type: optionalEnum(sessionTypes).describe('`customer` by default'),
      device: optionalEnum(['browser', 'app']),
      web_challenge_mode: optionalEnum(['iframe', 'redirect']),
      device_info: optionalField(deviceInfo),
      authentication_request: optionalField(authenticationRequest),
      callback_urls: optionalObject({
        success: callbackUrl,
        failure: callbackUrl,
        branding: optionalObject({ hide_basis_theory_branding: optionalField(z.boolean()) }),
      }),
      metadata: optionalField(metadata),
    })
    .meta({
      not: {
        anyOf: [
          { properties: { token_id: absent, token_intent_id: absent, pan: absent } },
          ...forbidTogether(['token_id', 'token_intent_id'], ['token_id', 'pan'], ['token_intent_id', 'pan']),
        ],
      },
    }),
)
export type NewThreeDsSession = z.output<typeof newThreeDsSession>

/** The response to a new session. It has the brand under two names, because clients read either. */
export const createdThreeDsSession = z.lazy(() =>
  nameObject('CreatedThreeDsSession', {
    id: z.uuid(),
    type: z.enum(sessionTypes),
    cardBrand: hiddenAlias(z.string()),
    card_brand: z.string(),
    additional_card_brands: z.array(z.string()).optional(),
    method_url: z.string().optional(),
    method_notification_url: z.string(),
    directory_server_id: z.string(),
    recommended_version: z.string(),
    redirect_url: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
)
export type CreatedThreeDsSession = z.output<typeof createdThreeDsSession>

/** The statuses of an authentication, with their EMVCo codes. */
export const authenticationStatuses = {
  successful: 'Y',
  attempted: 'A',
  failed: 'N',
  unavailable: 'U',
  challenge: 'C',
  decoupled_challenge: 'D',
  rejected: 'R',
  informational: 'I',
} as const
export type AuthenticationStatus = keyof typeof authenticationStatuses

/** The result of an authentication (rule S-01). */
export const threeDsAuthentication = z.lazy(() =>
  nameObject('ThreeDsAuthentication', {
    token_id: z.string().optional(),
    pan_token_id: z.string().optional(),
    token_intent_id: z.string().optional(),
    session_id: z.uuid(),
    threeds_version: z.string(),
    acs_transaction_id: z.uuid(),
    acs_operator_id: z.string(),
    ds_transaction_id: z.uuid(),
    sdk_transaction_id: z.string().optional(),
    acs_reference_number: z.string(),
    ds_reference_number: z.string(),
    liability_shifted: z.boolean(),
    authentication_value: z.string().optional(),
    authentication_status: z.enum(listKeys(authenticationStatuses)),
    authentication_status_code: z.string(),
    authentication_status_reason: z.string().optional(),
    authentication_status_reason_code: z.string().optional(),
    directory_status_code: z.string(),
    eci: z.string().optional(),
    acs_challenge_mandated: z.enum(['Y', 'N']),
    acs_decoupled_authentication: z.enum(['Y', 'N']),
    authentication_challenge_type: z.enum(['static', 'dynamic', 'out-of-band', 'decoupled']).optional(),
    acs_rendering_type: z
      .object({
        acs_interface: z.string(),
        acs_ui_template: z.string(),
        acsInterface: hiddenAlias(z.string()),
        acsUiTemplate: hiddenAlias(z.string()),
      })
      .optional(),
    acs_challenge_url: z.string().optional(),
    challenge_preference: z.string().optional(),
    challenge_preference_code: z.string().optional(),
    challenge_attempts: z.string().optional(),
    challenge_cancel_reason: z.string().optional(),
    challenge_cancel_reason_code: z.string().optional(),
    cardholder_info: z.string().optional(),
    whitelist_status: z
      .enum(['merchant-trusted', 'merchant-not-trusted', 'pending-confirmation', 'request-to-trust-rejected'])
      .optional(),
    whitelist_status_source: z.literal('acs').optional(),
    message_extensions: z.array(z.object({}).loose()),
  }),
)
export type ThreeDsAuthentication = z.output<typeof threeDsAuthentication>

/** A 3D Secure session (rule S-01). The members with dates are named as in the hosted service. */
export const threeDsSession = z.lazy(() =>
  nameObject('ThreeDsSession', {
    id: z.uuid(),
    type: z.enum(sessionTypes),
    tenant_id: z.uuid(),
    token_id: z.string().optional(),
    pan_token_id: z.string().optional(),
    token_intent_id: z.string().optional(),
    card_brand: z.string(),
    additional_card_brands: z.array(z.string()).optional(),
    expiration_date: z.string(),
    created_date: z.string(),
    created_by: z.string().optional(),
    modified_date: z.string().optional(),
    modified_by: z.string().optional(),
    device: z.string().optional(),
    device_info: z.object({}).loose().optional(),
    web_challenge_mode: z.string().optional(),
    version: z.object({
      recommended_version: z.string(),
      available_versions: z.array(z.string()),
      earliest_acs_supported_version: z.string(),
      earliest_ds_supported_version: z.string(),
      latest_acs_supported_version: z.string(),
      latest_ds_supported_version: z.string(),
      acs_information: z.array(z.string()),
    }),
    method: z.object({
      method_url: z.string().optional(),
      method_completion_indicator: z.enum(['Y', 'N', 'U']),
    }),
    authentication: threeDsAuthentication.optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
)
export type ThreeDsSession = z.output<typeof threeDsSession>

const purchase = z.lazy(() => z.object({ amount: z.string(), currency: z.string(), exponent: z.string() }))
const challengeType = z.enum(['static', 'dynamic', 'out-of-band', 'decoupled'])

/** The cardholder's choices on the page of a challenge. */
export const challengeChoices = ['pass', 'fail', 'cancel'] as const
export type ChallengeChoice = (typeof challengeChoices)[number]

/** What the owner makes happen to a challenge: a choice of the cardholder, or the end of a decoupled one's time. */
export const challengeDecisions = [...challengeChoices, 'timeout'] as const
export type ChallengeDecision = (typeof challengeDecisions)[number]

/** What has become of a session: not authenticated yet, a challenge that waits, or a result. */
const threeDsStates = ['new', 'waiting', 'passed', 'refused'] as const
export type ThreeDsState = (typeof threeDsStates)[number]

/** The fields of a session that the owner's list filters by. */
export const threeDsFields = ['state', 'app', 'card', 'merchant', 'id'] as const
export type ThreeDsField = (typeof threeDsFields)[number]

/** A 3D Secure session as the owner sees it. SECURITY: without the id of its challenge, which answers it. */
export const ownerThreeDsSession = z.lazy(() =>
  z.object({
    id: z.uuid(),
    state: z.enum(threeDsStates),
    type: z.enum(sessionTypes),
    card_brand: z.string(),
    /** Absent if the token or token intent does not show it, or no longer exists. */
    last4: z.string().optional(),
    token_id: z.string().optional(),
    token_intent_id: z.string().optional(),
    device: z.string().optional(),
    merchant: z.string().optional(),
    purchase: purchase.optional(),
    /** The status before the challenge, if there is one. */
    directory_status: z.enum(listKeys(authenticationStatuses)).optional(),
    challenge_type: challengeType.optional(),
    passes_as: z.enum(listKeys(authenticationStatuses)).optional(),
    choice: z.enum(challengeChoices).optional(),
    status: z.enum(listKeys(authenticationStatuses)).optional(),
    reason: z.string().optional(),
    created_by: z.string().optional(),
    created_at: z.string(),
    authenticated_at: z.string().optional(),
    modified_at: z.string().optional(),
    expires_at: z.string(),
    /** Until when a decoupled challenge can be answered. */
    answer_until: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
)
export type OwnerThreeDsSession = z.output<typeof ownerThreeDsSession>

/** The data of a 3D Secure page. SECURITY: contains nothing about the card except its brand. */
export const threeDsPage = z.lazy(() =>
  z.object({
    session_id: z.uuid(),
    acs_transaction_id: z.uuid(),
    card_brand: z.string(),
    merchant: z.string().nullable(),
    /** The amount in the smallest unit, with what is needed to format it. */
    purchase: purchase.nullable(),
    challenge_type: challengeType.nullable(),
    /** The status of the authentication with this card if the cardholder chooses `pass`. */
    passes_as: z.enum(listKeys(authenticationStatuses)).nullable(),
    /** Null before the session is authenticated. */
    status: z.enum(listKeys(authenticationStatuses)).nullable(),
    /** The URL that the cardholder's browser returns to; null without a redirect. */
    returns_to: z.string().nullable(),
  }),
)
export type ThreeDsPage = z.output<typeof threeDsPage>
