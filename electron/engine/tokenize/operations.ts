import { isObject, type Json } from '../../../shared/json.ts'
import { Problems } from '../../../shared/problems.ts'
import { given, json } from '../../../shared/schemas/common.ts'
import { newToken } from '../../../shared/schemas/token.ts'
import { parsed } from '../../../shared/validation.ts'
import { z } from '../../../shared/zod.ts'
import { encryptedIn } from '../door/encrypted.ts'
import { operation } from '../door/operation.ts'
import { createToken } from '../tokens/write/create.ts'
import { type KeptPayload, keptPayload, showPayload } from './replay.ts'
import { descriptionsOf, requestsOf, withTokens } from './requests.ts'

export const tokenize = operation({
  summary: 'Replace every value in a JSON payload with a token; all of them are created, or none',
  route: 'POST /tokenize',
  permission: 'token:create',
  entity: 'token',
  effect: 'write',
  status: 200,
  wholeBody: true,
  encrypted: (input) =>
    isObject(input) ? descriptionsOf((input.payload ?? null) as Json).flatMap(encryptedIn) : [],
  input: z.strictObject({ payload: given }),
  output: json,
  handler(context, { payload }) {
    const requests = requestsOf(payload, context.settings.tokens_per_tokenize)
    const problems = new Problems()
    const made = requests.flatMap(({ path, request, by_id }) => {
      const each = problems.attempt(() => createToken(context, parsed(newToken, request)), path)
      return each ? [{ ...each, by_id }] : []
    })
    problems.throwIfAny()
    const ids = made.map(({ kept }) => kept.id)
    context.aboutAll(ids)
    context.keep(keptPayload(payload, made), ids)
    return withTokens(
      payload,
      made.map(({ token, by_id }) => (by_id ? token.id : (token as Json))),
    )
  },
  replay: (context, kept: KeptPayload) => showPayload(context, kept),
})
