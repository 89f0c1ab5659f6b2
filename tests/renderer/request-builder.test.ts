// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders themselves
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { parseOperations } from '../../renderer/parts/api/api-document.ts'
import { createBodyHints } from '../../renderer/screens/requests/body-hints.ts'
import { checkBody } from '../../renderer/screens/requests/check-body.ts'
import { formatTest, KEY_VARIABLE } from '../../renderer/screens/requests/format-test.ts'
import { findAddresses } from '../../renderer/screens/requests/operation-picker.tsx'
import {
  formatRequestPath,
  listUsedVariables,
  quotePlaceholders,
  toHttpRequest,
  toOperationInput,
} from '../../renderer/screens/requests/request-draft.ts'
import { serializeSnapshot } from '../../renderer/screens/requests/request-snapshot.ts'
import { scanJson } from '../../renderer/ui/text/editor/json-scan.ts'
import type { JsonObject } from '../../shared/json.ts'
import { createTempFolder, openVault } from '../vault.ts'

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
  expect(checkBody({ name: 'x' }, schema, schemas)).toEqual([{ path: 'body', message: 'type is required' }])
  expect(checkBody({ name: 1, type: 'private', wrong: 1 }, schema, schemas)).toEqual([
    { path: 'name', message: 'name must be string' },
    { path: 'wrong', isName: true, message: 'wrong is not a known member' },
  ])
  expect(checkBody({ name: 'x', type: 'other' }, schema, schemas)[0]?.message).toMatch(
    /^type must be one of private/,
  )
  expect(checkBody([], schema, schemas)).toEqual([{ path: 'body', message: 'body must be object' }])
})

test('copied code names variables instead of their values', () => {
  const variables = { id: 'a secret', pan: '4242', unused: 'x' }
  const draft = { params: { id: '${id}' }, body: '{"data": ${pan}, "metadata": {"a \\"": "${id}"}}' }
  expect(listUsedVariables(draft, variables)).toEqual(['id', 'pan'])
  const update = requireOperation('tokens.update')
  const request = toHttpRequest(update, quotePlaceholders(draft), 'http://127.0.0.1:4747', 'k')
  expect(request.url).toBe('http://127.0.0.1:4747/tokens/${id}')
  expect(JSON.stringify(request.body)).toBe('{"data":"${pan}","metadata":{"a \\"":"${id}"}}')
})

test('a typed address means an operation with its parameters', () => {
  const readAddress = (text: string) =>
    findAddresses(operations, text).map(({ operation, params }) => [operation.id, params])
  expect(readAddress('GET /tokens/a%20b')).toEqual([['tokens.get', { id: 'a b' }]])
  expect(readAddress('http://127.0.0.1:4747/v2/tokens?container=/pci/&size=5')).toEqual([
    ['tokens.list', { container: '/pci/', size: '5' }],
  ])
  expect(readAddress('get /applications/key?x=1')).toEqual([['applications.get', { id: 'key' }]])
  for (const none of ['/tokens', '/tokens/{id}', 'tokens', 'GET /nothing/at/all'])
    expect(readAddress(none)).toEqual([])
})

test('members, values and variables are suggested for a body, and values of variables stay masked', async () => {
  const { body } = requireOperation('applications.create')
  const variables = { stage: 'test', secret: 'a long secret value 99' }
  const hints = createBodyHints({ schema: body?.schema ?? {}, schemas, variables, findTokens: null })
  const suggestTexts = async (text: string) => {
    const found = await hints.suggestNext(scanJson(text).end)
    return found?.suggestions.map((each) => each.text) ?? null
  }
  expect((await suggestTexts('{"type": "private", "'))?.slice(0, 2)).toEqual(['"name": ', '"permissions": '])
  expect(await suggestTexts('{"type": "pu')).toEqual(['"public"'])
  expect(await suggestTexts('{"rules": [{"transform": "re')).toEqual(['"redact"', '"reveal"'])
  expect(await suggestTexts('{"name": "x ${s')).toEqual(['${stage}', '${secret}'])
  expect(await suggestTexts('{"name": "free text')).toBe(null)
  // An application's key would not find every token, so only the owner gets suggestions.
  expect(await suggestTexts('{"name": "{{ 4242')).toBe(null)
  const described = await Promise.all(['${secret}', '${stage}', '${other}'].map(hints.describeReference))
  expect(described).toEqual([
    'secret: ••••••••e 99',
    'stage: ••••••••',
    'other is not a variable of this environment',
  ])
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

test('a copied test starts a vault of its own, and takes the key that the request needs', async () => {
  const create = requireOperation('tokens.create')
  const draft = {
    params: {},
    body: '{"type": "token", "data": 19.90}',
    headers: 'svc-idempotency-key: a\ncontent-type: x/y',
  }
  const request = toHttpRequest(create, draft, 'http://127.0.0.1:4747', { variable: KEY_VARIABLE })
  const text = formatTest(create, request, 201)
  expect(text).toContain("fetch(coffer.url + '/tokens'")
  expect(text).toContain("'SVC-API-KEY': coffer.keys.private")
  const roles = requireOperation('applications.list')
  const listed = formatTest(
    roles,
    toHttpRequest(roles, { params: {}, body: '' }, 'http://127.0.0.1:4747', 'k'),
    200,
  )
  expect(listed).toContain('coffer.keys.management')

  // The test is run as it is copied, with the packages of this repository.
  const folder = createTempFolder()
  fs.mkdirSync(path.join(folder, 'node_modules'))
  fs.symlinkSync(
    path.join(import.meta.dirname, '../..'),
    path.join(folder, 'node_modules', 'coffer'),
    'junction',
  )
  fs.writeFileSync(path.join(folder, 'created.test.mjs'), text)
  fs.writeFileSync(path.join(folder, 'listed.test.mjs'), listed)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, ['--test'], { cwd: folder, env })
  expect(stdout).toMatch(/pass 2\b/)
})
