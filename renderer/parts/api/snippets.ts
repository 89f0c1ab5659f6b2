import { isNumber, type Json } from '../../../shared/json.ts'
import { sdkMethods } from './node-sdk.ts'

export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly body?: Json | undefined
  /** Additional headers, such as `BT-PROXY-KEY`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The path template, such as `/tokens/{id}`, if the operation has path parameters. */
  readonly route?: string
  readonly params?: readonly string[]
}

/** The content type of the body for each method (rules A-09, T-12). */
export function getContentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

/** Whether every number in a body keeps its exact text when Node or Python serializes it. */
function isPlain(body: Json): boolean {
  const text = JSON.stringify(body)
  return JSON.stringify(JSON.parse(text)) === text
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

export function formatCurl({ method, url, key, body, headers = {} }: HttpRequest): string {
  const implied = method === (body === undefined ? 'GET' : 'POST')
  const target = /[?&[\]{}]/.test(url) ? quoteForShell(url) : url
  const lines = [`curl ${implied ? '' : `-X ${method} `}${target}`]
  lines.push(`-H ${quoteForShell(`SVC-API-KEY: ${key}`)}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoteForShell(`${name}: ${value}`)}`)
  if (body !== undefined) {
    lines.push(
      `-H ${quoteForShell(`Content-Type: ${getContentType(method)}`)}`,
      `-d ${quoteForShell(JSON.stringify(body))}`,
    )
  }
  return lines.join(' \\\n  ')
}

export function formatFetch({ method, url, key, body, headers: more = {} }: HttpRequest): string {
  const headers = [`    'SVC-API-KEY': '${key}',`]
  for (const [name, value] of Object.entries(more)) headers.push(`    '${name}': '${value}',`)
  if (body !== undefined) headers.push(`    'Content-Type': '${getContentType(method)}',`)
  const lines = [
    `const response = await fetch('${url}', {`,
    `  method: '${method}',`,
    '  headers: {',
    ...headers,
    '  },',
  ]
  if (body !== undefined) {
    const text = isPlain(body)
      ? `JSON.stringify(${indentLines(JSON.stringify(body, null, 2), '  ')})`
      : JSON.stringify(JSON.stringify(body))
    lines.push(`  body: ${text},`)
  }
  return [...lines, '})', 'console.log(response.status, await response.json())'].join('\n')
}

function indentLines(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}

/** The request in Python, which needs only the `requests` package. */
export function formatPython({ method, url, key, body, headers: more = {} }: HttpRequest): string {
  const lines = ['import requests', '']
  lines.push('response = requests.request(', `    "${method}",`, `    "${url}",`)
  const headers = [`"SVC-API-KEY": "${key}"`]
  for (const [name, value] of Object.entries(more)) headers.push(`"${name}": "${value}"`)
  const asText = body !== undefined && !isPlain(body)
  if (method === 'PATCH' || asText) headers.push(`"Content-Type": "${getContentType(method)}"`)
  lines.push(`    headers={${headers.join(', ')}},`)
  if (asText) lines.push(`    data=${JSON.stringify(JSON.stringify(body))}.encode(),`)
  else if (body !== undefined) lines.push(`    json=${indentLines(toPythonLiteral(body), '    ')},`)
  return [...lines, ')', 'print(response.status_code, response.json())'].join('\n')
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
export function formatNodeSdk(
  { method, url, key, body, route, params = [] }: HttpRequest,
  base: string,
): string {
  const target = new URL(url)
  const call = sdkMethods[`${method} ${route ?? target.pathname}`]
  if (call === undefined) return '// The Node SDK has no method for this request; use fetch.'
  if (body !== undefined && !isPlain(body)) {
    return '// The Node SDK would change how a number in this request is written; use fetch.'
  }
  const query = Object.fromEntries(target.searchParams)
  const last = body ?? (Object.keys(query).length > 0 ? query : undefined)
  const callArguments = [
    ...params.map((param) => `'${param}'`),
    ...(last === undefined ? [] : [JSON.stringify(last, null, 2)]),
  ]
  return [
    "import { BasisTheoryClient } from '@basis-theory/node-sdk'",
    '',
    'const client = new BasisTheoryClient({',
    `  apiKey: '${key}',`,
    `  environment: '${base}',`,
    '})',
    `console.log(await client.${call}(${callArguments.join(', ')}))`,
  ].join('\n')
}
