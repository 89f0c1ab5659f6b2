import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { parseOperations } from '../../renderer/parts/api/api-document.ts'
import { addSpans } from '../../renderer/screens/requests/add-spans.ts'
import { formatExportLine } from '../../renderer/screens/requests/export-line.ts'
import { findOperations } from '../../renderer/screens/requests/operation-picker.tsx'
import { fillPlaceholders, parseHeaders } from '../../renderer/screens/requests/request-draft.ts'
import { parseSnapshot, serializeSnapshot } from '../../renderer/screens/requests/request-snapshot.ts'
import { findResendDraft, reconstructRequest } from '../../renderer/screens/requests/resend.ts'
import type { JsonObject } from '../../shared/json.ts'
import { MAX_DRAFT_LENGTH } from '../../shared/schemas/draft.ts'

const operations = parseOperations(openApi('http://127.0.0.1:4747') as JsonObject)
const record = {
  id: '7',
  tenant_id: '7d9c9b1e-4b9e-4a8e-9b1f-2c8d4f1a0b11',
  entity_type: 'token',
  operation: 'read' as const,
  action: 'tokens.list',
  path: '/v2/tokens',
  method: 'GET',
  status: 200,
  message: 'Token retrieved',
  trace_id: 'trace',
  duration_ms: 1,
  created_at: '2030-01-01T00:00:00.000Z',
  entity_ids: [],
}
const kept = {
  operation: 'tokens.create',
  method: 'POST',
  path: '/tokens',
  draft: { params: {}, body: '{"type":' },
  through: 'listener',
  as: null,
  trace_id: 'trace',
} as const

test('operations are found by path, name and summary, best match first', () => {
  const findFirst = (typed: string) => findOperations(operations, typed)[0]?.id
  expect(findFirst('get a token')).toBe('tokens.get')
  expect(findFirst('post /tokens')).toBe('tokens.create')
  expect(findFirst('delete /tokens')).toBe('tokens.remove')
  expect(findFirst('TOKENS.CREATE')).toBe('tokens.create')
  expect(findOperations(operations, 'no such thing')).toEqual([])
  expect(findOperations(operations, ' ')).toHaveLength(operations.length)
})

test('O-05 a record exports as one line of JSON or formula-safe CSV', () => {
  const one = { ...record, agent: '=1+1', errors: { 'data.number': ['must pass, "always"'] } }
  expect(JSON.parse(formatExportLine(one, 'ndjson'))).toEqual(one)
  const csv = formatExportLine(one, 'csv')
  expect(csv).toContain(",'=1+1,")
  expect(csv).toContain(String.raw`"{""data.number"":[""must pass, \""always\""""]}"`)
  expect(csv.endsWith(',trace,7\r\n')).toBe(true)
})

test('O-05 the counts of two parts of the log are added for each time span', () => {
  const createSpan = (at: string, done: number) => ({ at, done, refused: 1, failed: 0 })
  expect(
    addSpans([createSpan('b', 1), createSpan('c', 2)], [createSpan('a', 4), createSpan('b', 8)]),
  ).toEqual([createSpan('a', 4), { at: 'b', done: 9, refused: 2, failed: 0 }, createSpan('c', 2)])
})

test('a resend repeats a stored request, or lists what is missing', () => {
  expect(findResendDraft(record, [{ ...kept, id: 'x', created_at: '' }])).toEqual({
    draft: kept.draft,
    as: null,
    through: 'listener',
    isSent: true,
    lost: [],
  })
  expect(findResendDraft({ ...record, trace_id: 'other' }, [{ ...kept, id: 'x', created_at: '' }])).toBeNull()
  const list = operations.find(({ id }) => id === 'tokens.list')
  if (!list) throw new Error('There is no list.')
  const reconstructQuery = (query: Record<string, string | null>) =>
    reconstructRequest(list, { ...record, agent: 'curl', query })
  expect(reconstructQuery({ size: '5' })).toMatchObject({ draft: { params: { size: '5' } }, lost: ['key'] })
  expect(reconstructQuery({ size: '5', container: null }).lost).toContain('query')
  // A record of an older version does not contain whether the request had a query.
  expect(reconstructRequest(list, record).lost).toContain('query')
})

test('a body too large to store is left out and marked as missing', () => {
  expect(parseSnapshot(serializeSnapshot(kept))).toEqual(kept)
  const large = parseSnapshot(
    serializeSnapshot({ ...kept, draft: { params: {}, body: 'x'.repeat(MAX_DRAFT_LENGTH) } }),
  )
  expect(large).toMatchObject({ draft: { body: '' }, without_body: true })
  expect([parseSnapshot('{}'), parseSnapshot('no JSON')]).toEqual([null, null])
})

test('variables are escaped inside JSON, and unknown ones are not replaced', () => {
  const toPlaceholder = (name: string) => `$\{${name}}`.replace('\\', '')
  const draft = {
    params: { id: toPlaceholder('id') },
    body: `{"a":"${toPlaceholder('quote')}","b":"${toPlaceholder('other')}"}`,
    headers: `svc-trace-id: ${toPlaceholder('id')}`,
  }
  const filled = fillPlaceholders(draft, { id: 'a/b', quote: 'say "x"\n' })
  expect(filled.params).toEqual({ id: 'a/b' })
  expect(JSON.parse(filled.body)).toEqual({ a: 'say "x"\n', b: toPlaceholder('other') })
  expect(parseHeaders(filled)).toEqual([['svc-trace-id', 'a/b']])
  expect(parseHeaders({ params: {}, body: '', headers: 'no header\n\nA: b:c' })).toEqual([null, ['a', 'b:c']])
})
