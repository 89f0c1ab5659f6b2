import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { openChromium } from './chromium.ts'
import { servePage } from './serve-page.ts'

type BrowserCall = { method: string; url: string; key: string; body?: unknown }
type BrowserReply = { status: number; body: unknown; trace: string | null } | { blocked: true }

/** Makes a call from the page's own script. */
function callFrom(page: Page, call: BrowserCall): Promise<BrowserReply> {
  return page.evaluate(async ({ method, url, key, body }): Promise<BrowserReply> => {
    const headers: Record<string, string> = { 'SVC-API-KEY': key, 'SVC-TRACE-ID': 'from-the-page' }
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    try {
      const response = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return {
        status: response.status,
        body: text === '' ? undefined : JSON.parse(text),
        trace: response.headers.get('SVC-TRACE-ID'),
      }
    } catch {
      return { blocked: true }
    }
  }, call)
}

test('O-04 X-02 a page reads one token by a session that its backend authorized', async () => {
  const shop = await servePage()
  const { vault, url, request } = await startListener({ origins: [shop.origin] })
  const browserApp = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
  })
  const page = await (await openChromium()).newPage()
  await page.goto(shop.origin)

  const created = await callFrom(page, {
    method: 'POST',
    url: `${url}/tokens`,
    key: browserApp.key,
    body: { type: 'token', data: 'typed into the page', mask: '{{ data | reveal_last: 4 }}' },
  })
  expect(created).toMatchObject({
    status: 201,
    trace: 'from-the-page',
    body: { data: expect.stringMatching(/page$/) },
  })
  const { id } = (created as { body: { id: string } }).body

  const started = await callFrom(page, { method: 'POST', url: `${url}/sessions`, key: browserApp.key })
  expect(started).toMatchObject({
    status: 201,
    body: { session_key: expect.any(String), nonce: expect.any(String) },
  })
  const { session_key, nonce } = (started as { body: { session_key: string; nonce: string } }).body

  const read = { method: 'GET', url: `${url}/tokens/${id}`, key: session_key }
  expect(await callFrom(page, read)).toMatchObject({ status: 403 })
  const authorized = await request('POST', '/sessions/authorize', {
    key: backend.key,
    body: {
      nonce,
      rules: [
        {
          priority: 1,
          conditions: [{ attribute: 'id', operator: 'equals', value: id }],
          transform: 'reveal',
          permissions: ['token:read'],
        },
      ],
    },
  })
  expect(authorized.status).toBe(200)
  expect(await callFrom(page, read)).toMatchObject({ status: 200, body: { data: 'typed into the page' } })

  const other = await vault.owner.tokens.create({ type: 'token', data: 'not for the page' })
  expect(await callFrom(page, { ...read, url: `${url}/tokens/${other.id}` })).toMatchObject({ status: 403 })
  vault.clock.advance(3 * 60_000)
  expect(await callFrom(page, read)).toMatchObject({ status: 401 })
})

test('O-04 X-02 X-04 a page whose origin is not allowed reads and writes nothing', async () => {
  const [shop, stranger] = [await servePage(), await servePage()]
  const { vault, url } = await startListener({ origins: [shop.origin] })
  const { key } = await vault.application({ type: 'public', permissions: ['token:create'] })
  const page = await (await openChromium()).newPage()
  await page.goto(stranger.origin)
  const body = { type: 'token', data: 'x' }
  for (const call of [
    { method: 'POST', url: `${url}/sessions`, key },
    { method: 'POST', url: `${url}/tokens`, key, body },
    { method: 'GET', url: `${url}/v2/tokens`, key },
  ]) {
    expect(await callFrom(page, call)).toEqual({ blocked: true })
  }
  expect(await vault.owner.tenants.getUsageReport()).toMatchObject({ total_tokens: 0 })
  expect((await vault.owner.logs.list({ entity_type: 'session' })).data).toEqual([])
})
