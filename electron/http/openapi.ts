import { documentRequest } from '../../shared/schemas/document.ts'
import { z } from '../../shared/zod.ts'
import type { Operation } from '../engine/index.ts'
import { describeStream } from './documents/openapi.ts'
import {
  errorResponses,
  getErrorReferences,
  problem,
  proxyError,
  threeDsError,
  toReferences,
} from './error-responses.ts'
import { examples } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import { identifyOperation } from './operation-ids.ts'
import type { OwnRoute } from './own-route.ts'
import { proxyDocument } from './proxy/document.ts'
import { publicRoutes } from './public-routes.ts'
import { type HttpRoute, routes, streamedRoutes } from './routes.ts'
import { testControlRoutes } from './test-control-routes.ts'

const OWN = 'coffer'

let document: JsonSchema | undefined

/**
 * Returns the OpenAPI 3.1 document of every operation that has a route. It is built once, from the catalogue. `url`
 * is the server that the document names: the base URL from which the document was requested (rule A-16).
 */
export function openApi(url: string): JsonSchema {
  document ??= buildDocument()
  const { openapi, info, ...rest } = document
  return { openapi, info, servers: [{ url }], ...rest }
}

function buildDocument(): JsonSchema {
  const schemas: Record<string, JsonSchema> = {
    Problem: problem,
    ProxyError: proxyError,
    ThreeDsError: threeDsError,
  }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const entry = describeRoute(route, schemas)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: entry }
  }
  for (const route of streamedRoutes) {
    const entry = describeRoute(route, schemas)
    const request = toSchema(documentRequest, 'input', schemas)
    const { responses, ...rest } = describeStream(route.name, request)
    const { [route.operation.status]: _, ...refusals } = entry.responses as JsonSchema
    const described = { ...entry, ...rest, responses: { ...(responses as JsonSchema), ...refusals } }
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
  }
  paths['/proxy'] = proxyDocument
  for (const route of [...publicRoutes, ...testControlRoutes]) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOwnRoute(route, schemas),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Coffer',
      version: '1',
      description: 'The tokenization service API, served by a vault on this machine.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ key: [] }],
    tags: [
      {
        name: OWN,
        description: 'Routes of Coffer itself: health checks, and test controls for a vault.',
      },
    ],
    paths,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'SVC-API-KEY' } },
      responses: errorResponses,
      schemas,
    },
  }
}

function describeRoute(route: HttpRoute, schemas: Record<string, JsonSchema>): JsonSchema {
  const { name, operation, method, path, params } = route
  const input = toSchema(operation.input, 'input', schemas)
  const properties = (input.properties ?? {}) as Record<string, JsonSchema>
  const required = (input.required ?? []) as string[]
  const inPath = params.map((param) => ({
    name: param,
    in: 'path',
    required: true,
    // Callers can choose the id of a token; all other ids are UUIDs.
    schema:
      operation.entity === 'token' ? { type: 'string', minLength: 1 } : { type: 'string', format: 'uuid' },
  }))
  const members = Object.keys(properties).filter(
    (member) => !params.includes(member) && properties[member]?.deprecated !== true,
  )
  const queryNames = Object.fromEntries(
    Object.entries(operation.queryNames ?? {}).map(([parameter, member]) => [member, parameter]),
  )
  const inQuery =
    method === 'GET'
      ? members.map((member) =>
          toQueryParameter(queryNames[member] ?? member, properties[member] ?? {}, required.includes(member)),
        )
      : []
  const takesBody = method !== 'GET' && method !== 'DELETE' && (!operation.bodyless || members.length > 0)
  return {
    ...identifyOperation(name, path),
    summary: operation.summary,
    description: describeRequiredPermission(operation),
    ...(operation.deprecated && { deprecated: true }),
    tags: [name.split('.')[0]],
    parameters: [...inPath, ...inQuery],
    ...(takesBody && { requestBody: toRequestBody(name, operation, method, members, input) }),
    responses: {
      ...(!operation.always && { [operation.status]: toSuccessResponse(operation, schemas) }),
      ...getErrorReferences(route),
    },
  }
}

function describeOwnRoute(
  { path, name, tag, summary, description, permission, body, example, output, response, refusals }: OwnRoute,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  return {
    ...identifyOperation(name, path),
    summary,
    description: permission ? `${description} Needs ${permission}.` : description,
    tags: [tag ?? OWN],
    ...(!permission && { security: [] }),
    parameters: params.map((param) => ({
      name: param,
      in: 'path',
      required: true,
      schema: { type: 'string', minLength: 1 },
    })),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toSchema(body, 'input', schemas), example } },
      },
    }),
    responses: {
      ...(response && { 200: response }),
      ...(output && {
        200: { description: 'OK', content: toJsonContent(toSchema(output, 'output', schemas)) },
      }),
      ...(!response && !output && { 204: { description: 'Success, without a body' } }),
      ...toReferences(refusals),
    },
  }
}

function toJsonContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

function describeRequiredPermission({ permission }: Operation): string {
  if (permission === 'any-key') return 'For any valid key.'
  if (permission === 'owner' || permission === 'cardholder') return 'Only for the owner.'
  return `Needs ${[permission].flat().join(' or ')}.`
}

function toQueryParameter(name: string, schema: JsonSchema, required: boolean): JsonSchema {
  if (name === 'metadata') {
    return {
      name,
      in: 'query',
      style: 'deepObject',
      explode: true,
      description: schema.description,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
    }
  }
  const { description, ...rest } = schema
  return { name, in: 'query', required, ...(description !== undefined && { description }), schema: rest }
}

function toRequestBody(
  name: string,
  operation: Operation,
  method: string,
  members: readonly string[],
  { properties, required = [], not }: JsonSchema,
): JsonSchema {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const all = properties as Record<string, JsonSchema>
  const schema = operation.wholeBody
    ? (all.payload ?? {})
    : {
        type: 'object',
        properties: Object.fromEntries(members.map((member) => [member, all[member]])),
        required: (required as string[]).filter((member) => members.includes(member)),
        additionalProperties: false,
        ...(not !== undefined && { not }),
      }
  const example = examples[name]
  return {
    required: !operation.bodyless,
    content: { [type]: { schema, ...(example !== undefined && { example }) } },
  }
}

const descriptions = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const

function toSuccessResponse(operation: Operation, schemas: Record<string, JsonSchema>): JsonSchema {
  if (operation.status === 204) return { description: 'Success, without a body' }
  const schema = toSchema(operation.answers ?? operation.output, 'output', schemas)
  return {
    description: descriptions[operation.status],
    ...(operation.status === 201 && {
      headers: { Location: { description: 'The path of the new resource', schema: { type: 'string' } } },
    }),
    content: toJsonContent(schema),
  }
}

/** Converts a schema to JSON Schema, and moves shared definitions into the components of the document. */
function toSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { $schema: _, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
  for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
    schemas[name] = withTimes(simplifySchema(definition), io) as JsonSchema
  }
  return withTimes(simplifySchema(own), io) as JsonSchema
}

/** Marks the times of a response as `date-time`; a request may also use other formats (rule A-13). */
function withTimes(value: unknown, io: 'input' | 'output'): unknown {
  if (io === 'input' || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => withTimes(each, io))
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    /_(at|date)$/.test(name) && each?.type === 'string'
      ? { ...each, format: 'date-time' }
      : withTimes(each, io),
  ])
  return Object.fromEntries(entries)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}

function simplifySchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplifySchema)
  if (!isSchema(value)) return value
  if ('documented' in value) return { ...keepDescription(value), ...(value.documented as JsonSchema) }
  const isAnyInteger = value.minimum === Number.MIN_SAFE_INTEGER
  const entries = Object.entries(normalizeSpelling(value)).flatMap(([key, each]): [string, unknown][] => {
    if (isAnyInteger && (key === 'minimum' || key === 'maximum')) return []
    if (key === '$id' || (key === 'id' && typeof each === 'string' && 'type' in value)) return []
    if (key === '$ref' && typeof each === 'string')
      return [[key, each.replace('#/$defs/', '#/components/schemas/')]]
    return [[key, simplifySchema(each)]]
  })
  return Object.fromEntries(entries)
}

/**
 * Removes the alternative spellings of an object's fields. The schema then allows additional fields, so that those
 * spellings stay valid.
 */
function normalizeSpelling(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object' || schema.properties === undefined) return schema
  const members = Object.entries(schema.properties as Record<string, JsonSchema>)
  const alternatives = members.flatMap(([name, { second_spelling }]) =>
    second_spelling === true ? [name] : [],
  )
  if (alternatives.length === 0) return schema
  const { additionalProperties: _, ...rest } = schema
  const required = (schema.required as string[]).filter((name) => !alternatives.includes(name))
  return {
    ...rest,
    properties: Object.fromEntries(members.filter(([name]) => !alternatives.includes(name))),
    required,
  }
}

/** Returns the parts of a zod schema that remain when a documented schema replaces it. */
function keepDescription({ description, default: fallback, bounds }: JsonSchema): JsonSchema {
  const text = bounds === undefined ? description : `${description}: ${bounds}`
  return {
    ...(text !== undefined && { description: text }),
    ...(fallback !== undefined && { default: fallback }),
  }
}
