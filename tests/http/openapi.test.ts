import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { startListener } from '../listener.ts'

type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  servers: { url: string }[]
  components: Record<'schemas' | 'responses', Record<string, unknown>>
}
type Operation = {
  operationId: string
  summary: string
  description: string
  deprecated?: boolean
  parameters: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: { properties?: object; required?: string[] } }> }
  responses: Record<string, { content?: object }>
}

async function load(): Promise<{ document: Document; operations: Map<string, Operation> }> {
  const { request } = await startListener()
  const { status, body } = await request('GET', '/openapi.json')
  expect(status).toBe(200)
  const document = body as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => [`${method.toUpperCase()} ${path}`, each] as const),
  )
  return { document, operations: new Map(operations) }
}

test('A-04 the document is valid OpenAPI and every reference in it leads somewhere', async () => {
  const { document } = await load()
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  expect(references.length).toBeGreaterThan(10)
  for (const reference of new Set(references)) {
    const [, kind, name] = /^#\/components\/(schemas|responses)\/(\w+)$/.exec(reference) ?? []
    expect(document.components[kind as 'schemas'], reference).toHaveProperty(name as string)
  }
  expect(JSON.stringify(document)).not.toMatch(/\$defs|"\$id"|\$schema/)
})

test('A-04 every operation with a route is there once, under its own name', async () => {
  const { operations } = await load()
  const expected = [...catalogue].flatMap(([name, { route }]) =>
    route === null ? [] : [[route, name] as const],
  )
  const ofInterface = [...operations].filter(([route]) => !route.includes(' /_coffer/'))
  expect(new Map(ofInterface.map(([route, each]) => [route, each.operationId]))).toEqual(new Map(expected))
  for (const [route, { operationId, parameters, responses, summary, description }] of ofInterface) {
    const known = catalogue.get(operationId)
    const inPath = parameters.filter((each) => each.in === 'path').map((each) => `{${each.name}}`)
    expect([route, inPath]).toEqual([route, route.match(/\{\w+\}/g) ?? []])
    const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
    expect([route, successes]).toEqual([route, known?.removed ? [] : [String(known?.status)]])
    if (!known?.removed)
      expect('content' in (responses[String(known?.status)] ?? {})).toBe(known?.status !== 204)
    expect([summary, description].every((text) => text.length > 0)).toBe(true)
  }
})

test('T-12 L-01 A-08 bodies, parameters and what is left out of them', async () => {
  const { operations } = await load()
  const bodyOf = (route: string) => Object.entries(operations.get(route)?.requestBody?.content ?? {})
  const [[type, { schema }] = ['', { schema: {} }]] = bodyOf('POST /tokens')
  expect(type).toBe('application/json')
  expect(Object.keys(schema.properties ?? {})).toEqual([
    'id',
    'type',
    'data',
    'token_intent_id',
    'mask',
    'containers',
    'metadata',
    'search_indexes',
    'fingerprint_expression',
    'deduplicate_token',
    'expires_at',
  ])
  expect(bodyOf('PATCH /tokens/{id}').map(([each]) => each)).toEqual(['application/merge-patch+json'])
  expect(operations.get('POST /applications/{id}/keys')?.requestBody).toBeUndefined()
  expect(bodyOf('POST /applications')[0]?.[1].schema.required).toEqual(['name', 'type'])
  const query = operations.get('GET /v2/tokens')?.parameters.map((each) => each.name)
  expect(query).toEqual(['container', 'type', 'fingerprint', 'metadata', 'start', 'size'])
  expect(operations.get('GET /tokens')?.deprecated).toBe(true)
})
