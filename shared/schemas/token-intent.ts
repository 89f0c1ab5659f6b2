import { z } from '../zod.ts'
import { absent, json, nameObject, optionalField } from './common.ts'
import { bank, card, encrypted, tokenType } from './token.ts'

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
