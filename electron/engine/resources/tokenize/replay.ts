import type { Json } from '../../../../shared/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { CreatedOrFoundToken } from '../tokens/write/create.ts'
import { presentCreatedToken, type TokenReplay } from '../tokens/write/replay.ts'
import { mapPayload } from './payload.ts'
import { replaceTokenRequests } from './requests.ts'

/**
 * The replay data of a tokenize request (rule A-12): the tokens, and the payload with an index into them in place
 * of each value.
 */
export type TokenizeReplay = {
  readonly payload: Json
  readonly tokens: readonly (TokenReplay & { readonly by_id: boolean })[]
}

/** Returns the replay data (rule A-12). SECURITY: an index replaces every value, so that no value is stored. */
export function toTokenizeReplay(
  payload: Json,
  created: readonly (CreatedOrFoundToken & { readonly by_id: boolean })[],
): TokenizeReplay {
  const numbers = created.map((_, number) => number)
  const tokens = created.map(({ replayData, by_id }) => ({ ...replayData, by_id }))
  return { payload: replaceTokenRequests(payload, numbers), tokens }
}

/**
 * Returns the payload with its tokens. Each token is presented with the access that the caller has now (rule A-12).
 * Throws `forbidden`, and `conflict` if a token no longer exists.
 */
export function presentPayload(context: Context, { payload, tokens }: TokenizeReplay): Json {
  const presented = tokens.map((stored): Json => {
    const token = presentCreatedToken(context, stored)
    return stored.by_id ? token.id : (token as Json)
  })
  context.setRecordEntities(tokens.map(({ id }) => id))
  return mapPayload(payload, (value) => (typeof value === 'number' ? (presented[value] ?? null) : undefined))
}
