import { type ApiOperation, isMap, isRepeatable } from '../../parts/api/api-document.ts'
import { getContentType } from '../../parts/api/snippets.ts'
import { type CurlRequest, parseCurl } from './curl.ts'
import type { RequestDraft } from './request-draft.ts'
import { CurlImportError } from './shell-words.ts'

export type ImportedRequest = {
  readonly operation: ApiOperation
  readonly draft: RequestDraft
  /** The key in the command; empty if there is none. */
  readonly key: string
  readonly notes: readonly string[]
}

type CurlContext = {
  readonly operations: readonly ApiOperation[]
  readonly base: string
  /** Other host names of the listener, with or without a port. */
  readonly hosts: readonly string[]
}

/** Matches keys, but not placeholders from documentation, such as `$KEY`, `<key>` or `key_…`. */
const KEY_PATTERN = /^[A-Za-z0-9_.-]+$/
const keyHeaders = ['svc-api-key', 'bt-api-key']
/** Headers that the request builder can send to the listener. */
export const sentHeaders = ['content-type', 'svc-trace-id', 'svc-idempotency-key'] as const
const IGNORED_HEADER_PATTERN =
  /^(accept|accept-.*|user-agent|connection|cache-control|pragma|origin|referer|sec-.*|host|content-length|priority|dnt)$/

/** Imports a curl command. Throws `CurlImportError` with the reason if it cannot be imported. */
export function importCurl(line: string, context: CurlContext): ImportedRequest {
  const { method, url, headers, body, variables, notes } = parseCurl(line, context.base)
  checkHost(url, context)
  const path = url.pathname.startsWith('/api/') ? url.pathname.slice('/api'.length) : url.pathname
  const match = findOperation(context.operations, method, path)
  const { operation } = match
  const { lines, key, skipped, hasPlaceholder } = readHeaders(headers, method)
  const query = readParams(operation, url.searchParams)
  const sent = JSON.stringify([match.params, [...url.searchParams], body, lines])
  const open = variables.filter((name) => sent.includes(name))
  const notices = [
    ...notes,
    hasPlaceholder && 'The command does not contain the key itself. Enter it here.',
    open.length > 0 && `Shell variables are not expanded: ${open.join(', ')}.`,
    skipped.length > 0 && `Headers that the API does not read were left out: ${skipped.join(', ')}.`,
    query.unknown.length > 0 &&
      `Unknown parameters of ${operation.method} ${operation.path} were left out: ${query.unknown.join(', ')}.`,
    body !== undefined && !operation.body && 'The operation takes no body, so the body was left out.',
  ].filter((notice) => notice !== false)
  const draft: RequestDraft = {
    params: { ...query.params, ...match.params },
    body: operation.body ? (body ?? '') : '',
    headers: lines.join('\n'),
  }
  return { operation, draft, key, notes: notices }
}

/** Sorts the headers: the key, the lines that are sent, and the names of those that are left out. */
function readHeaders(headers: CurlRequest['headers'], method: string) {
  const keys = headers.filter(([name]) => keyHeaders.includes(name)).map(([, value]) => value)
  const lines: string[] = []
  const skipped: string[] = []
  for (const [name, value] of headers) {
    const own = name.replace(/^bt-/, 'svc-')
    if (keyHeaders.includes(name) || (name === 'content-type' && value === getContentType(method))) continue
    if (sentHeaders.some((each) => each === own)) lines.push(`${own}: ${value}`)
    else if (!IGNORED_HEADER_PATTERN.test(name)) skipped.push(name)
  }
  const key = keys.filter((value) => KEY_PATTERN.test(value)).at(-1) ?? ''
  return { lines, key, skipped, hasPlaceholder: keys.some((value) => !KEY_PATTERN.test(value)) }
}

function checkHost(url: URL, { base, hosts }: CurlContext): void {
  const { port } = new URL(base)
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  const allowedHosts = hosts.flatMap((name) => [name, `${name}:${port}`])
  const host = url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host
  if (url.username !== '' || url.password !== '') {
    throw new CurlImportError('The URL contains a user or password, which the API does not accept.')
  }
  if (
    url.protocol !== 'http:' ||
    !([...own, ...allowedHosts].includes(host) || allowedHosts.includes(url.hostname))
  ) {
    throw new CurlImportError(
      `The command calls ${url.origin}, but requests from here go to this listener only. Replace that origin with ${base} if you mean this vault.`,
    )
  }
}

export type Address = { readonly operation: ApiOperation; readonly params: Readonly<Record<string, string>> }

/** Matches a path with operations of a method, or of any; literal segments take precedence over parameters. */
export function matchOperations(
  operations: readonly ApiOperation[],
  method: string | undefined,
  path: string,
): Address[] {
  const segments = path.replace(/(?<=.)\/$/, '').split('/')
  return operations
    .filter((each) => method === undefined || each.method === method)
    .flatMap((operation) => {
      const params = matchPath(operation.path.split('/'), segments)
      return params ? [{ operation, params }] : []
    })
    .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)
}

function findOperation(operations: readonly ApiOperation[], method: string, path: string): Address {
  const [best] = matchOperations(operations, method, path)
  if (best) return best
  if (path === '/proxy' || path.startsWith('/proxy/')) {
    throw new CurlImportError('This is a call through a proxy. Send it from Proxies, under Try it.')
  }
  throw new CurlImportError(`The API has no operation ${method} ${path}.`)
}

/** The parameters of a path by its template; null if it has another shape. */
function matchPath(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [at, part] of template.entries()) {
    const segment = segments[at] ?? ''
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name !== undefined && segment !== '') params[name] = decodeSegment(segment)
    else if (part !== segment) return null
  }
  return params
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text contains a percent sign that is not part of an encoding.
    return text
  }
}

/** Reads the query parameters of an operation, and lists the unknown ones. */
export function readParams(operation: ApiOperation, search: URLSearchParams) {
  const params: Record<string, string> = {}
  const unknown: string[] = []
  for (const [rawName, value] of search) {
    const [, name = rawName, key] = /^(\w+)(?:\.|\[)(.*?)\]?$/.exec(rawName) ?? []
    const parameter = operation.parameters.find((each) => each.in === 'query' && each.name === name)
    if (!parameter) unknown.push(rawName)
    else if (isMap(parameter))
      params[name] = joinValues(params[name], key === undefined ? formatPairs(value) : `${key}=${value}`)
    else params[name] = isRepeatable(parameter) ? joinValues(params[name], value) : value
  }
  return { params, unknown }
}

/** Converts the JSON object of a parameter such as `metadata` to the form's format: `a=b, c=d`. */
function formatPairs(json: string): string {
  try {
    return Object.entries(JSON.parse(json) as Record<string, string>)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')
  } catch {
    // Not JSON: keep the text, and let the vault report the error.
    return json
  }
}

function joinValues(before: string | undefined, more: string): string {
  return before === undefined ? more : `${before}, ${more}`
}
