import { tokenTypes } from '../token-types.ts'
import { z } from '../zod.ts'
import { absent, json, nameObject, optionalField, withJsonSchema } from './common.ts'
import { bank, card, encrypted, tokenType } from './token.ts'

/** How the provider of a wallet authenticated a payment. */
export const tspDetails = nameObject('TspDetails', {
  tsp: z.string(),
  auth_method: z.string(),
  message_id: z.string().optional(),
  eci_indicator: z.string().optional(),
  assurance_details: z
    .object({
      account_verified: z.boolean().optional(),
      card_holder_authenticated: z.boolean().optional(),
    })
    .optional(),
})
export type TspDetails = z.output<typeof tspDetails>

const extras = z.object({
  tsp_details: tspDetails.optional(),
  network_token_ids: z.array(z.string()).optional(),
})
export type TokenIntentExtras = z.output<typeof extras>

/** A token intent in a response (rule O-03), without its data. */
export const tokenIntent = nameObject('TokenIntent', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  type: z.string(),
  card: card.optional(),
  bank: bank.optional(),
  fingerprint: z.string(),
  created_by: z.string().optional(),
  created_at: z.string(),
  expires_at: z.string(),
  _extras: extras.optional(),
})
export type TokenIntent = z.output<typeof tokenIntent>

const intentType = withJsonSchema(tokenType, {
  type: 'string',
  enum: tokenTypes.filter((type) => type !== 'network_token'),
})

export const newTokenIntent = z
  .strictObject({ type: intentType, data: optionalField(json), encrypted: optionalField(encrypted) })
  .meta({
    not: {
      anyOf: [
        { properties: { data: absent, encrypted: absent } },
        {
          required: ['data', 'encrypted'],
          properties: { data: { not: absent }, encrypted: { not: absent } },
        },
      ],
    },
  })

/** The fields of an intent that the owner's list filters by. */
export const intentFields = ['type', 'app', 'card', 'id'] as const
export type IntentField = (typeof intentFields)[number]
