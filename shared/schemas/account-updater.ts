import { z } from '../zod.ts'
import { createdId, nameObject, optionalField } from './common.ts'
import { createdToken } from './token.ts'

/** The results of the account updater for a card (rule Z-03). */
const accountUpdaterResults = [
  'NO_UPDATE',
  'UPD_PAN',
  'UPD_EXP_DATE',
  'UPD_BRAND_CONV',
  'UPD_CORRECTED',
  'WRN_CLOSED_ACCOUNT',
  'WRN_CONTACT_CARDHOLDER',
  'WRN_ISSUER_NOT_ENROLLED',
  'WRN_ISSUER_NO_DATA',
  'WRN_OPT_OUT',
  'WRN_UNSUPPORTED_NETWORK',
  'ERR_UNDEFINED',
  'ERR_INVALID_PAN',
  'ERR_INVALID_TOKEN',
  'ERR_INVALID_EXP_DATE',
  'ERR_INVALID_CONFIG',
] as const
export type AccountUpdaterResult = (typeof accountUpdaterResults)[number]

/** A request for the update of one card. Its expiry takes precedence over that of the token. */
export const realTimeUpdate = z.strictObject({
  token_id: z.string(),
  expiration_month: optionalField(z.int().min(1).max(12)),
  expiration_year: optionalField(z.int().min(1000).max(9999)),
  deduplicate_token: optionalField(z.boolean()),
  merchant_id: optionalField(createdId),
})

/** The response to a request for the update of one card. */
export const realTimeResult = nameObject('AccountUpdaterRealTimeResponse', {
  new_token: createdToken.optional(),
  result_code: z.enum(accountUpdaterResults),
})
