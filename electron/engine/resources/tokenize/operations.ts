import { isObject, type Json } from '../../../../shared/json.ts'
import { Problems } from '../../../../shared/problems.ts'
import { json, requiredJson } from '../../../../shared/schemas/common.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import { parseInput } from '../../../../shared/validation.ts'
import { z } from '../../../../shared/zod.ts'
import { getEncrypted } from '../../pipeline/encrypted.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { createToken } from '../tokens/write/create.ts'
import { presentPayload, type TokenizeReplay, toTokenizeReplay } from './replay.ts'
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
      const token = problems.attemptCheck(() => createToken(context, parseInput(newToken, request)), path)
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
