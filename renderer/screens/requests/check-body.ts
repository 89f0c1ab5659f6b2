import { isNumber, isObject, type Json, type JsonObject, toDouble } from '../../../shared/json.ts'
import type { ApiSchema } from '../../parts/api/api-document.ts'
import type { JsonFault } from '../../ui/text/editor/json-props.ts'
import { strings } from './strings.ts'

const t = strings.build
const MAX_PROBLEMS = 8

/**
 * Validates a body against a schema and returns the errors with their places. Checks only required and unknown
 * members, types, enumerations and alternatives, because the vault checks the rest.
 */
export function checkBody(value: Json, schema: ApiSchema, schemas: JsonObject, name = 'body'): JsonFault[] {
  const resolved = resolveSchema(schema, schemas)
  const alternatives = Array.isArray(resolved.anyOf) ? resolved.anyOf.filter(isObject) : []
  if (alternatives.length > 0) {
    const problemLists = alternatives.map((each) => checkBody(value, each, schemas, name))
    return problemLists.some((problems) => problems.length === 0) ? [] : pickShortest(problemLists)
  }
  const types = [resolved.type].flat().filter((type) => typeof type === 'string')
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [{ path: name, message: t.wrongType(name, types.join(' or ')) }]
  if (Array.isArray(resolved.enum) && !resolved.enum.includes(value)) {
    return [{ path: name, message: t.oneOf(name, resolved.enum.join(', ')) }]
  }
  if (Array.isArray(value) && isObject(resolved.items)) {
    const { items } = resolved
    return value
      .flatMap((each, index) => checkBody(each, items, schemas, `${name}[${index}]`))
      .slice(0, MAX_PROBLEMS)
  }
  return isObject(value) ? checkMembers(value, resolved, schemas, name) : []
}

function checkMembers(value: JsonObject, schema: ApiSchema, schemas: JsonObject, name: string): JsonFault[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const formatPath = (member: string) => (name === 'body' ? member : `${name}.${member}`)
  const missing = required
    .filter((member) => !(member in value))
    .map((member) => ({ path: name, message: t.needs(formatPath(member)) }))
  const rest = Object.entries(value).flatMap(([member, each]) => {
    const own = properties[member]
    if (isObject(own)) return checkBody(each, own, schemas, formatPath(member))
    const path = formatPath(member)
    return schema.additionalProperties === false ? [{ path, isName: true, message: t.unknown(path) }] : []
  })
  return [...missing, ...rest].slice(0, MAX_PROBLEMS)
}

function pickShortest(problemLists: readonly JsonFault[][]): JsonFault[] {
  return problemLists.reduce((best, problems) => (problems.length < best.length ? problems : best))
}

export function resolveSchema(schema: ApiSchema, schemas: JsonObject): ApiSchema {
  if (typeof schema.$ref !== 'string') return schema
  const target = schemas[schema.$ref.split('/').at(-1) ?? '']
  return isObject(target) ? target : {}
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return isNumber(value) && Number.isInteger(toDouble(value))
    case 'number':
      return isNumber(value)
    default:
      return typeof value === type
  }
}
