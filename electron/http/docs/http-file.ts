import { openApi } from '../openapi.ts'
import { toExampleParts } from './example-parts.ts'
import { listReferenceOperations, type ReferenceOperation } from './reference.ts'
import { getKeyName, type KeysOfRequests, listKeyVariables } from './which-key.ts'

/** Returns every operation as a `.http` file, whose requests editors can send one by one. */
export function createHttpFile(url: string, keys?: KeysOfRequests): string {
  const entries = listReferenceOperations(openApi(url))
  const names = [
    ...new Set(entries.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))),
  ]
  const variables = [
    `@url = ${url}`,
    ...listKeyVariables(keys).map(([name, value]) => `@${name} = ${value}`),
    ...names.map((name) => `@${name} = `),
  ]
  return `${[variables.join('\n'), ...entries.map(formatRequest)].join('\n\n')}\n`
}

function formatRequest(entry: ReferenceOperation): string {
  const { id, method, path, summary, parameters, body } = entry
  const headers = parameters.filter(({ place, example }) => place === 'header' && example !== undefined)
  return [
    `### ${summary}`,
    `# @name ${id.replace('.', '_')}`,
    `${method} {{url}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}`,
    `SVC-API-KEY: {{${getKeyName(entry)}}}`,
    ...headers.map(({ name, example }) => `${name}: ${example}`),
    ...(body ? formatBody(body) : []),
  ].join('\n')
}

function formatBody({ type, example }: NonNullable<ReferenceOperation['body']>): string[] {
  if (type !== 'multipart/form-data')
    return [`Content-Type: ${type}`, '', JSON.stringify(example ?? {}, null, 2)]
  const parts = toExampleParts(example).flatMap(({ name, type, text }) => [
    '--part',
    `Content-Disposition: form-data; name="${name}"`,
    `Content-Type: ${type}`,
    '',
    text,
  ])
  return ['Content-Type: multipart/form-data; boundary=part', '', ...parts, '--part--']
}
