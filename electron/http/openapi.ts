import { documentRequest } from '../../shared/schemas/document.ts'
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
import { IGNORED_HEADER } from './ignored-members.ts'
import type { JsonSchema } from './json-schema.ts'
import { describeLinksToMade, describeLinkToNext } from './openapi-links.ts'
import { OpenApiSchemas } from './openapi-schemas.ts'
import { needsKey, securitySchemes } from './openapi-security.ts'
import { identifyOperation } from './operation-ids.ts'
import type { OwnRoute } from './own-route.ts'
import { proxyDocument } from './proxy/document.ts'
import { publicRoutes } from './public-routes.ts'
import { type HttpRoute, routes, streamedRoutes } from './routes.ts'
import { testControlRoutes } from './test-control-routes.ts'

const OWN = 'coffer'

const documents = new Map<boolean, JsonSchema>()

/**
 * Returns the OpenAPI 3.1 document of every operation that has a route. It is built once, from the catalogue. `url`
 * is the server that the document names: the base URL from which the document was requested (rule A-16). With `strict`,
 * it describes a listener that rejects unknown members (rule A-08).
 */
export function openApi(
  url: string,
  { strict }: { readonly strict: boolean } = { strict: false },
): JsonSchema {
  const document = documents.get(strict) ?? buildDocument(strict)
  documents.set(strict, document)
  const { openapi, info, ...rest } = document
  return { openapi, info, servers: [{ url }], ...rest }
}

const responseHeaders = {
  [IGNORED_HEADER]: toHeader(
    'The unknown members and parameters of the request, which were ignored; at most 20 names',
  ),
}

function buildDocument(strict: boolean): JsonSchema {
  const named = { Problem: problem, ProxyError: proxyError, ThreeDsError: threeDsError }
  const schemas = new OpenApiSchemas(named, strict)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const entry = describeRoute(route, schemas)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: entry }
  }
  for (const route of streamedRoutes) {
    const entry = describeRoute(route, schemas)
    const request = schemas.toInput(documentRequest)
    const { success, refusals, ...rest } = describeStream(route.name, request)
    const { status } = route.operation
    const { [status]: json, ...others } = entry.responses
    const headers = { ...json?.headers, ...success.headers }
    const responses = { [status]: { ...json, ...success, headers }, ...refusals, ...others }
    const described = { ...entry, ...rest, responses }
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
    security: needsKey,
    tags: [
      {
        name: OWN,
        description: 'Routes of Coffer itself: health checks, and test controls for a vault.',
      },
    ],
    paths,
    components: {
      securitySchemes,
      ...(!strict && { headers: responseHeaders }),
      responses: errorResponses,
      schemas: schemas.named,
    },
  }
}

type DescribedRoute = JsonSchema & {
  readonly responses: Record<string, JsonSchema & { readonly headers?: JsonSchema }>
}

function describeRoute(route: HttpRoute, schemas: OpenApiSchemas): DescribedRoute {
  const { name, operation, method, path, params } = route
  const input = schemas.toInput(operation.input)
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
    (member) => !params.includes(member) && properties[member]?.removed !== true,
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
      ...(!operation.always && toSuccessResponses(route, schemas)),
      ...getErrorReferences(route),
    },
  }
}

function describeOwnRoute(
  { path, name, tag, summary, description, permission, body, example, output, response, refusals }: OwnRoute,
  schemas: OpenApiSchemas,
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
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,50}$' },
    })),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.toInput(body, { strict: true }), example } },
      },
    }),
    responses: {
      ...(response && { 200: response }),
      ...(output && {
        200: { description: 'OK', content: toJsonContent(schemas.toOutput(output)) },
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

function toQueryParameter(name: string, schema: JsonSchema, required: boolean) {
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
  { properties, required = [], additionalProperties, not }: JsonSchema,
): JsonSchema {
  const type =
    method === 'PATCH' ? (operation.alsoAccepts?.[0] ?? 'application/merge-patch+json') : 'application/json'
  const all = properties as Record<string, JsonSchema>
  const schema = operation.wholeBody
    ? (all.payload ?? {})
    : {
        type: 'object',
        properties: Object.fromEntries(members.map((member) => [member, all[member]])),
        required: (required as string[]).filter((member) => members.includes(member)),
        ...(additionalProperties === false && { additionalProperties }),
        ...(not !== undefined && { not }),
      }
  const example = examples[name]
  return {
    required: !operation.bodyless,
    content: { [type]: { schema, ...(example !== undefined && { example }) } },
  }
}

const descriptions = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const

function toSuccessResponses(route: HttpRoute, schemas: OpenApiSchemas): Record<string, JsonSchema> {
  const { status, accepted, answers, output } = route.operation
  return {
    [status]: toSuccessResponse(route, status, answers ?? output, schemas),
    ...(accepted && { 202: toSuccessResponse(route, 202, accepted, schemas) }),
  }
}

function toSuccessResponse(
  route: HttpRoute,
  status: Operation['status'],
  body: Operation['output'],
  schemas: OpenApiSchemas,
): JsonSchema {
  const { notice } = route.operation
  const headers = {
    ...(status === 201 && { Location: toHeader('The path of the new resource') }),
    ...(notice !== undefined && { 'Coffer-Notice': toHeader(notice) }),
    ...(!schemas.strict && { [IGNORED_HEADER]: { $ref: `#/components/headers/${IGNORED_HEADER}` } }),
  }
  const described = Object.keys(headers).length > 0 && { headers }
  if (status === 204) return { description: 'Success, without a body', ...described }
  const content = toJsonContent(schemas.toOutput(body))
  const links =
    route.method === 'GET' ? describeLinkToNext(route, content) : describeLinksToMade(route, status)
  return { description: descriptions[status], ...described, content, ...links }
}

function toHeader(description: string): JsonSchema {
  return { description, schema: { type: 'string' } }
}
