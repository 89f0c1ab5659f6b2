import { isObject, type Json } from '../../../../shared/json.ts'
import { Problems } from '../../../../shared/problems.ts'
import { json, requiredJson } from '../../../../shared/schemas/common.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import { z } from '../../../../shared/zod.ts'
import type { Context } from '../../pipeline/context.ts'
import { getEncrypted } from '../../pipeline/encrypted.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { type CreatedOrFoundToken, createToken } from '../tokens/write/create.ts'
import { newTokenRow } from '../tokens/write/new-row.ts'
import { presentCreatedToken, type TokenReplay } from '../tokens/write/replay.ts'
import { mapPayload } from './payload.ts'
import { findTokenDescriptions, findTokenRequests, replaceTokenRequests } from './requests.ts'

export const tokenize = defineOperation({
  summary: 'Replace every value in a JSON payload with a token; creates all tokens or none',
  route: 'POST /tokenize',
  permission: 'token:create',
  entity: 'token',
  wholeBody: true,
  listEncrypted: (input) =>
    isObject(input) ? findTokenDescriptions((input.payload ?? null) as Json).flatMap(getEncrypted) : [],
  input: z.strictObject({ payload: requiredJson }),
  output: json,
  handler(context, { payload }) {
    const requests = findTokenRequests(payload, context.settings.tokens_per_tokenize)
    const problems = new Problems()
    const created = requests.flatMap(({ path, request, by_id }) => {
      const token = problems.attemptCheck(() => {
        const input = context.parsePart({ schema: newToken, part: request, under: path }, newTokenRow)
        return createToken(context, input)
      }, path)
      return token ? [{ ...token, by_id }] : []
    })
    problems.throwIfAny()
    const ids = created.map(({ replayData }) => replayData.id)
    context.setRecordEntities(ids)
    context.storeReplay(toTokenizeReplay(payload, created), ids)
    return replaceTokenRequests(
      payload,
      created.map(({ token, by_id }) => (by_id ? token.id : (token as Json))),
    )
  },
  replay: (context, replayData: TokenizeReplay) => presentPayload(context, replayData),
})

/** The replay data of a tokenize request (rule A-12): the tokens, and the payload with their indexes as values. */
type TokenizeReplay = {
  readonly payload: Json
  readonly tokens: readonly (TokenReplay & { readonly by_id: boolean })[]
}

/** Returns the replay data (rule A-12). SECURITY: an index replaces every value, so that no value is stored. */
function toTokenizeReplay(
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
function presentPayload(context: Context, { payload, tokens }: TokenizeReplay): Json {
  const presented = tokens.map((stored): Json => {
    const token = presentCreatedToken(context, stored)
    return stored.by_id ? token.id : (token as Json)
  })
  context.setRecordEntities(tokens.map(({ id }) => id))
  return mapPayload(payload, (value) => (typeof value === 'number' ? (presented[value] ?? null) : undefined))
}
