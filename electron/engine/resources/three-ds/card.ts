import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'
import type { Context } from '../../pipeline/context.ts'
import { toCardDetails } from '../cards/card-details.ts'
import { findBin } from '../cards/store.ts'
import { openIntentData } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import { openData } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import { typeRules } from '../tokens/types/types.ts'
import { findScheme } from './brands.ts'
import { createNotSupportedError } from './requirements.ts'
import { getScenarioName, type ScenarioName } from './scenarios.ts'

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
  if (row.type !== 'card') throw createInvalidError(path, 'must name a token of type card')
  return toCard(context, openData(context, row), path)
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
  context.requireAccess('3ds:session:create', { id, containers: [typeRules.card.container] }, 'any')
  if (row.type !== 'card') throw createInvalidError(path, 'must name a token intent of type card')
  return toCard(context, openIntentData(context, row), path)
}

function toCard({ db }: Context, data: Json, path: string): ThreeDsCard {
  if (!isObject(data) || typeof data.number !== 'string')
    throw createInvalidError(path, 'must name a card that has a number')
  const { number } = data
  const { brand, additional = [] } = toCardDetails(number, (digits) => findBin(db, digits))
  const brands = [brand, ...additional.map((each) => each.brand)]
  const [first, ...rest] = brands.filter((each) => each !== null).filter((each) => findScheme(each))
  if (!first) throw createNotSupportedError()
  return { scenario: getScenarioName(number), brand: first, additional_brands: rest }
}
