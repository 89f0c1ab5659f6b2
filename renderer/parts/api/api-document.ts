import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'

/** The subset of JSON Schema that the request builder reads. */
export type Schema = JsonObject

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: Schema
}

export type ApiOperation = {
  /** The name in the catalogue, such as `tokens.create`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly tag: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: Schema; readonly example: Json | undefined } | null
  /** The status of a successful response. */
  readonly status: number
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * The operations of an OpenAPI document, grouped by resource, without the sandbox operations for tests, and without the
 * calls of a proxy: those are tried in Proxies.
 */
export function operationsOf(document: JsonObject): ApiOperation[] {
  const paths = Object.entries(objectOf(document.paths)).filter(
    ([path]) => !/^\/(_coffer|proxy)(\/|$)/.test(path),
  )
  const found = paths.flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, entry]) => operationOf(path, method, objectOf(entry))),
  )
  return found.sort((a, b) => a.tag.localeCompare(b.tag) || Number(a.deprecated) - Number(b.deprecated))
}

function operationOf(path: string, method: string, entry: JsonObject): ApiOperation {
  const content = Object.values(objectOf(objectOf(entry.requestBody).content))
  const [body] = content
  return {
    id: textOf(entry.operationId),
    method: method.toUpperCase(),
    path,
    summary: textOf(entry.summary),
    description: textOf(entry.description),
    deprecated: entry.deprecated === true,
    tag: textOf(listOf(entry.tags)[0]),
    parameters: listOf(entry.parameters).map((each) => parameterOf(objectOf(each))),
    body:
      body === undefined
        ? null
        : { schema: objectOf(objectOf(body).schema), example: objectOf(body).example },
    status: Number(Object.keys(objectOf(entry.responses)).find((status) => status.startsWith('2')) ?? 200),
  }
}

function parameterOf(entry: JsonObject): Parameter {
  return {
    name: textOf(entry.name),
    in: entry.in === 'path' ? 'path' : 'query',
    required: entry.required === true,
    description: typeof entry.description === 'string' ? entry.description : undefined,
    schema: objectOf(entry.schema),
  }
}

/** Whether the body is any JSON value, rather than an object with the operation's members. */
export function isWholeBody({ body }: ApiOperation): boolean {
  return body !== null && body.schema.additionalProperties !== false
}

/** Whether a query parameter may be repeated. */
export function isRepeatable({ schema }: Parameter): boolean {
  return schema.type === 'array' || listOf(schema.anyOf).some((each) => objectOf(each).type === 'array')
}

/** Whether a query parameter is a map, such as metadata. */
export function isMap({ schema }: Parameter): boolean {
  return schema.type === 'object'
}
