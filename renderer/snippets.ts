import type { Json } from '../shared/json.ts'

/** One HTTP request, as it goes to the listener. */
export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly body?: Json | undefined
}

/** The content type a method's body is sent with (rules A-09, T-12). */
export function contentTypeOf(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The request as a line for a terminal. */
export function curlOf({ method, url, key, body }: HttpRequest): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${/[?&[\]{}]/.test(url) ? quoted(url) : url}`,
  ]
  lines.push(`-H ${quoted(`SVC-API-KEY: ${key}`)}`)
  if (body !== undefined) {
    lines.push(`-H ${quoted(`Content-Type: ${contentTypeOf(method)}`)}`, `-d ${quoted(JSON.stringify(body))}`)
  }
  return lines.join(' \\\n  ')
}

/** The request for a browser or Node. */
export function fetchOf({ method, url, key, body }: HttpRequest): string {
  const headers = [`    'SVC-API-KEY': '${key}',`]
  if (body !== undefined) headers.push(`    'Content-Type': '${contentTypeOf(method)}',`)
  const lines = [
    `const response = await fetch('${url}', {`,
    `  method: '${method}',`,
    '  headers: {',
    ...headers,
    '  },',
  ]
  if (body !== undefined)
    lines.push(`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')}),`)
  return [...lines, '})', 'console.log(response.status, await response.json())'].join('\n')
}

/** Puts an indentation before every line but the first. */
export function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}
