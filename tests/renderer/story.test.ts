import { expect, test } from 'vitest'
import { readStory } from '../../renderer/screens/requests/story.ts'

const start = Date.parse('2030-01-01T00:00:00Z')
const formatTime = (ms: number) => new Date(start + ms).toISOString()
const createRecord = (id: string, ms: number) => ({
  id,
  trace_id: 'trace',
  action: 'proxies.invoke',
  path: '/proxy/pay',
  created_at: formatTime(ms),
  duration_ms: 100,
})

/** Reads the story of the first record in a vault with these records and saved calls. */
async function readExchange(records: readonly object[], exchanges: readonly object[]) {
  const createPage = async (data: readonly object[]) => ({ data })
  const vault = {
    logs: { find: () => createPage(records), get: async ({ id }: { id: string }) => ({ id }) },
    exchanges: { list: () => createPage(exchanges) },
    reactorRuns: { list: () => createPage([]) },
    deliveries: { listOfRequest: () => createPage([]) },
  }
  return (await readStory(records[0] as never, vault as never)).exchange
}

test('a call that is saved late on a busy machine belongs to its record', async () => {
  const saved = { id: 'saved', created_at: formatTime(9000) }
  expect(await readExchange([createRecord('call', 0)], [saved])).toEqual(saved)
})

test('a call that was saved after the next request with its trace id belongs to that one', async () => {
  const records = [createRecord('call', 0), createRecord('next', 5000)]
  expect(await readExchange(records, [{ id: 'saved', created_at: formatTime(5001) }])).toBe(null)
})
