import { z } from '../zod.ts'
import { email, json, nameObject, optionalField, pageSizeUpTo } from './common.ts'
import { moment } from './moment.ts'

const id = z.string().min(1).max(100)
const text = z.string().min(1).max(500)
const optionalText = optionalField(text)
const countryCode = z.string().regex(/^[A-Za-z]{2,3}$/, 'must be a country code, such as US')
/** Data of a network's authenticator, which Coffer does not check. */
const assuranceData = z.record(z.string().max(200), json)

/** The maximum number of enrollments of an agent. */
export const MAX_ENROLLMENTS = 50

const deviceTypes = [
  ...['mobile-phone', 'tablet', 'laptop', 'personal-assistant', 'connected-auto', 'home-appliance'],
  ...['wearable', 'stationary-computer', 'e-reader', 'handheld-gaming-device', 'other'],
] as const
/** Where an agent runs. */
const instanceDetails = z.strictObject({
  ip_address: optionalText,
  brand: optionalText,
  type: optionalField(z.enum(deviceTypes)),
})

/** What names one agent or enrollment. */
export const agenticId = z.strictObject({ id: z.string() })
const ofAgent = z.strictObject({ agent_id: z.string() })
/** What names one instruction. */
export const instructionId = ofAgent.extend({ id: z.string() })

const position = {
  limit: pageSizeUpTo(100, 25),
  cursor: z.string().min(1).max(500).optional().describe('`pagination.next_cursor` of the previous page'),
}
export const enrollmentsQuery = z.strictObject(position)
export const instructionsQuery = ofAgent.extend({ enrollment_id: id.optional(), ...position })

/** A list of `item`, newest first, in the format of agentic payments. */
function agenticPage<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    pagination: z.object({ next_cursor: z.string().optional(), has_more: z.boolean() }),
  })
}

const agentMembers = {
  // An agent cannot have more, which has an error of its own.
  enrollment_ids: optionalField(z.array(id).max(1000)),
  instance_details: optionalField(instanceDetails),
}
export const newAgent = z.strictObject({ name: text, ...agentMembers })
export const agentUpdate = agenticId.extend({ name: optionalText, ...agentMembers })

/** A program that pays for its user (rule Z-03). */
export const agent = nameObject('Agent', {
  id: z.string(),
  name: z.string(),
  status: z.literal('active'),
  enrollment_ids: z.array(z.string()),
  instance_details: z
    .object({ ip_address: z.string().optional(), brand: z.string().optional(), type: z.string().optional() })
    .optional(),
  created_at: z.string(),
})

const enrollmentTypes = ['agentic', 'autofill', 'spt'] as const
export type EnrollmentType = (typeof enrollmentTypes)[number]
const enrollmentStatuses = ['pending_verification', 'active', 'suspended', 'deleted', 'failed'] as const
export type EnrollmentStatus = (typeof enrollmentStatuses)[number]

const providers = ['visa', 'mastercard', 'stripe', 'visa-mock', 'mastercard-mock', 'stripe-mock'] as const

/** An enrollment of a seed, which names no agents. */
export const seedEnrollment = z.strictObject({
  token_id: z.string().min(1).max(400),
  consumer: z.strictObject({
    email,
    id: optionalText,
    country_code: optionalField(countryCode),
    language_code: optionalField(z.string().min(2).max(35)),
  }),
  wallet_name: optionalField(z.string().min(1).max(200)),
  type: optionalField(z.enum(enrollmentTypes)),
  provider: optionalField(z.enum(providers)),
})

export const newEnrollment = seedEnrollment
  .extend({ agent_id: optionalField(id), agent_ids: optionalField(z.array(id).max(100)) })
  .refine(({ agent_id, agent_ids }) => agent_id === undefined || agent_ids === undefined, {
    path: ['agent_ids'],
    error: 'cannot be combined with agent_id',
  })
  .refine(({ type, provider }) => type !== 'spt' || provider?.startsWith('stripe'), {
    path: ['provider'],
    error: 'must be stripe for the type spt',
  })

/** The networks whose cards can be enrolled. */
export const agenticBrands = ['visa', 'mastercard'] as const

/** The card of an enrollment, without its number. */
const agenticCard = z.object({
  brand: z.enum(agenticBrands),
  bin: z.string(),
  last4: z.string(),
  expiration_month: z.int().optional(),
  expiration_year: z.int().optional(),
  funding: z.string().optional(),
  issuer: z.object({ country: z.string().optional(), name: z.string().optional() }).optional(),
  issuer_country: z
    .object({ alpha2: z.string(), name: z.string().optional(), numeric: z.string().optional() })
    .optional(),
  segment: z.string().optional(),
})
export type AgenticCard = z.output<typeof agenticCard>

/** A card that agents may pay with, once its holder is verified (rule Z-03). */
export const enrollment = nameObject('Enrollment', {
  id: z.string(),
  token_id: z.string(),
  provider: z.string(),
  status: z.enum(enrollmentStatuses),
  card: agenticCard.extend({ display: z.object({ art_url: z.string(), background_color: z.string() }) }),
  agent_ids: z.array(z.string()),
  wallet_name: z.string(),
  type: z.enum(enrollmentTypes),
  created_at: z.string(),
})
export const enrollmentPage = agenticPage(enrollment)

const platformTypes = ['WEB', 'MOBILE', 'NATIVE'] as const
export type PlatformType = (typeof platformTypes)[number]
const deviceContext = z.strictObject({
  screen_height: z.int().min(0),
  screen_width: z.int().min(0),
  user_agent_string: z.string().max(2048),
  language_code: z.string().max(100),
  time_zone: z.string().max(100),
  java_script_enabled: z.boolean(),
  client_device_id: z.string().max(500),
  client_reference_id: z.string().max(500),
  platform_type: z.enum(platformTypes),
  color_depth: optionalField(z.int().min(0)),
  accept_header: optionalField(z.string().max(2048)),
  ip_address: optionalText,
  session_context: optionalField(z.strictObject({ secure_token: optionalField(z.string().max(10_000)) })),
})
const verificationStart = { device_context: deviceContext }
export const enrollmentVerification = agenticId.extend(verificationStart)
export const instructionVerification = instructionId.extend(verificationStart)
export const methodChoice = agenticId.extend({ method_id: id })
export const otpEntry = agenticId.extend({ otp_code: z.string().min(1).max(20) })
export const verificationEnd = agenticId.extend({
  assurance_data: optionalField(assuranceData),
  src_correlation_id: optionalText,
})
export const passkeyEntry = instructionId.extend({
  assurance_data: assuranceData,
  src_correlation_id: optionalText,
  flow_id: optionalText,
})

export const verificationStatuses = [
  ...['approved', 'challenge', 'otp_sent', 'device_bound'],
  ...['passkey_required', 'redirect_required', 'verified'],
] as const
export type VerificationStatus = (typeof verificationStatuses)[number]

/** How far the verification of a cardholder has come, and what its next step needs. */
export const verification = nameObject('VerificationResponse', {
  status: z.enum(verificationStatuses),
  methods: z.array(z.object({ id: z.string(), type: z.string(), value: z.string() })).optional(),
  passkey_context: z
    .object({
      endpoint: z.string(),
      identifier: z.string(),
      payload: z.string(),
      action: z.enum(['REGISTER', 'AUTHENTICATE']),
      platform_type: z.enum(platformTypes),
      auth_preferences: z.object({ response_mode: z.string(), response_type: z.string() }),
      display_context: z.object({ card_last4: z.string(), card_brand: z.string() }),
    })
    .optional(),
  redirect: z.object({ uri: z.string(), uri_type: z.literal('WEB_URI'), expires_at: z.string() }).optional(),
  brand: z.enum(agenticBrands),
})
export type Verification = z.output<typeof verification>

const amount = z.strictObject({
  value: z.string().regex(/^\d{1,12}(\.\d{1,4})?$/, 'must be an amount as text, such as "25.00"'),
  currency: optionalField(z.string().regex(/^[A-Za-z]{3}$/, 'must be a currency, such as USD')),
})
const merchant = z.strictObject({
  name: text,
  url: z.string().min(1).max(2000),
  country_code: countryCode,
  category_code: optionalText,
})
const recurring = z.strictObject({ frequency: z.enum(['weekly', 'monthly', 'yearly']) })
const credentialTypes = ['card', 'spt', 'mpp'] as const
export type CredentialType = (typeof credentialTypes)[number]

/** The sealed content of an instruction. */
export type InstructionContent = {
  readonly amount: z.output<typeof amount>
  readonly description: string | undefined
  readonly recurring: z.output<typeof recurring> | undefined
  readonly merchant: z.output<typeof merchant> | undefined
}

export const newInstruction = ofAgent.extend({
  enrollment_id: id,
  amount,
  description: optionalText,
  expires_at: optionalField(moment),
  merchant: optionalField(merchant),
  recurring: optionalField(recurring),
  assurance_data: optionalField(assuranceData),
  instance_details: optionalField(instanceDetails),
  network_business_profile: optionalField(json),
  /** The challenge of a machine that wants to be paid. */
  mpp: optionalField(z.strictObject({ challenge: z.looseObject({ id: text, method: z.literal('stripe') }) })),
})
export const instructionUpdate = instructionId.extend({
  amount: optionalField(amount),
  description: optionalText,
  expires_at: optionalField(moment),
})

const instructionStatuses = [
  ...['active', 'pending', 'pending_verification', 'approved', 'cancelled', 'expired'],
] as const
export type InstructionStatus = (typeof instructionStatuses)[number]

/** What an agent may pay for, and how much (rule Z-03). */
export const instruction = nameObject('Instruction', {
  id: z.string(),
  enrollment_id: z.string(),
  status: z.enum(instructionStatuses),
  type: z.enum(enrollmentTypes),
  credential_type: z.enum(credentialTypes),
  amount: z.object({ value: z.string(), currency: z.string().optional() }),
  description: z.string().optional(),
  expires_at: z.string().optional(),
  recurring: z.object({ frequency: z.string() }).optional(),
  created_at: z.string(),
})
export const instructionPage = agenticPage(instruction)

const deliveryMethods = [
  ...['no-delivery', 'address-billing', 'address-on-file', 'address-other', 'pickup', 'electronic'],
] as const
export const credentialsRequest = instructionId.extend({
  merchant: optionalField(merchant),
  products: optionalField(
    z.array(z.strictObject({ name: text, price: z.number().min(0), quantity: z.number().min(0) })).max(1000),
  ),
  amount: optionalField(amount),
  delivery_method: optionalField(z.enum(deliveryMethods)),
  shipping_address: optionalField(
    z.strictObject({ line1: text, city: text, state: text, postal_code: text, country_code: countryCode }),
  ),
})

/** What an agent pays with: a made-up card, or what stands for it. */
export const credentials = nameObject('Credentials', {
  card: z
    .object({
      number: z.string(),
      expiration_month: z.int(),
      expiration_year: z.int(),
      cvc: z.string(),
    })
    .optional(),
  spt: z.object({ id: z.string() }).optional(),
  mpp: z.object({ credential: z.string() }).optional(),
  expires_at: z.string(),
})

const transactionTypes = [
  ...['purchase', 'authorization', 'capture', 'refund', 'reversal', 'verification', 'chargeback', 'fraud'],
] as const
export const confirmations = instructionId.extend({
  confirmation_data: z
    .array(
      z.strictObject({
        transaction_reference_id: optionalText,
        transaction_status: z.enum(['approved', 'declined', 'pending', 'error', 'cancelled']),
        transaction_type: z.enum(transactionTypes),
        transaction_timestamp: optionalField(moment),
        mandates_completed: optionalField(z.boolean()),
        amount: optionalField(amount.shape.value),
        currency_code: optionalText,
      }),
    )
    .min(1)
    .max(100),
})

/** What the page of a network shows to a cardholder. SECURITY: of the card, only its brand. */
export const agenticPageContent = z.object({
  wallet_name: z.string(),
  brand: z.string(),
  state: z.enum(['waiting', 'approved', 'cancelled']),
})
export type AgenticPageContent = z.output<typeof agenticPageContent>
export const pageChoices = ['approve', 'cancel'] as const
export const pageKey = z.strictObject({ key: z.string() })
export const pageAnswer = pageKey.extend({ choice: z.enum(pageChoices) })

/** What has to be done next for an enrollment, for the owner's window. */
const nextSteps = ['none', 'retry', 'start', 'method', 'otp', 'complete', 'page'] as const
export type NextStep = (typeof nextSteps)[number]

/** The agents, with how many enrollments each has, and the newest enrollments for the owner's window, newest first. */
export const agentOverview = z.object({
  agents: z.array(agent.omit({ enrollment_ids: true }).extend({ enrollments: z.int() })),
  enrollments: z.array(enrollment.omit({ agent_ids: true }).extend({ next: z.enum(nextSteps) })),
})
export type AgentOverview = z.output<typeof agentOverview>
