import type { JsonSchema } from '../json-schema.ts'

/** A field of a request or response, formatted for display. */
export type DocumentedField = {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

type ParameterLocation = 'path' | 'query' | 'header'

/** An operation, taken from the OpenAPI document. */
export type ReferenceOperation = {
  readonly id: string
  readonly group: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly parameters: readonly (DocumentedField & {
    readonly place: ParameterLocation
    readonly example?: string
  })[]
  readonly body: {
    readonly type: string
    readonly members: readonly DocumentedField[]
    readonly example: unknown
  } | null
  readonly status: string
  readonly answer: string
}

type OpenApiParameter = {
  readonly name: string
  readonly in: ParameterLocation
  readonly required?: boolean
  readonly description?: string
  readonly example?: string
  readonly schema: JsonSchema
}
type MediaTypes = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>
type OpenApiOperation = {
  readonly 'x-operation-name': string
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly tags: readonly string[]
  readonly parameters: readonly OpenApiParameter[]
  readonly requestBody?: { readonly content: MediaTypes }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: MediaTypes }>
  >
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Returns every operation of an OpenAPI document, sorted by resource, path and method. */
export function listReferenceOperations(document: JsonSchema): ReferenceOperation[] {
  const paths = document.paths as Record<string, Record<string, OpenApiOperation>>
  const entries = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => toReferenceOperation(method, path, operation)),
  )
  return entries.sort(
    (a, b) =>
      a.group.localeCompare(b.group) ||
      Number(a.deprecated) - Number(b.deprecated) ||
      a.path.length - b.path.length ||
      a.path.localeCompare(b.path) ||
      methods.indexOf(a.method.toLowerCase()) - methods.indexOf(b.method.toLowerCase()),
  )
}

/** Returns the named schemas of an OpenAPI document with their fields. */
export function listShapes(document: JsonSchema): { name: string; members: DocumentedField[] }[] {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> }
  return Object.entries(schemas)
    .map(([name, schema]) => ({ name, members: listFields(schema) }))
    .filter(({ members }) => members.length > 0)
    .sort((a, b) => a.name.localeCompare(b.name))
}

function toReferenceOperation(method: string, path: string, operation: OpenApiOperation): ReferenceOperation {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  // Only removed operations have no success status.
  const [status, answer] = success ?? ['410', undefined]
  const shape = Object.values(answer?.content ?? {})[0]?.schema
  return {
    id: operation['x-operation-name'],
    group: operation.tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    deprecated: operation.deprecated === true,
    parameters: operation.parameters.map(({ name, in: place, required, description, example, schema }) => ({
      name: place === 'query' && name === 'metadata' ? 'metadata.<key>' : name,
      place,
      type: describeType(schema),
      required: required === true,
      description: description ?? '',
      ...(example !== undefined && { example }),
    })),

    body:
      type === undefined || !content
        ? null
        : { type, members: listFields(content.schema), example: content.example },
    status,
    answer: shape ? describeType(shape) : success ? 'nothing' : 'Problem',
  }
}

function listFields(schema: JsonSchema): DocumentedField[] {
  const required = (schema.required ?? []) as string[]
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, member]) => ({
    name,
    type: describeType(member),
    required: required.includes(name),
    description: getDescription(member),
  }))
}

function getDescription(schema: JsonSchema): string {
  const own = schema.description as string | undefined
  const inner = (schema.anyOf as JsonSchema[] | undefined)?.find((each) => each.description !== undefined)
  const text = own ?? (inner?.description as string | undefined) ?? ''
  return text === 'Any JSON value' ? '' : text
}

/** Describes a schema: `string, at most 400 characters`, `list of AccessRule`, `Token`. */
function describeType(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) as string
  if (Array.isArray(schema.enum)) return schema.enum.map((each) => JSON.stringify(each)).join(' · ')
  if ('const' in schema) return JSON.stringify(schema.const)
  const alternatives = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as JsonSchema[] | undefined
  if (alternatives) {
    const texts = alternatives.filter((each) => each.type !== 'null').map(describeType)
    return [...new Set(texts)].join(' or ')
  }
  const types = [schema.type ?? 'any JSON'].flat().filter((type) => type !== 'null') as string[]
  if (types.includes('array')) return `list of ${describeType((schema.items ?? {}) as JsonSchema)}`
  if (types.includes('object')) return describeObjectType(schema)
  return types.join(' or ') + describeLimits(schema)
}

function describeObjectType(schema: JsonSchema): string {
  const { properties, additionalProperties } = schema as {
    properties?: JsonSchema
    additionalProperties?: JsonSchema
  }
  if (properties) return `{ ${Object.keys(properties).join(', ')} }`
  return typeof additionalProperties === 'object' ? `map of ${describeType(additionalProperties)}` : 'object'
}

function describeLimits({ maxLength, minimum, maximum }: JsonSchema): string {
  if (typeof maxLength === 'number') return `, at most ${maxLength} characters`
  if (typeof maximum !== 'number' || Math.abs(maximum) > 1e15) return ''
  return `, ${String(minimum)} to ${maximum}`
}
