import { z } from '../zod.ts'
import { createdId, hiddenAlias, nameObject, optionalField } from './common.ts'
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

const jobStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export type AccountUpdaterJobStatus = (typeof jobStatuses)[number]

/** A new job, whose file is uploaded afterwards. The version decides the columns of its result. */
export const newAccountUpdaterJob = z.strictObject({
  deduplicate_tokens: optionalField(z.boolean()),
  merchant_id: optionalField(createdId),
  result_version: optionalField(z.enum(['1', '1.1', '1.2'])),
})

/** A job that updates the cards of a file (rule Z-03). */
export const accountUpdaterJob = nameObject('AccountUpdaterJob', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  status: z.enum(jobStatuses),
  upload_url: z.string().describe('PUT the CSV file here, without a key'),
  created_by: z.string(),
  created_at: z.string(),
  expires_at: z.string().optional(),
  errors: z.array(z.string()).optional(),
  requests: z.int().optional(),
  results: z.record(z.string(), z.int()).optional(),
  download_url: z.string().optional().describe('GET the results as CSV here, without a key'),
  // The documentation has the spelling above; the official clients read this one.
  tenantId: hiddenAlias(z.uuid()),
  uploadUrl: hiddenAlias(z.string()),
  createdBy: hiddenAlias(z.string()),
  createdAt: hiddenAlias(z.string()),
  expiresAt: hiddenAlias(z.string().optional()),
  downloadUrl: hiddenAlias(z.string().optional()),
})
export type AccountUpdaterJob = z.output<typeof accountUpdaterJob>

/** The maximum number of characters of a line, and of lines of a part. */
export const MAX_LINE_LENGTH = 2000
export const MAX_PART_LINES = 200

/** A part of an uploaded file. */
export const uploadedPart = z.strictObject({
  upload_key: z.string(),
  number: z.int().min(0),
  lines: z.array(z.string().max(MAX_LINE_LENGTH)).max(MAX_PART_LINES),
})
