import { z } from '../zod.ts'
import { absent, json, nameObject, optionalField } from './common.ts'
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

const extras = z.object({ tsp_details: tspDetails.optional() })
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

export const newTokenIntent = z
  .strictObject({ type: tokenType, data: optionalField(json), encrypted: optionalField(encrypted) })
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
