import { z } from 'zod'
import type { Operation } from '../engine/operation.ts'
import { examples } from './examples.ts'
import { type Route, routes } from './routes.ts'

type Schema = Record<string, unknown>

let document: Schema | undefined

/**
 * The OpenAPI 3.1 document of every operation that has a route, computed from the catalogue once. `url` is the server
 * it names: where it was asked from (rule A-16).
 */
export function openApi(url: string): Schema {
  document ??= compute()
  const { openapi, info, ...rest } = document
  return { openapi, info, servers: [{ url }], ...rest }
}

function compute(): Schema {
  const schemas: Record<string, Schema> = { Problem: problem }
  const paths: Record<string, Record<string, Schema>> = {}
  for (const route of routes) {
    const entry = describe(route, schemas)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: entry }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Coffer',
      version: '1',
      description: 'The tokenization service interface, answered by a vault on this machine.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'SVC-API-KEY' } },
      schemas,
    },
  }
}

const problem: Schema = {
  type: 'object',
  required: ['title', 'status', 'detail'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  },
}

function describe({ name, operation, method, params }: Route, schemas: Record<string, Schema>): Schema {
  const input = toSchema(operation.input, 'input', schemas)
  const properties = (input.properties ?? {}) as Record<string, Schema>
  const required = (input.required ?? []) as string[]
  const inPath = params.map((param) => ({
    name: param,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const members = Object.keys(properties).filter(
    (member) => !params.includes(member) && properties[member]?.deprecated !== true,
  )
  const inQuery =
    method === 'GET'
      ? members.map((member) => parameterOf(member, properties[member] ?? {}, required.includes(member)))
      : []
  const takesBody = method !== 'GET' && method !== 'DELETE' && !operation.bodyless
  return {
    operationId: name,
    summary: operation.summary,
    description: permissionText(operation),
    ...(operation.deprecated && { deprecated: true }),
    tags: [name.split('.')[0]],
    parameters: [...inPath, ...inQuery],
    ...(takesBody && { requestBody: bodyOf(name, operation, method, members, properties, required) }),
    responses: {
      [operation.status]: successOf(operation, schemas),
      default: {
        description: 'A problem document',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function permissionText({ permission }: Operation): string {
  if (permission === 'any-key') return 'For any valid key.'
  if (permission === 'owner') return 'For the owner alone.'
  return `Needs ${[permission].flat().join(' or ')}.`
}

function parameterOf(name: string, schema: Schema, required: boolean): Schema {
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

function bodyOf(
  name: string,
  operation: Operation,
  method: string,
  members: readonly string[],
  properties: Record<string, Schema>,
  required: readonly string[],
): Schema {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const schema = operation.wholeBody
    ? (properties.payload ?? {})
    : {
        type: 'object',
        properties: Object.fromEntries(members.map((member) => [member, properties[member]])),
        required: required.filter((member) => members.includes(member)),
        additionalProperties: false,
      }
  const example = examples[name]
  return { required: true, content: { [type]: { schema, ...(example !== undefined && { example }) } } }
}

function successOf(operation: Operation, schemas: Record<string, Schema>): Schema {
  if (operation.status === 204) return { description: 'Done; no body' }
  const schema = toSchema(operation.output, 'output', schemas)
  return {
    description: operation.status === 201 ? 'Created' : 'OK',
    content: { 'application/json': { schema } },
  }
}

/** A JSON Schema with its shared parts hoisted into the document's components. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Schema>): Schema {
  const { $schema: _, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Schema>)) {
    schemas[name] = hoisted(definition) as Schema
  }
  return hoisted(own) as Schema
}

function hoisted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hoisted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (key === '$id' || (key === 'id' && typeof each === 'string' && 'type' in value)) return []
    if (key === '$ref' && typeof each === 'string')
      return [[key, each.replace('#/$defs/', '#/components/schemas/')]]
    return [[key, hoisted(each)]]
  })
  return Object.fromEntries(entries)
}
