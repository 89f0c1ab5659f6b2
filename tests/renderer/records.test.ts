import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { getActorName } from '../../renderer/parts/access/actor-name.ts'
import { parseOperations } from '../../renderer/parts/api/api-document.ts'
import { hasOverlap, mergeRecords } from '../../renderer/screens/requests/merge-records.ts'
import { toLogQuery, toRecordFilters } from '../../renderer/screens/requests/record.ts'
import { reconstructRequest } from '../../renderer/screens/requests/resend.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { LogObject } from '../../shared/schemas/log.ts'
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

test("O-05 every filter of the log screen becomes part of the vault's query", () => {
  const filters = toRecordFilters({ outcome: 'refused', actor: 'a', kind: 'token', entity: 'e', q: ' abc ' })
  expect(toLogQuery(filters)).toEqual({
    status: '4xx',
    actor_id: 'a',
    entity_type: 'token',
    entity_id: 'e',
    q: 'abc',
  })
  expect(toLogQuery(toRecordFilters({ outcome: 'nonsense', q: ' ' }))).toEqual({})
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
