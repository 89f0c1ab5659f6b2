import { isObject, type Json, type JsonObject, readJson } from '../../../shared/json.ts'
import {
  type ApiOperation,
  type ApiParameter,
  isFreeFormBody,
  isMap,
  isRepeatable,
} from '../../parts/api/api-document.ts'
import type { HttpRequest } from '../../parts/api/snippets.ts'

/** A request being filled in. */
export type RequestDraft = {
  readonly params: Readonly<Record<string, string>>
  /** JSON as typed; empty for no body. */
  readonly body: string
  /** Additional headers, one `Name: value` per line; sent only through the listener. */
  readonly headers?: string
}

export type Variables = Readonly<Record<string, string>>

/** Replaces each `${name}` that is a variable of the environment; other names stay unchanged. */
export function fillPlaceholders(draft: RequestDraft, variables: Variables): RequestDraft {
  const fillText = (text: string, written: (value: string) => string) =>
    text.replace(/\$\{([A-Za-z_]\w*)\}/g, (match, name: string) =>
      Object.hasOwn(variables, name) ? written(variables[name] ?? '') : match,
    )
  const keepAsWritten = (value: string) => value
  return {
    params: Object.fromEntries(
      Object.entries(draft.params).map(([name, text]) => [name, fillText(text, keepAsWritten)]),
    ),
    // Escapes values for JSON strings, because most placeholders of a body are inside one.
    body: fillText(draft.body, (value) => JSON.stringify(value).slice(1, -1)),
    ...(draft.headers !== undefined && { headers: fillText(draft.headers, keepAsWritten) }),
  }
}

export function listUsedVariables(
  { params, body, headers = '' }: RequestDraft,
  variables: Variables,
): string[] {
  const text = [...Object.values(params), body, headers].join('\n')
  return Object.keys(variables).filter((name) => text.includes(`\${${name}}`))
}

/** Puts each `${name}` that is the whole value of a member in quotes, so that the body is JSON without values. */
export function quotePlaceholders(draft: RequestDraft): RequestDraft {
  const bare = /"(?:[^"\\]|\\.)*"|\$\{[A-Za-z_]\w*\}/g
  return {
    ...draft,
    body: draft.body.replace(bare, (match) => (match.startsWith('"') ? match : `"${match}"`)),
  }
}

/** Parses the header lines of a draft, with lower-case names; null for an invalid line. */
export function parseHeaders({ headers = '' }: RequestDraft): ([name: string, value: string] | null)[] {
  return headers
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf(':')
      return at <= 0 ? null : [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
    })
}

export function createRequestDraft({ body }: ApiOperation): RequestDraft {
  return { params: {}, body: body ? JSON.stringify(body.example ?? {}, null, 2) : '' }
}

/** The body as JSON; undefined if it is empty or invalid. */
export function parseDraftBody(draft: RequestDraft): Json | undefined {
  try {
    return readJson(draft.body)
  } catch {
    return undefined
  }
}

function parsePairs(text: string): [string, string][] {
  return text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
    })
}

function parseParameter(parameter: ApiParameter, text: string): Json {
  if (isMap(parameter)) return Object.fromEntries(parsePairs(text))
  return isRepeatable(parameter) ? text.split(',').map((each) => each.trim()) : text
}

/** Converts a draft to the operation's input, for a call through the window. */
export function toOperationInput(operation: ApiOperation, draft: RequestDraft): JsonObject {
  const body = parseDraftBody(draft)
  const members = operation.body
    ? isFreeFormBody(operation) && body !== undefined
      ? { payload: body }
      : body
    : {}
  const params = operation.parameters.flatMap((parameter) => {
    const text = draft.params[parameter.name] ?? ''
    return text === '' ? [] : [[parameter.name, parseParameter(parameter, text)] as const]
  })
  return { ...(isObject(members) ? members : {}), ...Object.fromEntries(params) }
}

export function formatRequestPath(operation: ApiOperation, draft: RequestDraft): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (match, name: string) => {
    const text = draft.params[name] ?? ''
    return text === '' ? match : encodeURIComponent(text)
  })
  const query = new URLSearchParams()
  for (const parameter of operation.parameters.filter((each) => each.in === 'query')) {
    const text = draft.params[parameter.name] ?? ''
    if (text === '') continue
    for (const [name, value] of listQueryPairs(parameter, text)) query.append(name, value)
  }
  const search = query.toString()
  return search === '' ? path : `${path}?${search}`
}

function listQueryPairs(parameter: ApiParameter, text: string): [name: string, value: string][] {
  const { name } = parameter
  if (isMap(parameter)) return parsePairs(text).map(([key, value]) => [`${name}.${key}`, value])
  return isRepeatable(parameter) ? text.split(',').map((each) => [name, each.trim()]) : [[name, text]]
}

/** Converts a draft to a request to the listener, for code in any language. */
export function toHttpRequest(
  operation: ApiOperation,
  draft: RequestDraft,
  base: string,
  key: HttpRequest['key'],
): HttpRequest {
  const { method, path, parameters } = operation
  // Code sets the content type itself.
  const headers = parseHeaders(draft)
    .filter((header) => header !== null)
    .filter(([name]) => name !== 'content-type')
  return {
    method,
    // Placeholders stay readable, because somebody has to replace them.
    url: base + formatRequestPath(operation, draft).replace(/%24%7B(\w+)%7D/g, '$${$1}'),
    key,
    body: operation.body ? parseDraftBody(draft) : undefined,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    route: path,
    params: parameters
      .filter((each) => each.in === 'path')
      .map(({ name }) => draft.params[name] ?? `{${name}}`),
  }
}
