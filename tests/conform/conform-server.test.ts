import { expect, test } from 'vitest'
import { ConformServer } from '../../electron/conform/conform-server.ts'
import { RequestPace } from '../../electron/conform/request-pace.ts'
import { startListener } from '../listener.ts'
import { createOutbound, startAlteringProxy } from './serve-for-conform.ts'

/** Starts a server that answers with these statuses, one after another, and then as Coffer. */
async function startBusyServer(statuses: number[], headers: Record<string, string> = {}) {
  const { url } = await startListener()
  let requests = 0
  const altered = await startAlteringProxy(url, (answer) => {
    requests++
    answer.status = statuses.shift() ?? answer.status
    if (answer.status === 429) Object.assign(answer.headers, headers)
  })
  return {
    server: new ConformServer({ url: altered, outbound: createOutbound(), managementKey: undefined }),
    count: () => requests,
  }
}

test('a request that is limited waits as long as Retry-After says, and is sent again', async () => {
  const { server, count } = await startBusyServer([429], { 'retry-after': '1' })
  const started = performance.now()
  const { status } = await server.sendRequest({ method: 'POST', path: '/tokens', key: 'wrong' })
  expect(status).toBe(401)
  expect(count()).toBe(2)
  expect(performance.now() - started).toBeGreaterThan(900)
})

test('a request is not sent again if its status is expected, or if it could be done twice', async () => {
  const limited = await startBusyServer([429])
  const expected = { method: 'GET', path: '/tokens', key: 'wrong', expected: [429] }
  expect((await limited.server.sendRequest(expected)).status).toBe(429)
  expect(limited.count()).toBe(1)
  const failing = await startBusyServer([503, 503])
  const post = { method: 'POST', path: '/tokens', key: 'wrong' }
  expect((await failing.server.sendRequest(post)).status).toBe(503)
  expect((await failing.server.sendRequest({ ...post, method: 'GET' })).status).toBe(401)
  expect(failing.count()).toBe(3)
})

test('the requests of one key are spaced on another machine, and those of other keys are not delayed', async () => {
  const pace = new RequestPace({ isLocal: false })
  const turns: string[] = []
  const takeTurn = (key: string) => pace.waitForTurn(key, false, undefined).then(() => turns.push(key))
  const started = performance.now()
  await Promise.all(['a', 'a', 'b'].map(takeTurn))
  expect(turns).toEqual(['a', 'b', 'a'])
  expect(performance.now() - started).toBeGreaterThan(150)
  pace.applyAnswer('b', {
    isLimited: false,
    headers: { ratelimit: 'limit=50, remaining=0, reset=60' },
    attempt: 1,
  })
  const stopped = new AbortController()
  const waiting = pace.waitForTurn('b', false, stopped.signal)
  stopped.abort()
  await expect(waiting).rejects.toThrow()
})
