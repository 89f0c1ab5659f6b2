import { isObject } from '../../../../shared/json.ts'
import { type AgenticCard, agenticBrands } from '../../../../shared/schemas/agentic.ts'
import { decideAccess } from '../../access/access.ts'
import type { Context } from '../../pipeline/context.ts'
import { toCardDetails } from '../cards/card-details.ts'
import { findBin } from '../cards/store.ts'
import { openData } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import { createAgenticError } from './errors.ts'
import { type CardScenario, findScenario } from './scenarios.ts'

/**
 * Reads what an enrollment keeps of a token's card. Throws `INVALID_TOKEN`, `UNSUPPORTED_PROVIDER`. SECURITY: a token
 * that the caller may not enroll gets the same error as one that does not exist.
 */
export function readCard(context: Context, token_id: string): { card: AgenticCard; scenario: CardScenario } {
  const row = findToken(context.db, token_id, context.now)
  const data =
    row?.type === 'card' && decideAccess(context.actor, 'enrollment:create', toSubject(row), 'any')
      ? openData(context, row)
      : null
  if (!isObject(data) || typeof data.number !== 'string') throw createAgenticError('INVALID_TOKEN')
  const { number, expiration_month = null, expiration_year = null } = data
  const { funding, authentication, additional, product, ...details } = toCardDetails(
    { number, expiration_month, expiration_year },
    (digits) => findBin(context.db, digits),
  )
  const brand = agenticBrands.find((each) => each === details.brand)
  if (!brand) throw createAgenticError('UNSUPPORTED_PROVIDER')
  const card = { ...details, brand, ...(funding !== null && { funding }) }
  return { card, scenario: findScenario(number, brand) }
}
