import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { openChromium } from './chromium.ts'
import { servePage } from './serve-page.ts'

test('X-11 a page of another origin reads and writes nothing', async () => {
  const shop = await servePage()
  const { vault, url } = await startListener()
  const { key, client } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const page = await (await openChromium()).newPage()
  await page.goto(shop.origin)
  const answers = await page.evaluate(
    async ({ url, key }) => {
      const body = JSON.stringify({ type: 'token', data: 'planted' })
      const attempts: [string, RequestInit][] = [
        [`${url}/v2/tokens`, { headers: { 'SVC-API-KEY': key } }],
        [
          `${url}/tokens`,
          { method: 'POST', body, headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' } },
        ],
        [`${url}/tokens?SVC-API-KEY=${key}`, { method: 'POST', body, mode: 'no-cors' }],
        [`${url}/_coffer/health`, {}],
        [`${url}/openapi.json`, { mode: 'no-cors' }],
      ]
      const results: string[] = []
      for (const [target, options] of attempts) {
        try {
          results.push(await (await fetch(target, options)).text())
        } catch {
          results.push('')
        }
      }
      return results
    },
    { url, key },
  )
  expect(answers).toEqual(['', '', '', '', ''])
  expect((await client.tokens.list({})).data).toEqual([])
})

test('X-11 a page whose host name was rebound to this machine gets 403 and writes nothing', {
  tags: 'thorough',
}, async () => {
  const { vault, port } = await startListener()
  const { key, client } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const page = await (await openChromium()).newPage()
  const response = await page.goto(`http://rebound.test:${port}/_coffer/health`)
  expect(response?.status()).toBe(403)
  const statuses = await page.evaluate(async (key) => {
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ type: 'token', data: 'planted' })
    const read = await fetch('/v2/tokens', { headers })
    const write = await fetch('/tokens', { method: 'POST', headers, body })
    return [read.status, write.status]
  }, key)
  expect(statuses).toEqual([403, 403])
  expect((await client.tokens.list({})).data).toEqual([])
})
