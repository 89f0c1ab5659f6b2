import { tokenTypes } from '../token-types.ts'
import { z } from '../zod.ts'
import {
  absent,
  boundedRecord,
  createdId,
  forbidTogether,
  json,
  nameObject,
  optionalField,
  withJsonSchema,
} from './common.ts'
import { container } from './container.ts'
import { moment } from './moment.ts'

/** The brand of a card and how it pays; null if unknown. */
export const brandDetails = {
  brand: z.string().nullable(),
  funding: z.string().nullable(),
  authentication: z.string().nullable(),
}

/** The bank that issued a card, as far as it is known. */
const issuer = z.object({ country: z.string().optional(), name: z.string().optional() })

/** Card details (rule T-16). */
export const card = nameObject('CardDetails', {
  bin: z.string(),
  last4: z.string(),
  expiration_month: z.int().optional(),
  expiration_year: z.int().optional(),
  ...brandDetails,
  issuer: issuer.optional(),
  issuer_country: z
    .object({ alpha2: z.string(), name: z.string().optional(), numeric: z.string().optional() })
    .optional(),
  segment: z.string().optional(),
  product: z.object({ code: z.string() }).optional(),
  additional: z.array(z.object({ ...brandDetails, issuer: issuer.optional() })).optional(),
})
export type CardDetails = z.output<typeof card>

/** Bank details (rule T-17). */
export const bank = nameObject('BankDetails', {
  routing_number: z.string(),
  account_number_last4: z.string(),
})

/**
 * What happened to the request that created or changed a token, and the token's network tokens (rules T-10, T-13, C-02,
 * Z-03).
 */
const extras = z.object({
  deduplicated: z.boolean().optional(),
  deduplication_behavior: z.enum(['read_existing', 'update_existing']).optional(),
  decrypted_payload: z.boolean().optional(),
  network_token_ids: z.array(z.string()).optional(),
})
export type TokenExtras = z.output<typeof extras>

/** A token in a response (rule T-08); absent members are left out. */
export const token = nameObject('Token', {
  id: z.string(),
  tenant_id: z.uuid(),
  type: z.string(),
  data: json.optional(),
  mask: json.optional(),
  card: card.optional(),
  network_token: card.optional(),
  bank: bank.optional(),
  fingerprint: z.string().optional(),
  fingerprint_expression: z.string().optional(),
  containers: z.array(z.string()),
  metadata: z.record(z.string(), z.string()).optional(),
  search_indexes: z.array(z.string()).optional(),
  expires_at: z.string().optional(),
  created_by: z.string().optional(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
  _extras: extras.optional(),
})
export type Token = z.output<typeof token>

/**
 * The response to a creation or change. For a duplicate that the caller may not read, the response only identifies the
 * existing token (T-10, T-13).
 */
export const createdToken = token.partial({ created_at: true }).meta({ id: 'CreatedToken' })
export type CreatedToken = z.output<typeof createdToken>

const fingerprint_expression = z.string().min(1).max(400)
const mask = withJsonSchema(json, {
  description: 'Text with expressions, or JSON whose strings may have expressions',
})
const containers = z.array(container).min(1).max(10)
const search_indexes = z.array(z.string().min(1).max(2_000)).max(10)
export const tokenType = withJsonSchema(z.string().max(100), { type: 'string', enum: tokenTypes })
/** The maximum number of characters of a token's id (rule T-04). */
export const MAX_TOKEN_ID_LENGTH = 400
const notInIds = '#/\\\\+?\\[\\]|&=%<>{}^\\u0000-\\u001f\\u007f-\\u009f'
const id = withJsonSchema(z.string().max(MAX_TOKEN_ID_LENGTH), {
  description: 'The id, or an expression over `data`',
  type: 'string',
  minLength: 3,
  maxLength: MAX_TOKEN_ID_LENGTH,
  // Either an id without forbidden characters and with no space at either end, or an expression.
  pattern: `^[^\\s${notInIds}]([^${notInIds}]*[^\\s${notInIds}])?$|\\{\\{`,
})
/** Data that a client has encrypted with a client encryption key, as a compact JWE (rule C-02). */
export const encrypted = withJsonSchema(z.string().min(1), {
  type: 'string',
  description: 'The data, encrypted with a client encryption key',
  pattern: '^[\\w-]+\\.[\\w-]*\\.[\\w-]+\\.[\\w-]*\\.[\\w-]+$',
})
const documentedPairs = { type: 'object', propertyNames: { minLength: 1, maxLength: 200 } }
const metadata = withJsonSchema(boundedRecord(z.string(), json, { max: 50, noun: 'pairs' }), {
  ...documentedPairs,
  maxProperties: 50,
  additionalProperties: { type: 'string', maxLength: 2000 },
})
/** A patch may remove all existing pairs and add as many new ones. */
const metadataPatch = withJsonSchema(boundedRecord(z.string(), json, { max: 100, noun: 'pairs' }), {
  ...documentedPairs,
  additionalProperties: { type: ['string', 'null'], maxLength: 2000 },
})

/** A member that was removed. It is accepted and ignored (rule A-08). */
const privacy = json.optional().meta({ deprecated: true, description: 'Removed: accepted and ignored' })

/** A new token (rules T-01, T-04 to T-07, A-08: the removed `privacy` is ignored). */
export const newToken = z
  .strictObject({
    id: optionalField(id),
    type: optionalField(tokenType),
    data: optionalField(json),
    encrypted: optionalField(encrypted),
    token_intent_id: optionalField(createdId.max(400)),
    mask: optionalField(mask),
    containers: optionalField(containers),
    metadata: optionalField(metadata),
    search_indexes: optionalField(search_indexes),
    fingerprint_expression: optionalField(fingerprint_expression),
    deduplicate_token: optionalField(z.boolean()),
    expires_at: optionalField(moment),
    privacy,
  })
  // Excludes invalid combinations of members with `not`, so that generated clients still see plain members.
  .meta({
    not: {
      anyOf: [
        { properties: { token_intent_id: absent, type: absent } },
        { properties: { token_intent_id: absent, data: absent, encrypted: absent } },
        ...forbidTogether(
          ['token_intent_id', 'type'],
          ['token_intent_id', 'data'],
          ['token_intent_id', 'encrypted'],
          ['data', 'encrypted'],
        ),
      ],
    },
  })
export type NewToken = z.output<typeof newToken>

/** A merge patch of a token (rule T-12): absent members stay unchanged, `null` clears a member. */
export const tokenPatch = z.strictObject({
  id: z.string(),
  data: withJsonSchema(json, { not: { type: 'null' } }).optional(),
  mask: mask.nullable().optional(),
  metadata: metadataPatch.nullable().optional(),
  containers: containers.nullable().optional(),
  search_indexes: search_indexes.nullable().optional(),
  fingerprint_expression: fingerprint_expression.nullable().optional(),
  deduplicate_token: z.boolean().nullable().optional(),
  expires_at: moment.nullable().optional(),
  privacy,
})
export type TokenPatch = z.output<typeof tokenPatch>
