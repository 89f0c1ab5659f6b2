import { z } from '../zod.ts'
import { createdId, nameObject, offsetPage, optionalField, page, size, unusedStart } from './common.ts'

/** The services of the networks that a merchant can be registered for (rule Z-03). */
export const merchantServices = ['account_updater', 'network_token', 'agentic_commerce'] as const
export type MerchantService = (typeof merchantServices)[number]

export const cardNetworks = ['visa', 'mastercard', 'amex', 'discover'] as const
export type CardNetwork = (typeof cardNetworks)[number]

const text = optionalField(z.string().max(500))

/** The numbers that the networks gave to the merchant. */
const cardNetworkInfo = z.strictObject({
  visa: optionalField(z.strictObject({ acquirer_bin: text, card_acceptor_id_caid: text })),
  mastercard: optionalField(z.strictObject({ merchant_id_mid: text })),
  amex: optionalField(z.strictObject({ se_number: text })),
  discover: optionalField(z.strictObject({ merchant_id_mid: text })),
})

const merchantInfo = z.strictObject({
  full_legal_name: text,
  doing_business_as: text,
  parent_company_name: text,
  website_url: text,
  category_code_mcc: text,
  descriptor: text,
  business_description: text,
  registration: optionalField(
    z.strictObject({ registration_type: text, registration_id: text, vat_id: text }),
  ),
  contact: optionalField(z.strictObject({ name: text, title: text, phone_number: text, email: text })),
  address: optionalField(
    z.strictObject({
      street_1: text,
      street_2: text,
      city: text,
      state_province: text,
      postal_code: text,
      country: text,
    }),
  ),
})

export const merchantDetails = z.strictObject({
  merchant: optionalField(merchantInfo),
  card_network_info: optionalField(cardNetworkInfo),
})
export type MerchantDetails = z.output<typeof merchantDetails>

const ofTenant = z.strictObject({
  tenant_id: z.string().toLowerCase().describe('The id of the tenant, or `self`'),
})

/** What names one merchant. */
export const merchantId = ofTenant.extend({ id: createdId })

export const newMerchant = ofTenant.extend({
  name: z.string().min(1).max(200),
  details: optionalField(merchantDetails),
})

export const merchantUpdate = newMerchant.extend({ id: createdId })

export const merchantsQuery = ofTenant.extend({ page, size, start: unusedStart })

const networks = optionalField(z.array(z.enum(cardNetworks)).max(20))

/** The networks to register a merchant with, by service. */
export const onboardingRequest = merchantId.extend({
  account_updater: networks,
  network_token: networks,
  agentic_commerce: networks,
  card_network_info: optionalField(cardNetworkInfo),
})

const serviceStatus = z.object({
  status: z.enum(['not_requested', 'active']),
  providers: z.array(z.string()),
  card_network_status: z.record(
    z.enum(cardNetworks),
    z.object({ status: z.enum(['not_requested', 'active']) }),
  ),
})
export type ServiceStatus = z.output<typeof serviceStatus>

/** A merchant, on whose behalf a tenant uses services of the networks (rule Z-03). */
export const merchant = nameObject('TenantMerchant', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  name: z.string(),
  details: merchantDetails,
  services: z.record(z.enum(merchantServices), serviceStatus),
  created_by: z.string().optional(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
})
export type Merchant = z.output<typeof merchant>

export const merchantPage = offsetPage(merchant)
