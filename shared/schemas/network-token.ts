import { z } from '../zod.ts'
import { absent, createdId, forbidTogether, nameObject, optionalField } from './common.ts'
import { card, MAX_TOKEN_ID_LENGTH } from './token.ts'

const month = createNumber(1, 12, /^(0?[1-9]|1[0-2])$/, 'must be a month from 1 to 12')
const year = createNumber(1000, 9999, /^[1-9]\d{3}$/, 'must be a year of four digits')
const cvc = createNumber(100, 9999, /^\d{3,4}$/, 'must be three or four digits')
const text = optionalField(z.string().max(500))

/** A request for a network token of a card (rule Z-03). */
export const newNetworkToken = z
  .strictObject({
    data: optionalField(
      z.strictObject({
        number: z.string().regex(/^\d{13,19}$/, 'must be a string of 13 to 19 digits without separators'),
        expiration_month: month,
        expiration_year: year,
        cvc: optionalField(cvc),
      }),
    ),
    token_id: optionalField(z.string().max(MAX_TOKEN_ID_LENGTH)),
    token_intent_id: optionalField(createdId),
    expiration_month: optionalField(month).describe('In place of that of the card'),
    expiration_year: optionalField(year).describe('In place of that of the card'),
    cardholder_info: optionalField(
      z.strictObject({
        name: text,
        address: optionalField(
          z.strictObject({
            line1: text,
            line2: text,
            line3: text,
            postal_code: text,
            city: text,
            state_code: text,
            country_code: text,
          }),
        ),
      }),
    ).describe('Accepted without effect'),
    merchant_id: optionalField(createdId),
  })
  .meta({
    not: {
      anyOf: [
        { properties: { data: absent, token_id: absent, token_intent_id: absent } },
        ...forbidTogether(['data', 'token_id'], ['data', 'token_intent_id'], ['token_id', 'token_intent_id']),
      ],
    },
  })
export type NewNetworkToken = z.output<typeof newNetworkToken>

const statuses = ['active', 'suspended'] as const
export type NetworkTokenStatus = (typeof statuses)[number]

const expiry = { expiration_month: z.int(), expiration_year: z.int() }

/** A network token (rule Z-03): the number that a network gave for a card. */
export const networkToken = nameObject('NetworkToken', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  data: z.object({ number: z.string(), ...expiry }).optional(),
  network_token: card,
  card: z.object({ last4: z.string(), ...expiry }),
  par: z.string(),
  status: z.enum(statuses),
  token_id: z.string().optional(),
  token_intent_id: z.string().optional(),
  created_by: z.string().optional(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
  _extras: z.object({ deduplicated: z.boolean() }).optional(),
})
export type NetworkToken = z.output<typeof networkToken>

/** What proves to a network that a payment is made with the network token. */
export const networkTokenCryptogram = nameObject('NetworkTokenCryptogram', {
  cryptogram: z.string(),
  eci: z.string(),
})

const image = z.object({ url: z.string(), description: z.string(), height: z.int(), width: z.int() })

/** What a program shows of the account of a network token. */
export const networkTokenAccount = nameObject('NetworkTokenAccount', {
  card_art: z.object({ background_color: z.string(), logo: image, card_image: image }),
})

/** Programs send a number of a card as a number or as text. */
function createNumber(min: number, max: number, text: RegExp, message: string) {
  return z.union(
    [z.int(message).min(min, message).max(max, message), z.string().regex(text, message)],
    message,
  )
}
