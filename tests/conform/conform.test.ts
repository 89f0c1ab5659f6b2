import { expect, test } from 'vitest'
import { statements } from '../../electron/conform/statements/index.ts'
import { checkLocalServer, serveForConform } from './serve-for-conform.ts'

test('Q-01 every statement holds for Coffer', { timeout: 180_000 }, async () => {
  const server = await serveForConform()
  const report = await checkLocalServer(server, statements)
  expect(report.outcomes.filter(({ result }) => result === 'differs' || result === 'unanswered')).toEqual([])
  expect(report.left).toBe(0)
})

test('no two statements of a rule are the same sentence, and each has steps or a reason', () => {
  const all = Object.values(statements).flat()
  const sentences = all.map(({ rule, says }) => `${rule} ${says}`)
  expect(sentences).toEqual([...new Set(sentences)])
  for (const { says, steps, skipped } of all) {
    expect(says).not.toMatch(/\.$/)
    expect(steps.length > 0, says).toBe(skipped === undefined)
  }
})

test('a report can be printed: every statement is plain data', () => {
  expect(JSON.parse(JSON.stringify(statements))).toEqual(statements)
})

test('Q-01 a tenant that deduplicates keeps what it had before a run', { timeout: 120_000 }, async () => {
  const server = await serveForConform()
  const sendRequest = async (method: string, path: string, key: string | undefined, body?: unknown) => {
    const headers = {
      'BT-API-KEY': key ?? '',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    }
    const answer = await fetch(server.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const { key, management } = server.keys
  const settings = { deduplicate_tokens: 'true' }
  expect(await sendRequest('PUT', '/tenants/self', management, { name: 'Test', settings })).toMatchObject({
    status: 200,
  })
  const number = '4242424242424242'
  const tokens = [
    ...['Ada', 'two', 1, 7, true, false].map((data) => ({ type: 'token', data })),
    { type: 'card_number', data: number },
    { type: 'card', data: { number: '4111111111111111' } },
    { type: 'card', data: { number: '4166676667666746' } },
  ]
  const existing = [
    ...(await Promise.all(
      tokens.map(async (body) => `/tokens/${(await sendRequest('POST', '/tokens', key, body)).body.id}`),
    )),
    ...(await Promise.all(
      ['4000000000000002', '5100000000000008', '4000000000000010'].map(async (each) => {
        const data = { number: each, expiration_month: 10, expiration_year: 2035 }
        return `/network-tokens/${(await sendRequest('POST', '/network-tokens', key, { data })).body.id}`
      }),
    )),
  ]
  const { payloads = [], networks = [], reactors = [], proxies = [], 'token-types': types = [] } = statements
  const report = await checkLocalServer(server, { payloads, networks, reactors, proxies, types }, 2000)
  const answers = await Promise.all(existing.map((path) => sendRequest('GET', path, key)))
  expect(answers.map(({ status }) => status)).toEqual(existing.map(() => 200))
  expect(report.outcomes.filter(({ result }) => result === 'differs').map(({ says }) => says)).toEqual([
    'A network token lives from creation through suspension to deletion',
    'A card number has one network token',
    'A suspended network token gives no cryptogram',
  ])
})
