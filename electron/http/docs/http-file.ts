import { openApi } from '../openapi.ts'
import { partsOf } from './parts.ts'
import { type Entry, entriesOf } from './reference.ts'
import { type KeysOfRequests, keyNameOf, keyVariables } from './which-key.ts'

/** Every operation as a `.http` file, whose requests editors can send one by one. */
export function httpFile(url: string, keys?: KeysOfRequests): string {
  const entries = entriesOf(openApi(url))
  const names = [
    ...new Set(entries.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))),
  ]
  const variables = [
    `@url = ${url}`,
    ...keyVariables(keys).map(([name, value]) => `@${name} = ${value}`),
    ...names.map((name) => `@${name} = `),
  ]
  return `${[variables.join('\n'), ...entries.map(request)].join('\n\n')}\n`
}

function request(entry: Entry): string {
  const { id, method, path, summary, parameters, body } = entry
  const headers = parameters.filter(({ place, example }) => place === 'header' && example !== undefined)
  return [
    `### ${summary}`,
    `# @name ${id.replace('.', '_')}`,
    `${method} {{url}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}`,
    `SVC-API-KEY: {{${keyNameOf(entry)}}}`,
    ...headers.map(({ name, example }) => `${name}: ${example}`),
    ...(body ? bodyOf(body) : []),
  ].join('\n')
}

function bodyOf({ type, example }: NonNullable<Entry['body']>): string[] {
  if (type !== 'multipart/form-data')
    return [`Content-Type: ${type}`, '', JSON.stringify(example ?? {}, null, 2)]
  const parts = partsOf(example).flatMap(({ name, type, text }) => [
    '--part',
    `Content-Disposition: form-data; name="${name}"`,
    `Content-Type: ${type}`,
    '',
    text,
  ])
  return ['Content-Type: multipart/form-data; boundary=part', '', ...parts, '--part--']
}
