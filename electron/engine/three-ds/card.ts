import { invalid } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { cardDetails } from '../cards/card-details.ts'
import { findBin } from '../cards/store.ts'
import type { Context } from '../door/context.ts'
import { openIntentData } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import { openData } from '../tokens/read/present.ts'
import { subjectOf } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import { rulesOf } from '../tokens/types/types.ts'
import { networkOf } from './brands.ts'
import { notSupported } from './requirements.ts'
import { type ScenarioName, scenarioOf } from './scenarios.ts'

/** What 3D Secure is told of a card. SECURITY: not its number. */
type Card = {
  readonly scenario: ScenarioName
  readonly brand: string
  readonly additional_brands: readonly string[]
}

/**
 * Looks at the card of a token (rule S-01). Throws `invalid` where there is no such token, it holds no card, or its
 * network has no 3D Secure; `forbidden` where a rule gives the permission for other containers alone.
 */
export function cardOfToken(context: Context, id: string, path: 'token_id' | 'pan'): Card {
  const row = findToken(context.db, id, context.now)
  if (!row) throw invalid(path, 'must name a token that exists')
  context.require('3ds:session:create', subjectOf(row), 'any')
  if (row.type !== 'card') throw invalid(path, 'must name a token of type card')
  return toCard(context, openData(context, row), path)
}

/** The same for a token intent. SECURITY: rules apply to it as to the default token that it would become. */
export function cardOfIntent(context: Context, id: string): Card {
  const path = 'token_intent_id'
  const row = findTokenIntent(context.db, id, context.now)
  if (!row) throw invalid(path, 'must name a token intent that exists')
  context.require('3ds:session:create', { id, containers: [rulesOf.card.container] }, 'any')
  if (row.type !== 'card') throw invalid(path, 'must name a token intent of type card')
  return toCard(context, openIntentData(context, row), path)
}

function toCard({ db }: Context, data: Json, path: string): Card {
  if (!isObject(data) || typeof data.number !== 'string') throw invalid(path, 'must hold a card number')
  const { number } = data
  const { brand, additional = [] } = cardDetails(number, (digits) => findBin(db, digits))
  const named = [brand, ...additional.map((each) => each.brand)]
  const [first, ...rest] = named.filter((each) => each !== null).filter((each) => networkOf(each))
  if (!first) throw notSupported()
  return { scenario: scenarioOf(number), brand: first, additional_brands: rest }
}
