import { expect, test } from 'vitest'
import { type HttpRoute, routes } from '../../electron/http/routes.ts'
import { isObject } from '../../shared/json.ts'
import { findNearestName } from '../../shared/nearest-name.ts'
import { getKeyFor } from './full-inputs.ts'
import { createDocumentPart, createRequestPart, startDocuments } from './start-documents.ts'
import { requireRequest, startTestServer, type TestServer, toPath } from './test-server.ts'

/** Sends a valid request with an unknown member and an unknown parameter. Returns the status and what was ignored. */
async function sendWithUnknown(world: TestServer, { name, method, path, operation }: HttpRoute) {
  const example = await requireRequest(name).createRequest(world)
  const query = [example.query, 'unheard_of_parameter=1'].filter(Boolean).join('&')
  const { body: members } = example
  const takesMembers = isObject(members) && !operation.wholeBody
  const body = takesMembers ? { ...members, unheard_of: { data: 1 } } : members
  const response = await world.request(method, toPath(path, { ...example, query }), {
    key: getKeyFor(world, name),
    ...(body !== undefined && { body }),
    ...(example.headers && { headers: example.headers }),
  })
  const sent = ['unheard_of_parameter', ...(takesMembers ? ['unheard_of'] : [])].join(', ')
  return {
    sent,
    status: response.status,
    ignored: response.headers.get('Coffer-Ignored'),
    text: response.text,
  }
}

test('A-08 every operation ignores unknown members and parameters, and names them', {
  timeout: 120_000,
}, async () => {
  const world = await startTestServer(undefined, { strict: false })
  for (const route of routes) {
    if (route.operation.always) continue
    const { sent, status, ignored, text } = await sendWithUnknown(world, route)
    expect([route.name, status < 400 ? 'done' : text, ignored]).toEqual([route.name, 'done', sent])
  }
})

test('A-08 an upload ignores unknown members of its request, and names them', async () => {
  const { uploadDocument, request, key } = await startDocuments()
  const created = await uploadDocument([createDocumentPart('1'), createRequestPart({ meta_data: {} })])
  expect([created.status, created.headers.get('Coffer-Ignored')]).toEqual([202, 'request.meta_data'])
  const { headers } = await request('GET', `/documents/${created.body.id}/data?page=1`, { key })
  expect(headers.get('Coffer-Ignored')).toBe('page')
})

test('A-08 a misspelled name gets the nearest known one, and a foreign name gets none', () => {
  const known = ['expires_at', 'type', 'data', 'id', 'containers', 'search_indexes']
  const found = [
    'expiresAt',
    'expire_at',
    'Type',
    'container',
    'searchIndexes',
    'colour',
    'ip',
    'x'.repeat(9999),
  ]
  expect(found.map((name) => findNearestName(name, known))).toEqual([
    'expires_at',
    'expires_at',
    'type',
    'containers',
    'search_indexes',
    undefined,
    undefined,
    undefined,
  ])
})
