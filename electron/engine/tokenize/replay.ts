import type { Json } from '../../../shared/json.ts'
import type { Context } from '../pipeline/context.ts'
import type { CreatedOrFoundToken } from '../tokens/write/create.ts'
import { presentCreatedToken, type TokenReplay } from '../tokens/write/replay.ts'
import { mapPayload } from './payload.ts'
import { replaceTokenRequests } from './requests.ts'

/** What a tokenize request keeps (rule A-12): its tokens, and its payload with their numbers in place of values. */
export type TokenizeReplay = {
  readonly payload: Json
  readonly tokens: readonly (TokenReplay & { readonly by_id: boolean })[]
}

/** Returns what a tokenize request keeps (rule A-12). SECURITY: numbers replace all values, so none is kept. */
export function toTokenizeReplay(
  payload: Json,
  created: readonly (CreatedOrFoundToken & { readonly by_id: boolean })[],
): TokenizeReplay {
  const numbers = created.map((_, number) => number)
  const tokens = created.map(({ replayData, by_id }) => ({ ...replayData, by_id }))
  return { payload: replaceTokenRequests(payload, numbers), tokens }
}

/** Returns the payload with its tokens as the caller may create and see them now (rule A-12). Throws 403, 409. */
export function presentPayload(context: Context, { payload, tokens }: TokenizeReplay): Json {
  const presented = tokens.map((stored): Json => {
    const token = presentCreatedToken(context, stored)
    return stored.by_id ? token.id : (token as Json)
  })
  context.setRecordEntities(tokens.map(({ id }) => id))
  return mapPayload(payload, (value) => (typeof value === 'number' ? (presented[value] ?? null) : undefined))
}
