import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { getActorName } from '../../renderer/parts/access/actor-name.ts'
import { parseOperations } from '../../renderer/parts/api/api-document.ts'
import { readTyped, suggestFilters } from '../../renderer/parts/filters/filter-fields.ts'
import { compareRecords } from '../../renderer/screens/requests/compare-records.ts'
import { findCall, toLedgerLines } from '../../renderer/screens/requests/ledger-lines.ts'
import { hasOverlap, mergeRecords } from '../../renderer/screens/requests/merge-records.ts'
import {
  getOutcomeFilter,
  type LogListRecord,
  toLogQuery,
  toOwnerLogQuery,
  toRecordFilter,
  toRouteQuery,
  withOutcome,
} from '../../renderer/screens/requests/record.ts'
import { reconstructRequest } from '../../renderer/screens/requests/resend.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { FullLog, LogObject } from '../../shared/schemas/log.ts'
import { catchProblem, openVault } from '../vault.ts'

const operations = parseOperations(openApi('http://127.0.0.1:4747') as JsonObject)
const createRows = (...ids: number[]) => ids.map((id) => ({ id: String(id) }) as LogObject)
const createPage = (next: string | null, ...ids: number[]) => ({ rows: createRows(...ids), next })

/** Returns the draft for resending the newest failed request. */
async function reconstructFailed(call: (vault: ReturnType<typeof openVault>) => Promise<unknown>) {
  const vault = openVault()
  await call(vault)
  const [log] = (await vault.owner.logs.list({ status: '4xx' })).data
  const record = await vault.owner.logs.get({ id: log?.id ?? '' })
  const operation = operations.find(({ id }) => id === record.action)
  if (!operation) throw new Error(`There is no ${record.action}.`)
  return { ...reconstructRequest(operation, record), record }
}

test("O-05 every condition of the log screen becomes part of the vault's query", () => {
  const q = 'status:4xx -app:owner program:"curl 8" since:2026-01-01 until:2026-02-01 http://x abc'
  const filter = toRecordFilter({ q })
  expect(toOwnerLogQuery(filter)).toEqual({
    where: [
      { field: 'status', value: '4xx' },
      { field: 'app', value: 'owner', not: true },
      { field: 'program', value: 'curl 8' },
    ],
    q: 'http://x abc',
    start_date: '2026-01-01',
    end_date: '2026-02-01',
  })
  expect(toRecordFilter(toRouteQuery(filter))).toEqual(filter)
  expect(toOwnerLogQuery(toRecordFilter({}))).toEqual({})
  // An API key can ask for one value of a few fields, and leave nothing out.
  const asked = toRecordFilter({ q: 'status:403 status:404 -about:token id:x took:>1s path:/tokens* abc' })
  expect(toLogQuery(asked)).toEqual({ status: '404', entity_id: 'x', q: 'abc' })
})

test('the outcome of a filter follows its statuses', () => {
  const readOutcome = (q: string) => getOutcomeFilter(toRecordFilter({ q }))
  expect([
    readOutcome(''),
    readOutcome('status:4xx'),
    readOutcome('-status:4xx'),
    readOutcome('status:4xx status:5xx'),
    readOutcome('status:403'),
  ]).toEqual(['all', 'refused', null, null, null])
  const refused = toRecordFilter({ q: 'status:403 app:x' })
  expect(toRouteQuery(withOutcome(refused, 'done'))).toEqual({ q: 'app:x status:2xx' })
})

test('the records of a proxied call are one line, which unfolds', () => {
  const path = '/proxy/v1'
  const createCall = (id: string, at: string, more: object) =>
    ({
      id,
      action: 'proxies.invoke',
      path,
      trace_id: 't',
      duration_ms: 5,
      created_at: `2026-01-01T00:00:${at}Z`,
      ...more,
    }) as LogListRecord
  // The program used one trace id for two calls.
  const rows = [
    createCall('6', '30.000', { duration_ms: 900 }),
    createCall('5', '29.500', { action: 'tokens.get', path: '/tokens/1' }),
    createCall('4', '29.400', { action: 'proxies.transform' }),
    createCall('3', '29.200', {}),
    createCall('2', '10.000', { duration_ms: 100 }),
    createCall('1', '09.950', {}),
  ]
  const listLines = (unfolded: Map<string, []>) =>
    toLedgerLines(rows, unfolded).map(({ id, fold, isPart }) => [id, fold?.parts ?? (isPart ? 'part' : null)])
  expect(listLines(new Map())).toEqual([
    ['6', 2],
    ['5', null],
    ['2', 1],
  ])
  expect(listLines(new Map([['2', []]]))).toEqual([
    ['6', 2],
    ['5', null],
    ['2', 1],
    ['1', 'part'],
  ])
  const [, , , used] = rows
  expect(used && findCall(used, rows).map(({ id }) => id)).toEqual(['6', '4', '3'])
})

test('two records are compared fact by fact', () => {
  const one = { id: '1', status: 200, headers: { accept: '*/*' }, entity_ids: ['a', 'b'] } as unknown
  const other = {
    id: '2',
    status: 200,
    headers: { accept: 'text/html' },
    entity_ids: ['a', 'b'],
    code: 'x',
  } as unknown
  expect(compareRecords(one as FullLog, other as FullLog)).toEqual([
    { name: 'id', values: ['1', '2'], isDifferent: true },
    { name: 'status', values: ['200', '200'], isDifferent: false },
    { name: 'headers.accept', values: ['*/*', 'text/html'], isDifferent: true },
    { name: 'entity_ids', values: ['a, b', 'a, b'], isDifferent: false },
    { name: 'code', values: [undefined, 'x'], isDifferent: true },
  ])
})

test('what is typed becomes a condition, and what it may become is suggested', () => {
  const fields = [
    { field: 'status', label: 'Status', icon: 'check', values: [{ value: '4xx' }, { value: '403' }] },
    { field: 'app', label: 'By', icon: 'app', values: [{ value: 'id-1', name: 'Browser shop' }] },
  ] as const
  const none = { conditions: [], words: '' }
  expect(readTyped('-app:"browser SHOP" left', fields)).toEqual({
    conditions: [{ field: 'app', value: 'id-1', not: true }],
    words: 'left',
  })
  const listOffers = (text: string) => suggestFilters(text, fields, none, () => {}).map((each) => each.text)
  expect(listOffers('')).toEqual(['status: Status', 'app: By'])
  expect(listOffers('st')).toEqual(['status: Status'])
  expect(listOffers('brow')).toEqual(['Browser shop'])
  expect(listOffers('status:4')).toEqual(['4', '4xx', '403'])
  expect(listOffers('status:403')).toEqual(['403'])
})

test('O-05 new records are added to the visible ones only without a gap', () => {
  const shown = createPage('older', 5, 4, 3)
  expect(mergeRecords(createPage('x', 7, 6, 5), shown)).toEqual(createPage('older', 7, 6, 5, 4, 3))
  expect(hasOverlap(createPage('x', 9, 8, 7), shown)).toBe(false)
  expect(mergeRecords(createPage('x', 9, 8, 7), shown)).toEqual(createPage('x', 9, 8, 7))
  expect(mergeRecords(createPage(null, 9, 5), shown)).toEqual(createPage(null, 9, 5))
  expect(mergeRecords(createPage('x', 9), createPage(null))).toEqual(createPage('x', 9))
})

test('resending a request that got 403 uses the same entity and application', async () => {
  const { draft, as, lost, record } = await reconstructFailed(async ({ application }) => {
    const { client } = await application({ permissions: ['token:create'] })
    await catchProblem(client.tokens.get({ id: 'tok/1 a' }))
  })
  expect(draft).toEqual({ params: { id: 'tok/1 a' }, body: '' })
  expect(as).toBe(record.actor_id)
  expect(lost).toEqual([])
})

test('resending a request that got 400 starts with an empty body and a note', async () => {
  const { draft, lost } = await reconstructFailed(async ({ application }) => {
    const { client } = await application({ permissions: ['token:create'] })
    await catchProblem(client.tokens.create({ type: 'card', data: { number: '4242424242424241' } }))
  })
  expect(draft).toEqual({ params: {}, body: '' })
  expect(lost).toEqual(['body'])
})

test('resending restores the ids of a path, unless they are masked', async () => {
  const keys = await reconstructFailed(async ({ application }) => {
    const { client } = await application({ type: 'management', permissions: ['log:read'] })
    await catchProblem(client.keys.get({ id: 'one', keyId: 'two' }))
  })
  expect(keys.draft.params).toEqual({ id: 'one', keyId: 'two' })
  const masked = await reconstructFailed(async ({ engine }) => {
    const caller = { kind: 'key', key: 'key_local_pvt_unknown' } as const
    await catchProblem(engine.call('tokens.get', { id: '4242424242424242' }, caller))
  })
  expect(masked.draft.params).toEqual({})
  expect(masked.lost).toEqual(['id', 'key'])
  expect(masked.as).toBeUndefined()
})

test.each([
  ['owner', undefined, 'Owner'],
  ['vault', undefined, 'The vault itself'],
  ['unknown', undefined, 'No valid key'],
  ['cardholder', undefined, 'A cardholder'],
  ['application', 'here', 'Shop'],
  ['application', 'gone', 'A deleted application'],
  ['session', 'some', 'A session'],
  ['proxy', 'some', 'A caller without a key'],
])('O-05 the actor of a record of %s %s is displayed as “%s”', (type, id, name) => {
  expect(getActorName([{ id: 'here', name: 'Shop' }], id, type)).toBe(name)
})
