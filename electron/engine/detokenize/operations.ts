import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { given, json } from '../../../shared/schemas/common.ts'
import { z } from '../../../shared/zod.ts'
import { operation } from '../door/operation.ts'
import { MAX_VALUE, newBudget, sizeOf } from '../expressions/bounds.ts'
import { at, compile, evaluateWithin } from '../expressions/template.ts'
import { textOf } from '../expressions/value.ts'
import type { Work } from '../expressions/work.ts'
import { eachText, mapPayload } from '../tokenize/payload.ts'
import { Room } from '../tokens/read/room.ts'
import { type Expression, eachExpression, expressionsOf } from './expressions.ts'
import { listedIds } from './unknown-ids.ts'
import { lookUp } from './values.ts'

export const detokenize = operation({
  summary: 'Replace every expression in a JSON payload with what it reads from a token',
  route: 'POST /detokenize',
  permission: 'token:read',
  entity: 'token',
  effect: 'read',
  status: 200,
  wholeBody: true,
  input: z.strictObject({ payload: given }),
  output: json,
  handler(context, { payload }) {
    const places = placesOf(payload, context.settings.expressions_per_detokenize)
    const room = new Room(context)
    const values = new Map<string, Json>()
    const missing = new Map<string, string[]>()
    const unknown = new Set<string>()
    for (const { path, expressions } of places) {
      for (const each of expressions) {
        if (values.has(nameOf(each))) continue
        const value = lookUp(context, room, each)
        if (value !== undefined) {
          values.set(nameOf(each), value)
          continue
        }
        unknown.add(each.id)
        missing.set(path || 'body', ['names a token that does not exist'])
      }
    }
    if (unknown.size > 0) {
      const detail = `Failed to detokenize some tokens: ${listedIds(unknown)}`
      throw new CofferError('invalid', detail, { errors: Object.fromEntries(missing) })
    }
    context.aboutAll(places.flatMap(({ expressions }) => expressions.map(({ id }) => id)))
    return places.length === 0 ? payload : evaluated(context.work, payload, values)
  },
})

function nameOf({ kind, id }: Expression): string {
  return `${kind}:${id}`
}

/**
 * The strings in a payload that contain expressions, with their paths. Throws `invalid` where they are more than
 * `most`, and looks no further then (case X-65).
 */
function placesOf(payload: Json, most: number): { path: string; expressions: Expression[] }[] {
  const places: { path: string; expressions: Expression[] }[] = []
  let left = most
  eachText(payload, (value, placed) => {
    if (!value.includes('{{')) return
    const path = placed()
    const expressions: Expression[] = []
    eachExpression(value, path || 'body', (expression) => {
      if (--left < 0) {
        throw invalid('body', `holds more than ${most} expressions; the tenant allows ${most} in one request`)
      }
      expressions.push(expression)
    })
    places.push({ path, expressions })
  })
  return places
}

/**
 * The payload with its expressions evaluated; a string that is a single expression keeps the native type (rule E-08).
 * SECURITY: all expressions share one budget of work and size, so repeating a large token gains nothing.
 */
function evaluated(work: Work, payload: Json, values: ReadonlyMap<string, Json>): Json {
  const budget = newBudget(work)
  let size = 0
  return mapPayload(payload, (value, placed) => {
    if (typeof value !== 'string' || !value.includes('{{')) return undefined
    const place = placed() || 'body'
    const results = expressionsOf(value, place).map((part): Json => {
      if (typeof part === 'string') return part
      const scope = { data: values.get(nameOf(part)) ?? null }
      const result = at(
        () => place,
        () => evaluateWithin(budget, compile(work, part.source, ''), scope),
      )
      size += sizeOf(result, MAX_VALUE)
      if (size > MAX_VALUE) throw invalid(place, 'makes the response too long')
      return result
    })
    const [only = null] = results
    return results.length === 1 ? only : results.map(textOf).join('')
  })
}
