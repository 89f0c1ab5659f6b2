import { toExampleParts } from './example-parts.ts'
import type { ReferenceOperation } from './reference.ts'

/** Returns a shell command that calls an operation. `key` is a placeholder for the caller's key. */
export function formatCurl(
  { method, path, parameters, body }: ReferenceOperation,
  url: string,
  key: string,
): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}${path}'`,
    `  -H "SVC-API-KEY: ${key}"`,
  ]
  for (const { name, place, example } of parameters) {
    if (place === 'header' && example !== undefined) lines.push(`  -H '${name}: ${example}'`)
  }
  if (body?.type === 'multipart/form-data') {
    for (const { name, type, text } of toExampleParts(body.example)) {
      lines.push(`  -F '${name}=${text};type=${type}'`)
    }
  } else if (body) {
    lines.push(`  -H 'Content-Type: ${body.type}'`)
    // A quote inside a quoted shell word is written as: end quote, escaped quote, start quote.
    lines.push(`  -d '${JSON.stringify(body.example ?? {}).replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n')
}
