import type { Command } from 'commander'
import { formatCount } from '../../../shared/format-count.ts'
import { isObject, readJson, writeReadableJson } from '../../../shared/json.ts'
import { findNearestName } from '../../../shared/nearest-name.ts'
import { type AccessOptions, openAccess } from '../terminal/access.ts'
import { assertFilter, filterJson } from '../terminal/jq.ts'
import { findNeededKey, listKnownRoutes } from '../terminal/needed-key.ts'
import { sanitizeLines, sanitizeText } from '../terminal/printable.ts'
import { addToQuery, buildBody, type Fields, readInput } from '../terminal/request-fields.ts'
import {
  formatProblem,
  getContentType,
  isProblem,
  readBytes,
  type ServerRequest,
  sendRequest,
} from '../terminal/request-server.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { addFullStop, printHint, printLine } from '../terminal/vault-options.ts'

export type ApiOptions = AccessOptions &
  Fields & {
    readonly header?: readonly string[]
    readonly data?: string
    readonly input?: string
    readonly include?: true
    readonly jq?: string
    readonly paginate?: true
    readonly json?: true
  }

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Sends a request to a running Coffer, and prints its response. */
export async function callApi(
  words: readonly string[],
  options: ApiOptions,
  command: Command,
): Promise<void> {
  const request = buildRequest(words, options)
  if (options.jq !== undefined) await assertFilter(options.jq)
  using access = await openAccess(options, command, findNeededKey(request.method, request.path))
  if (access.application !== undefined && process.stderr.isTTY)
    printHint(`As the application ${sanitizeText(access.application)}.`)
  for (let path: string | null = request.path; path !== null; ) {
    const response = await sendRequest(access, { ...request, path })
    const bytes = await readBytes(access.url, response)
    const body = isJson(response) ? parseBody(bytes) : undefined
    await printResponse(response, { bytes, body }, options)
    if (response.status >= 400) return reportFailure(request, response, body)
    const next: string | null = options.paginate ? findNextPath(path, body) : null
    path = next === path ? null : next
  }
}

function buildRequest(words: readonly string[], options: ApiOptions): ServerRequest {
  const { header = [], data, input, paginate } = options
  const hasFields = options.field !== undefined || options.typed !== undefined
  const bodies = [data !== undefined, input !== undefined, hasFields].filter(Boolean).length
  if (bodies > 1) throw new UsageError('The body comes either from fields, from --data or from --input.')
  const hasBody = bodies > 0
  const { method, path } = parseWords(words, hasBody ? 'POST' : 'GET')
  if (paginate && method !== 'GET') throw new UsageError('--paginate follows the pages of a GET.')
  const isQuery = method === 'GET' || method === 'HEAD'
  if (isQuery && hasBody && !hasFields) throw new UsageError(`A ${method} has no body.`)
  const headers = Object.fromEntries(header.map(parseHeader))
  if (!hasBody || isQuery) return { method, path: addToQuery(path, options), headers }
  return {
    method,
    path,
    headers: { 'content-type': getContentType(method), ...headers },
    body: data ?? (input === undefined ? JSON.stringify(buildBody(options)) : readInput(input)),
  }
}

/** Parses `[METHOD] PATH`. SECURITY: a path is never a URL, because the key would go to another server. */
function parseWords(words: readonly string[], usual: string): { method: string; path: string } {
  const [first = '', second, ...others] = words
  const isMethodNamed = second !== undefined
  const method = isMethodNamed ? first.toUpperCase() : usual
  if (others.length > 0) throw new UsageError('Too many arguments: name a method and a path.')
  if (!methods.includes(method)) throw new UsageError(`The method is one of: ${methods.join(', ')}.`)
  const path = isMethodNamed ? second : first
  if (!isMethodNamed && methods.includes(path)) throw new UsageError('Name a path, such as /tokens.')
  if (/^[a-z]+:\/\//i.test(path))
    throw new UsageError('Name a path, such as /tokens. --url names the server.')
  return { method, path: path.startsWith('/') ? path : `/${path}` }
}

function parseHeader(text: string): [name: string, value: string] {
  const at = text.indexOf(':')
  return [text.slice(0, at).toLowerCase(), text.slice(at + 1).trim()]
}

function isJson({ headers }: Response): boolean {
  return /^application\/(\S+\+)?json\b/.test(headers.get('content-type') ?? '')
}

function parseBody(bytes: Buffer): unknown {
  try {
    return readJson(bytes.toString())
  } catch {
    return undefined
  }
}

type ResponseBody = { readonly bytes: Buffer; readonly body: unknown }

async function printResponse(
  response: Response,
  { bytes, body }: ResponseBody,
  { include, jq, json }: ApiOptions,
): Promise<void> {
  const { status, headers } = response
  if (json) {
    const text = body ?? bytes.toString()
    return printLine(JSON.stringify({ status, headers: Object.fromEntries(headers), body: text }))
  }
  if (include) printText(formatHead(response))
  if (bytes.length === 0) return
  if (jq !== undefined && status < 400) {
    const filtered = await filterJson(bytes.toString(), jq)
    if (filtered !== '') printText(filtered.replace(/\n$/, ''))
  } else if (body !== undefined)
    printText(process.stdout.isTTY ? writeReadableJson(body) : bytes.toString().trimEnd())
  else printForeign(headers.get('content-type') ?? 'unknown', bytes)
}

function formatHead({ status, statusText, headers }: Response): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`)
  return `HTTP/1.1 ${status} ${statusText}\n${lines.join('')}`
}

/** SECURITY: only text is printed at a terminal, without control characters. */
function printText(text: string): void {
  printLine(process.stdout.isTTY ? sanitizeLines(text) : text)
}

function printForeign(type: string, bytes: Buffer): void {
  if (!process.stdout.isTTY) process.stdout.write(bytes)
  else if (type.startsWith('text/')) printText(bytes.toString())
  else
    printHint(
      `The response is ${formatCount(bytes.length, 'byte')} of ${sanitizeText(type)}. Send it to a file with >.`,
    )
}

/** Reports a response with an error status: its sentence, and the nearest path of an unknown one. */
function reportFailure({ path }: ServerRequest, { status }: Response, body: unknown): void {
  process.exitCode = 1
  const detail = isProblem(body) ? formatProblem(body) : 'The request failed.'
  const known = [...new Set(listKnownRoutes().map((route) => route.path))]
  const isUnknown = status === 404 && !known.some((each) => each.split('/')[1] === path.split('/')[1])
  const near = isUnknown ? findNearestName(path, known) : undefined
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  printHint(`coffer: ${addFullStop(sanitizeText(detail))}${hint} (status ${status})`)
}

/** Returns the path of the next page: by its cursor, or else by its number; null after the last one. */
function findNextPath(path: string, body: unknown): string | null {
  const pagination = isObject(body) ? body.pagination : undefined
  if (!isObject(pagination)) return null
  const { next, page_number, total_pages } = pagination
  const url = new URL(path, 'http://localhost')
  if (typeof next === 'string') {
    url.searchParams.delete('page')
    url.searchParams.set('start', next)
  } else if (Number(page_number) < Number(total_pages))
    url.searchParams.set('page', String(Number(page_number) + 1))
  else return null
  return url.pathname + url.search
}
