import type { Json } from '../../../shared/json.ts'
import type { Context } from '../door/context.ts'
import type { Made } from '../tokens/write/create.ts'
import { type KeptToken, showCreated } from '../tokens/write/replay.ts'
import { mapPayload } from './payload.ts'
import { withTokens } from './requests.ts'

/** What a tokenize request keeps (rule A-12): its tokens, and its payload with their numbers in place of values. */
export type KeptPayload = {
  readonly payload: Json
  readonly tokens: readonly (KeptToken & { readonly by_id: boolean })[]
}

/** Returns what a tokenize request keeps (rule A-12). SECURITY: numbers replace all values, so none is kept. */
export function keptPayload(
  payload: Json,
  made: readonly (Made & { readonly by_id: boolean })[],
): KeptPayload {
  const numbers = made.map((_, number) => number)
  const tokens = made.map(({ kept, by_id }) => ({ ...kept, by_id }))
  return { payload: withTokens(payload, numbers), tokens }
}

/** Returns the payload with its tokens as the caller may create and see them now (rule A-12). Throws 403, 409. */
export function showPayload(context: Context, { payload, tokens }: KeptPayload): Json {
  const shown = tokens.map((kept): Json => {
    const token = showCreated(context, kept)
    return kept.by_id ? token.id : (token as Json)
  })
  context.aboutAll(tokens.map(({ id }) => id))
  return mapPayload(payload, (value) => (typeof value === 'number' ? (shown[value] ?? null) : undefined))
}
