import type { Entry } from './reference.ts'

/** A shell line that calls an operation; `key` stands for the caller's own. */
export function curlOf({ method, path, body }: Entry, url: string, key: string): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}${path}'`,
    `  -H "SVC-API-KEY: ${key}"`,
  ]
  if (body) {
    lines.push(`  -H 'Content-Type: ${body.type}'`)
    // A quote inside a quoted shell word is closed, escaped and opened again.
    lines.push(`  -d '${JSON.stringify(body.example ?? {}).replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n')
}
