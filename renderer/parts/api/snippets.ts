import { isNumber, type Json } from '../../../shared/json.ts'
import { sdkMethods } from './node-sdk.ts'

export type HttpRequest = {
  readonly method: string
  readonly url: string
  /** The key, or the environment variable that the code reads it from. */
  readonly key: string | { readonly variable: string }
  readonly body?: Json | undefined
  /** Additional headers, such as `BT-PROXY-KEY`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The path template, such as `/tokens/{id}`, if the operation has path parameters. */
  readonly route?: string
  readonly params?: readonly string[]
}

/** How a language writes text, and reads an environment variable. */
export type Dialect = { readonly quote: (text: string) => string; readonly env: (name: string) => string }

/** The content type of the body for each method (rules A-09, T-12). */
export function getContentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

/** The names and values of a request's headers, as expressions of a language. */
export function listHeaders(
  { method, key, headers = {}, body }: HttpRequest,
  { quote, env }: Dialect,
): (readonly [string, string])[] {
  const more = body === undefined ? headers : { ...headers, 'Content-Type': getContentType(method) }
  return [
    [quote('SVC-API-KEY'), formatKey(key, { quote, env })],
    ...Object.entries(more).map(([name, value]) => [quote(name), quote(value)] as const),
  ]
}

const formatKey = (key: HttpRequest['key'], { quote, env }: Dialect) =>
  typeof key === 'string' ? quote(key) : env(key.variable)

/** Text in single quotes, in which only quotes and backslashes are escaped. */
export const quoteSingle = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`

/** Whether a body stays the same if code writes it as a literal and serializes it. */
function isPlain(body: Json): boolean {
  const text = JSON.stringify(body)
  // Numbers may be written differently, and `__proto__` in a JavaScript literal is no member.
  return JSON.stringify(JSON.parse(text)) === text && !text.includes('"__proto__":')
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

export function formatCurl({ method, url, key, body, headers = {} }: HttpRequest): string {
  const implied = method === (body === undefined ? 'GET' : 'POST')
  // SECURITY: only characters that mean nothing to a shell are left unquoted.
  const target = /^[\w:/.%-]+$/.test(url) ? url : quoteForShell(url)
  const lines = [`curl ${implied ? '' : `-X ${method} `}${target}`]
  // Double quotes, so that the shell expands the variable.
  lines.push(
    typeof key === 'string'
      ? `-H ${quoteForShell(`SVC-API-KEY: ${key}`)}`
      : `-H "SVC-API-KEY: $${key.variable}"`,
  )
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoteForShell(`${name}: ${value}`)}`)
  if (body !== undefined) {
    lines.push(
      `-H ${quoteForShell(`Content-Type: ${getContentType(method)}`)}`,
      `-d ${quoteForShell(JSON.stringify(body))}`,
    )
  }
  return lines.join(' \\\n  ')
}

const node: Dialect = {
  quote: (text) => quoteSingle(text).replaceAll('\n', String.raw`\n`).replaceAll('\r', String.raw`\r`),
  env: (name) => `process.env.${name}`,
}

export function formatFetch(request: HttpRequest): string {
  const { method, url, body } = request
  const lines = [
    `const response = await fetch(${node.quote(url)}, {`,
    `  method: '${method}',`,
    '  headers: {',
    ...listHeaders(request, node).map(([name, value]) => `    ${name}: ${value},`),
    '  },',
  ]
  if (body !== undefined) {
    const text = isPlain(body)
      ? `JSON.stringify(${indentLines(JSON.stringify(body, null, 2), '  ')})`
      : JSON.stringify(JSON.stringify(body))
    lines.push(`  body: ${text},`)
  }
  return [...lines, '})', 'console.log(response.status, await response.text())'].join('\n')
}

function indentLines(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}

const python: Dialect = { quote: (text) => JSON.stringify(text), env: (name) => `os.environ["${name}"]` }

/** The request in Python, which needs only the `requests` package. */
export function formatPython(request: HttpRequest): string {
  const { method, url, key, body } = request
  const asText = body !== undefined && !isPlain(body)
  // With `json`, the package sets the content type itself.
  const headers = listHeaders(request, python).filter(([, value]) => asText || value !== '"application/json"')
  const lines = [...(typeof key === 'string' ? [] : ['import os']), 'import requests', '']
  lines.push('response = requests.request(', `    "${method}",`, `    ${JSON.stringify(url)},`)
  lines.push(`    headers={${headers.map(([name, value]) => `${name}: ${value}`).join(', ')}},`)
  if (asText) lines.push(`    data=${JSON.stringify(JSON.stringify(body))}.encode(),`)
  else if (body !== undefined) lines.push(`    json=${indentLines(toPythonLiteral(body), '    ')},`)
  return [...lines, ')', 'print(response.status_code, response.text)'].join('\n')
}

function toPythonLiteral(value: Json, depth = 1): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value !== 'object' || isNumber(value)) return JSON.stringify(value)
  const pad = '    '.repeat(depth)
  const end = '    '.repeat(depth - 1)
  const items = Array.isArray(value)
    ? value.map((each) => toPythonLiteral(each, depth + 1))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}: ${toPythonLiteral(each, depth + 1)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return `${open}${close}`
  return `${open}\n${items.map((item) => `${pad}${item},`).join('\n')}\n${end}${close}`
}

/** The request with the official Node SDK, or a comment if the SDK has no method for it. */
export function formatNodeSdk({ method, url, key, body, route, headers, params = [] }: HttpRequest): string {
  const target = new URL(url)
  const call = sdkMethods[`${method} ${route ?? target.pathname}`]
  if (call === undefined || headers !== undefined)
    return '// The Node SDK has no method for this request; use fetch.'
  if (body !== undefined && !isPlain(body)) {
    return '// The Node SDK would change how a number in this request is written; use fetch.'
  }
  const query = Object.fromEntries(target.searchParams)
  const last = body ?? (Object.keys(query).length > 0 ? query : undefined)
  const callArguments = [
    ...params.map(node.quote),
    ...(last === undefined ? [] : [JSON.stringify(last, null, 2)]),
  ]
  return [
    "import { BasisTheoryClient } from '@basis-theory/node-sdk'",
    '',
    'const client = new BasisTheoryClient({',
    `  apiKey: ${formatKey(key, node)},`,
    `  environment: '${target.origin}',`,
    '})',
    `console.log(await client.${call}(${callArguments.join(', ')}))`,
  ].join('\n')
}
