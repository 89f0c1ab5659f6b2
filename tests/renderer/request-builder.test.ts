import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { parseOperations } from '../../renderer/parts/api/api-document.ts'
import { checkBody } from '../../renderer/screens/requests/check-body.ts'
import { formatRequestPath, toOperationInput } from '../../renderer/screens/requests/request-draft.ts'
import { serializeSnapshot } from '../../renderer/screens/requests/request-snapshot.ts'
import type { JsonObject } from '../../shared/json.ts'
import { openVault } from '../vault.ts'

const document = openApi('http://127.0.0.1:4747', { strict: true }) as JsonObject
const schemas = (document.components as JsonObject).schemas as JsonObject
const operations = parseOperations(document)
const requireOperation = (id: string) => {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`There is no ${id}.`)
  return found
}

test('the builder accepts the example of every operation', () => {
  expect(operations.length).toBeGreaterThan(25)
  for (const { id, body } of operations) {
    if (body?.example !== undefined)
      expect([id, checkBody(body.example, body.schema, schemas)]).toEqual([id, []])
  }
})

test('missing, unknown and invalid fields of a body are reported', () => {
  const { body } = requireOperation('applications.create')
  const schema = body?.schema ?? {}
  expect(checkBody({ name: 'x' }, schema, schemas)).toEqual(['type is required'])
  expect(checkBody({ name: 1, type: 'private', wrong: 1 }, schema, schemas)).toEqual([
    'name must be string',
    'wrong is not a known member',
  ])
  expect(checkBody({ name: 'x', type: 'other' }, schema, schemas)[0]).toMatch(/^type must be one of private/)
  expect(checkBody([], schema, schemas)).toEqual(['body must be object'])
})

test('a form becomes a request that the window and the listener accept', async () => {
  const list = requireOperation('tokens.list')
  const draft = { params: { container: '/pci/', metadata: 'customer=ada', size: '5' }, body: '' }
  expect(formatRequestPath(list, draft)).toBe('/v2/tokens?container=%2Fpci%2F&metadata.customer=ada&size=5')
  const { owner } = openVault()
  await owner.tokens.create({
    type: 'token',
    data: 'x',
    containers: ['/pci/'],
    metadata: { customer: 'ada' },
  })
  const { data } = await owner.tokens.list(toOperationInput(list, draft) as never)
  expect(data).toHaveLength(1)

  const get = requireOperation('tokens.get')
  expect(formatRequestPath(get, { params: { id: 'a b' }, body: '' })).toBe('/tokens/a%20b')
  const tokenize = requireOperation('tokens.tokenize')
  expect(toOperationInput(tokenize, { params: {}, body: '["x"]' })).toEqual({ payload: ['x'] })
  const search = requireOperation('applications.list')
  expect(formatRequestPath(search, { params: { id: 'a, b' }, body: '' })).toBe('/applications?id=a&id=b')
})

test('a key typed as a header is not saved with the request', () => {
  const content = serializeSnapshot({
    operation: 'tokens.get',
    method: 'GET',
    path: '/tokens/a',
    draft: {
      params: {},
      body: '',
      headers: 'Authorization: Bearer x1\nsvc-api-key: x2\nx3\nSVC-Trace-Id: order',
    },
    through: 'listener',
    as: null,
  })
  expect(JSON.parse(content).draft.headers).toBe('svc-trace-id: order')
})
