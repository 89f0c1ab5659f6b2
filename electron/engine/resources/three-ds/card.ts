import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'
import type { Context } from '../../pipeline/context.ts'
import { toCardDetails } from '../cards/card-details.ts'
import { findBin } from '../cards/store.ts'
import { openIntentData } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import { openData, toTypeDetails } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import { requireType, typeRules } from '../tokens/types/types.ts'
import { findScheme } from './brands.ts'
import type { ThreeDsContent } from './content.ts'
import { createNotSupportedError } from './requirements.ts'
import { getScenarioName, isNumberWithoutLuhn, type ScenarioName } from './scenarios.ts'

/** What 3D Secure needs to know about a card. SECURITY: the card number is excluded. */
type ThreeDsCard = {
  readonly scenario: ScenarioName
  readonly brand: string
  readonly additional_brands: readonly string[]
}

/**
 * Reads the card of a token (rule S-01). Throws `invalid` if the token does not exist, is not a card, or is of a
 * network that does not support 3D Secure; `forbidden` if access rules grant the permission only for other containers.
 */
export function readTokenCard(context: Context, id: string, path: 'token_id' | 'pan'): ThreeDsCard {
  const row = findToken(context.db, id, context.now)
  if (!row) throw createInvalidError(path, 'must name a token that exists')
  context.requireAccess('3ds:session:create', toSubject(row), 'any')
  const number = findCardNumber(row.type, openData(context, row))
  if (number === undefined) throw createInvalidError(path, 'must name a token of type card')
  return toCard(context, number)
}

/**
 * Reads the card of a token intent. Throws `invalid` if the token intent does not exist, is not a card, or is of a
 * network that does not support 3D Secure; `forbidden` if access rules grant the permission only for other containers.
 * SECURITY: the access rules are applied as if the intent were the token that it would become by default.
 */
export function readIntentCard(context: Context, id: string): ThreeDsCard {
  const path = 'token_intent_id'
  const row = findTokenIntent(context.db, id, context.now)
  if (!row) throw createInvalidError(path, 'must name a token intent that exists')
  const type = requireType(row.type)
  context.requireAccess('3ds:session:create', { id, containers: [typeRules[type].container] }, 'any')
  const number = findCardNumber(type, openIntentData(context, row))
  if (number === undefined) throw createInvalidError(path, 'must name a token intent of type card')
  return toCard(context, number)
}

/** Returns the last four digits that the token or token intent of a session shows to everyone; undefined if none. */
export function findLast4(
  context: Context,
  { token_id, token_intent_id }: Pick<ThreeDsContent, 'token_id' | 'token_intent_id'>,
): string | undefined {
  const { db, now } = context
  const noBin = () => undefined
  if (token_id !== null) {
    const row = findToken(db, token_id, now)
    return row && toTypeDetails(row.type, openData(context, row), noBin).card?.last4
  }
  const row = findTokenIntent(db, token_intent_id ?? '', now)
  return row && toTypeDetails(row.type, openIntentData(context, row), noBin).card?.last4
}

function toCard({ db }: Context, number: string): ThreeDsCard {
  const { brand, additional = [] } = toCardDetails(number, (digits) => findBin(db, digits))
  const brands = [brand, ...additional.map((each) => each.brand)]
  const [first, ...rest] = brands.filter((each) => each !== null).filter((each) => findScheme(each))
  if (!first) throw createNotSupportedError()
  return { scenario: getScenarioName(number), brand: first, additional_brands: rest }
}

/** Returns the number of a card, or of a documented test card that only a token of type `token` can hold. */
function findCardNumber(type: string, data: Json): string | undefined {
  const number = isObject(data) ? data.number : data
  if (typeof number !== 'string') return undefined
  return type === 'card' || (type === 'token' && isNumberWithoutLuhn(number)) ? number : undefined
}
