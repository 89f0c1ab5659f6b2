import type { Json } from '../../../../shared/json.ts'
import { type NetworkToken, networkToken } from '../../../../shared/schemas/network-token.ts'
import type { RuleTransform } from '../../../../shared/schemas/rule.ts'
import { formatEventTime, formatIsoTime } from '../../../../shared/time.ts'
import type { WorkBudget } from '../../expressions/work-budget.ts'
import type { Context } from '../../pipeline/context.ts'
import { toCardDetails } from '../cards/card-details.ts'
import { findBin } from '../cards/store.ts'
import { findSourceId } from '../tokens/links.ts'
import { applyTransform } from '../tokens/read/present.ts'
import { getDefaultMask } from '../tokens/types/types.ts'
import type { CardContent } from './source.ts'
import type { NetworkTokenRow } from './store.ts'

/** The sealed content of a network token. SECURITY: `data` is plaintext. */
export type NetworkTokenContent = {
  readonly data: CardContent
  /** What is shown of the card. */
  readonly card: {
    readonly last4: string
    readonly expiration_month: number
    readonly expiration_year: number
  }
  readonly par: string
}

/** Opens the content of a network token. Throws `damaged`. */
export function openContent({ keyring }: Context, { id, content }: NetworkTokenRow): NetworkTokenContent {
  return JSON.parse(keyring.openValue(content, id, 'network_token'))
}

/** Presents a network token. SECURITY: `transform` alone decides how much of its data is shown. */
export function toNetworkToken(
  context: Context,
  row: NetworkTokenRow,
  transform: RuleTransform,
  work: WorkBudget = context.work,
): NetworkToken {
  const { data, card, par } = openContent(context, row)
  const mask = getDefaultMask('network_token', { ...data })
  const shown = networkToken.shape.data.parse(applyTransform(context, work, transform, { ...data }, mask))
  return {
    id: row.id,
    tenant_id: context.tenant_id,
    ...(shown && { data: shown }),
    network_token: toCardDetails({ ...data }, (number) => findBin(context.db, number)),
    card,
    par,
    status: row.status,
    ...findSourceIds(context, row.id),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}

/** The first token and the first token intent from which a network token was created. */
function findSourceIds({ db }: Context, id: string): { token_id?: string; token_intent_id?: string } {
  const token_id = findSourceId(db, id, 'token')
  const token_intent_id = findSourceId(db, id, 'token_intent')
  return {
    ...(token_id !== undefined && { token_id }),
    ...(token_intent_id !== undefined && { token_intent_id }),
  }
}

/** Returns the event data of a network token (rule W-01). SECURITY: never contains its number (rule W-05). */
export function toEventData(
  context: Context,
  { id, status, created_by, created_at }: NetworkTokenRow,
): { network_token: Record<string, Json> } {
  const sources = findSourceIds(context, id)
  return {
    network_token: { id, status, ...sources, created_by, created_at: formatEventTime(created_at) },
  }
}
