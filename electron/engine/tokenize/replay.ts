import type { Json } from '../../../shared/json.ts'
import type { Context } from '../door/context.ts'
import type { Made } from '../tokens/write/create.ts'
import { type KeptToken, showCreated } from '../tokens/write/replay.ts'
import { mapPayload } from './payload.ts'
import { withTokens } from './requests.ts'

/** What a tokenize request keeps (rule A-12): its tokens, and its payload with the number of each in its place. */
export type KeptPayload = {
  readonly payload: Json
  readonly tokens: readonly (KeptToken & { readonly by_id: boolean })[]
}

/** SECURITY: every value of the payload has become a token, so that none is kept. */
export function keptPayload(
  payload: Json,
  made: readonly (Made & { readonly by_id: boolean })[],
): KeptPayload {
  const numbers = made.map((_, number) => number)
  const tokens = made.map(({ kept, by_id }) => ({ ...kept, by_id }))
  return { payload: withTokens(payload, numbers), tokens }
}

/** The payload with its tokens as the caller may make and see them now (rule A-12). Throws 403 and 409. */
export function showPayload(context: Context, { payload, tokens }: KeptPayload): Json {
  const shown = tokens.map((kept): Json => {
    const token = showCreated(context, kept)
    return kept.by_id ? token.id : (token as Json)
  })
  context.aboutAll(tokens.map(({ id }) => id))
  return mapPayload(payload, (value) => (typeof value === 'number' ? (shown[value] ?? null) : undefined))
}
