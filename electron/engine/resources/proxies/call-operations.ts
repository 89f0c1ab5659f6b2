import { CofferError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { json, withJsonSchema } from '../../../../shared/schemas/common.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import { type ProxyTransform, transform as transformSchema } from '../../../../shared/schemas/transform.ts'
import { parseInput } from '../../../../shared/validation.ts'
import { z } from '../../../../shared/zod.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { toApplicationContext } from '../callables/application.ts'
import { openConfiguration } from '../callables/configuration.ts'
import { createToken } from '../tokens/write/create.ts'
import { findEncryptedInCall } from './encrypted.ts'
import { type PreparedCall, type ProxyCall, prepareCall } from './prepare.ts'
import { findProxy } from './store.ts'
import { applyTransforms, type TransformState } from './transform.ts'

/** One step of a call of a pre-configured proxy: transforms without code. */
export type TransformStep = {
  readonly proxy_id: string
  readonly side: 'request' | 'response'
  readonly transforms: readonly ProxyTransform[]
  /** The number of transforms of the same side that ran before these. */
  readonly before: number
  readonly state: TransformState
}

const text = z.string()
const bytes = z.instanceof(Buffer, { error: 'must be bytes' }).nullable()
const headers = z.array(z.tuple([text, text]))
const call: z.ZodType<ProxyCall> = z.strictObject({
  proxy_key: text.nullable(),
  proxy_url: text.nullable(),
  method: text,
  path: text,
  query: text,
  headers,
  body: bytes,
})
const transforming: z.ZodType<TransformState> = z.strictObject({
  message: z.strictObject({ headers, body: bytes }),
  shown: z.strictObject({ headers, body: text.nullable(), isCoded: z.boolean().optional() }),
  secrets: z.array(text),
  made: z.record(text, json),
  encrypted: json.optional(),
  spent: z.number().optional(),
})
const step: z.ZodType<TransformStep> = z.strictObject({
  proxy_id: text,
  side: z.enum(['request', 'response']),
  transforms: z.array(transformSchema),
  before: z.int(),
  state: transforming,
})

export const invoke = defineOperation({
  summary: 'Call a destination through a proxy',
  route: 'POST /proxy',
  passedOn: true,
  listEncrypted: findEncryptedInCall,
  permission: 'any-key',
  entity: 'proxy',
  effect: 'read',
  input: call,
  output: withJsonSchema(z.custom<PreparedCall>(), {}),
  handler: prepareCall,
})

export const transform = defineOperation({
  summary: 'Transform the request or response of a proxied call',
  permission: 'any-key',
  entity: 'proxy',
  input: step,
  output: transforming,
  handler: runTransformStep,
})

export const transformAndTokenize = defineOperation({
  summary: 'Transform the request or response of a proxied call, and create tokens from it',
  permission: 'any-key',
  entity: 'proxy',
  effect: 'write',
  input: step,
  output: transforming,
  handler: runTransformStep,
})

function runTransformStep(
  context: Context,
  { proxy_id, side, transforms, before, state }: TransformStep,
): TransformState {
  context.setRecordEntity(proxy_id)
  const row = findProxy(context.db, proxy_id)
  if (!row) throw new CofferError('not_found', 'There is no proxy with this key.')
  const createdIds: string[] = []
  const createTransformToken = (request: Json): Json => {
    // SECURITY: a proxy whose application is deleted creates nothing, because the caller's own rights may be
    // different.
    const creator =
      row.application_id === null ? context : toApplicationContext(context, row.application_id, 'proxy')
    const { token } = createToken(creator, parseInput(newToken, request))
    createdIds.push(token.id)
    return token as Json
  }
  const configuration = openConfiguration(context, row)
  const read: string[] = []
  const after = applyTransforms(context, transforms, state, {
    side,
    configuration,
    make: createTransformToken,
    before,
    read,
  })
  if (createdIds.length > 0 || read.length > 0) {
    context.setRecordEntities([...createdIds, ...read])
    context.excludeFromRequestCount('tokens used or created by transforms')
  } else context.skipRecord()
  return after
}
