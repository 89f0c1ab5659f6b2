import { serialization as sdk } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { bankVerification } from '../../../shared/schemas/bank.ts'
import { binDetails } from '../../../shared/schemas/bin-details.ts'
import {
  authenticateSession,
  createdThreeDsSession,
  newThreeDsSession,
  threeDsAuthentication,
  threeDsSession,
} from '../../../shared/schemas/three-ds.ts'
import { card, createdToken, newToken, token, tokenPatch } from '../../../shared/schemas/token.ts'
import { newTokenIntent, tokenIntent } from '../../../shared/schemas/token-intent.ts'
import { z } from '../../../shared/zod.ts'

/** Returns the names in JSON of the members that the client knows of an object. */
async function listMembers(schema: object): Promise<string[]> {
  const list: unknown = Reflect.get(schema, '_getRawProperties')
  return typeof list === 'function' ? list.call(schema) : []
}

/** Returns the names of the members of Coffer's schema of an object. */
function listNames(schema: z.ZodType, io: 'input' | 'output'): string[] {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const object = json.$defs?.[json.$ref?.split('/').at(-1) ?? ''] ?? json
  return Object.keys(object.properties ?? {})
}

// The service has removed them.
const removed = ['network_token', 'authentication']

test.each([
  ['Token', sdk.Token, token, ['enrichments', 'privacy', 'aliases', 'authentication']],
  ['TokenExtras', sdk.TokenExtras, createdToken.shape._extras.unwrap(), ['tsp_details']],
  ['CardDetails', sdk.CardDetails, card, []],
  ['AdditionalCardDetails', sdk.AdditionalCardDetails, card.shape.additional.unwrap().element, []],
  ['CardIssuer', sdk.CardIssuer, card.shape.issuer.unwrap(), []],
  ['CardIssuerCountry', sdk.CardIssuerCountry, card.shape.issuer_country.unwrap(), []],
  ['CardProduct', sdk.CardProduct, card.shape.product.unwrap(), []],
  ['TokenIntent', sdk.TokenIntent, tokenIntent, removed],
  ['CreateTokenIntentResponse', sdk.CreateTokenIntentResponse, tokenIntent, removed],
  ['CardDetailsResponse', sdk.CardDetailsResponse, binDetails, []],
  ['CreateThreeDsSessionResponse', sdk.CreateThreeDsSessionResponse, createdThreeDsSession, []],
  ['ThreeDsSession', sdk.ThreeDsSession, threeDsSession, []],
  ['ThreeDsAuthentication', sdk.ThreeDsAuthentication, threeDsAuthentication, ['acs_signed_content']],
] as const)(
  'T-08 T-16 O-03 M-01 S-01 every member of %s that node-sdk 5 reads is in responses',
  async (_name, schema, own, missing) => {
    const members = await listMembers(schema)
    expect(members.length).toBeGreaterThan(0)
    const names = listNames(own, 'output')
    expect(members.filter((each) => !names.includes(each))).toEqual([...missing])
  },
)

test.each([
  ['CreateTokenRequest', sdk.CreateTokenRequest, newToken],
  ['UpdateTokenRequest', sdk.tokens.UpdateTokenRequest, tokenPatch],
  ['CreateTokenIntentRequest', sdk.CreateTokenIntentRequest, newTokenIntent],
  ['BankVerificationRequest', sdk.BankVerificationRequest, bankVerification],
  ['CreateThreeDsSessionRequest', sdk.threeds.CreateThreeDsSessionRequest, newThreeDsSession],
  ['AuthenticateThreeDsSessionRequest', sdk.AuthenticateThreeDsSessionRequest, authenticateSession],
] as const)(
  'T-08 T-16 O-03 M-01 S-01 every member of %s that node-sdk 5 sends is accepted',
  async (_name, schema, own) => {
    const members = await listMembers(schema)
    expect(members.length).toBeGreaterThan(0)
    const names = listNames(own, 'input')
    expect(members.filter((each) => !names.includes(each))).toEqual([])
  },
)
