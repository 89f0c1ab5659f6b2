import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'

export type ApiSchema = JsonObject

export type ApiParameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: ApiSchema
}

export type ApiOperation = {
  /** The operation's name, such as `tokens.create`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly tag: string
  readonly parameters: readonly ApiParameter[]
  readonly body: { readonly schema: ApiSchema; readonly example: Json | undefined } | null
  readonly status: number
}

function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Returns the operations of an OpenAPI document, grouped by resource. Leaves out the test controls, and the
 * calls of proxies, for which the Proxies screen has a form.
 */
export function parseOperations(document: JsonObject): ApiOperation[] {
  const paths = Object.entries(toObject(document.paths)).filter(
    ([path]) => !/^\/(_coffer|proxy)(\/|$)/.test(path),
  )
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(toObject(methods)).map(([method, entry]) => parseOperation(path, method, toObject(entry))),
  )
  return operations.sort((a, b) => a.tag.localeCompare(b.tag) || Number(a.deprecated) - Number(b.deprecated))
}

function parseOperation(path: string, method: string, entry: JsonObject): ApiOperation {
  const content = Object.values(toObject(toObject(entry.requestBody).content))
  const [body] = content
  return {
    id: toText(entry['x-operation-name']),
    method: method.toUpperCase(),
    path,
    summary: toText(entry.summary),
    description: toText(entry.description),
    deprecated: entry.deprecated === true,
    tag: toText(toList(entry.tags)[0]),
    parameters: toList(entry.parameters).map((each) => parseParameter(toObject(each))),
    body:
      body === undefined
        ? null
        : { schema: toObject(toObject(body).schema), example: toObject(body).example },
    status: Number(Object.keys(toObject(entry.responses)).find((status) => status.startsWith('2')) ?? 200),
  }
}

function parseParameter(entry: JsonObject): ApiParameter {
  return {
    name: toText(entry.name),
    in: entry.in === 'path' ? 'path' : 'query',
    required: entry.required === true,
    description: typeof entry.description === 'string' ? entry.description : undefined,
    schema: toObject(entry.schema),
  }
}

/** Whether the body may be any JSON value, so that no fields can be offered for it. */
export function isFreeFormBody({ body }: ApiOperation): boolean {
  return body !== null && body.schema.properties === undefined
}

/** Whether a query parameter may be repeated. */
export function isRepeatable({ schema }: ApiParameter): boolean {
  return schema.type === 'array' || toList(schema.anyOf).some((each) => toObject(each).type === 'array')
}

/** Whether a query parameter is a map, such as metadata. */
export function isMap({ schema }: ApiParameter): boolean {
  return schema.type === 'object'
}
