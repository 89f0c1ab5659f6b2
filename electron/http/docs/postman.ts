import type { Json } from '../../../shared/json.ts'
import { openApi } from '../openapi.ts'
import { toExampleParts } from './example-parts.ts'
import { listReferenceOperations, type ReferenceOperation } from './reference.ts'
import { getKeyName, type KeysOfRequests, listKeyVariables } from './which-key.ts'

/** Returns every operation as a Postman collection (version 2.1), with a folder per resource. */
export function createPostmanCollection(url: string, keys?: KeysOfRequests): Json {
  const entries = listReferenceOperations(openApi(url))
  const groups = [...new Set(entries.map(({ group }) => group))]
  return {
    info: {
      name: 'Coffer',
      description: 'Every operation of the vault. Set the keys in the collection variables.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [{ key: 'url', value: url }, ...listKeyVariables(keys).map(([key, value]) => ({ key, value }))],
    item: groups.map((name) => ({
      name,
      item: entries.filter(({ group }) => group === name).map(toRequestItem),
    })),
  }
}

function toRequestItem(entry: ReferenceOperation): Json {
  const { method, path, summary, description, body, parameters } = entry
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'))
  const filterParameters = (place: 'path' | 'query' | 'header') =>
    parameters.filter((each) => each.place === place)
  const isForm = body?.type === 'multipart/form-data'
  return {
    name: summary,
    request: {
      description,
      method,
      header: [
        { key: 'SVC-API-KEY', value: `{{${getKeyName(entry)}}}` },
        ...filterParameters('header').map(({ name, description, example }) => ({
          key: name,
          value: example ?? '',
          description,
          disabled: example === undefined,
        })),
        ...(body && !isForm ? [{ key: 'Content-Type', value: body.type }] : []),
      ],
      url: {
        raw: `{{url}}/${segments.join('/')}`,
        host: ['{{url}}'],
        path: segments,
        variable: filterParameters('path').map(({ name }) => ({ key: name, value: '' })),
        query: filterParameters('query').map(({ name, description, required }) => ({
          key: name,
          value: '',
          description,
          disabled: !required,
        })),
      },
      ...(body && { body: isForm ? toFormBody(body.example) : toRawBody(body.example) }),
    },
  }
}

function toRawBody(example: unknown): Json {
  return { mode: 'raw', raw: JSON.stringify(example ?? {}, null, 2) }
}

function toFormBody(example: unknown): Json {
  const formdata = toExampleParts(example).map(({ name, type, text }) => ({
    key: name,
    type: 'text',
    value: text,
    contentType: type,
  }))
  return { mode: 'formdata', formdata }
}
