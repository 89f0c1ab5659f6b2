import { expect, test } from 'vitest'
import { startConsole } from '../http/start-console.ts'
import { startListener } from '../listener.ts'
import { openChromium } from './chromium.ts'
import { servePage } from './serve-page.ts'

const planted = '{"type":"token","data":"planted"}'

async function startVault() {
  const listener = await startListener()
  const { vault } = listener
  const { key } = await vault.application({ permissions: ['token:create', 'token:read', 'token:delete'] })
  await vault.owner.tokens.create({ type: 'token', id: 'secret-id', data: 'canary' })
  vault.engine.outcomes.flushLog()
  const records = (await vault.owner.logs.list({})).data.length
  /** Asserts that only the original token exists, and that no attempt added a log record. */
  const expectUntouched = async () => {
    vault.engine.outcomes.flushLog()
    expect((await vault.owner.tokens.list({})).data.map(({ id }) => id)).toEqual(['secret-id'])
    expect((await vault.owner.logs.list({})).data).toHaveLength(records)
  }
  return { ...listener, key, expectUntouched }
}

test('X-11 a foreign page reads and writes nothing by any kind of request', async () => {
  const shop = await servePage()
  const { url, key, expectUntouched } = await startVault()
  const browser = await openChromium()
  const page = await browser.newPage()
  const responses: string[] = []
  page.on('response', (response) => {
    if (response.url().startsWith(url)) responses.push(`${response.status()} ${response.request().method()}`)
  })
  await page.goto(shop.origin)
  const outcomes = await page.evaluate(
    async ({ url, key, planted }) => {
      const appendAndLoad = (element: HTMLElement) =>
        new Promise<string>((resolve) => {
          element.addEventListener('load', () => resolve('load'))
          element.addEventListener('error', () => resolve('error'))
          document.body.append(element)
        })
      const createElement = <Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: object) =>
        Object.assign(document.createElement(name), attributes)
      const outcome: Record<string, string> = {}
      outcome.image = await appendAndLoad(
        createElement('img', { src: `${url}/v2/tokens?SVC-API-KEY=${key}` }),
      )
      outcome.script = await appendAndLoad(createElement('script', { src: `${url}/openapi.json` }))
      outcome.module = await appendAndLoad(createElement('script', { type: 'module', src: `${url}/docs` }))
      outcome.style = await appendAndLoad(createElement('link', { rel: 'stylesheet', href: `${url}/docs` }))
      const frame = createElement('iframe', { src: `${url}/docs` })
      await appendAndLoad(frame)
      try {
        outcome.frame = frame.contentWindow?.document.body.textContent ?? 'none'
      } catch {
        outcome.frame = 'closed'
      }
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/tokens`)
      outcome.socket = await new Promise((resolve) => {
        socket.onopen = () => resolve('open')
        socket.onerror = () => resolve('error')
      })
      const stream = new EventSource(`${url}/_coffer/console/events`)
      outcome.stream = await new Promise((resolve) => {
        stream.onopen = () => resolve('open')
        stream.onerror = () => resolve('error')
      })
      stream.close()
      const tries: [string, RequestInit][] = [
        ['/tokens', { method: 'POST', body: planted, mode: 'no-cors' }],
        ['/tokens', { method: 'POST', body: new Blob([planted], { type: 'text/plain' }), mode: 'no-cors' }],
        ['/tokens/secret-id', { method: 'DELETE', headers: { 'SVC-API-KEY': key } }],
        ['/tokens/secret-id', { method: 'PATCH', body: planted, headers: { 'SVC-API-KEY': key } }],
        ['/v2/tokens', { credentials: 'include', mode: 'no-cors' }],
        ['/_coffer/health', { mode: 'no-cors' }],
      ]
      const texts: string[] = []
      for (const [path, options] of tries) {
        try {
          texts.push(await (await fetch(url + path, options)).text())
        } catch {
          texts.push('')
        }
      }
      outcome.fetch = texts.join('')
      const blob = new Blob([planted], { type: 'application/json' })
      for (const body of [planted, blob, new FormData()]) navigator.sendBeacon(`${url}/tokens`, body)
      return outcome
    },
    { url, key, planted },
  )
  expect(outcomes).toEqual({
    image: 'error',
    script: 'error',
    module: 'error',
    style: 'error',
    frame: 'closed',
    socket: 'error',
    stream: 'error',
    fetch: '',
  })
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const sender = await browser.newPage()
    await sender.goto(shop.origin)
    const answered = sender.waitForResponse((response) => response.url().startsWith(url))
    await sender.evaluate(
      ({ url, key, enctype }) => {
        const form = document.createElement('form')
        Object.assign(form, { method: 'POST', enctype, action: `${url}/tokens?SVC-API-KEY=${key}` })
        const field = document.createElement('input')
        Object.assign(field, { name: '{"type":"token","data":"planted","x":"', value: '"}' })
        form.append(field)
        document.body.append(form)
        form.submit()
      },
      { url, key, enctype },
    )
    expect((await answered).status()).toBe(403)
  }
  expect(responses.length).toBeGreaterThan(5)
  expect(responses.filter((each) => !each.startsWith('403 '))).toEqual([])
  await expectUntouched()
})

test('X-11 a page whose host name was rebound to this machine reads and writes nothing', async () => {
  const { port, key, expectUntouched } = await startVault()
  const { origin, launchConsole, host } = await startConsole()
  const cookie = await launchConsole()
  const page = await (await openChromium()).newPage()
  const [name = '', value = ''] = cookie.split('=')
  const callFromOrigin = async (at: string) => {
    await page.context().addCookies([{ name, value, url: at }])
    // The 403 page has the rebound name's origin, like a page that was loaded before the rebinding.
    expect((await page.goto(`${at}/`))?.status()).toBe(403)
    return page.evaluate(
      async ({ key, planted }) => {
        const json = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
        const call = JSON.stringify({ name: 'host.lock', input: {} })
        const tries: [string, RequestInit][] = [
          ['/v2/tokens', { headers: json }],
          ['/tokens', { method: 'POST', body: planted, headers: json }],
          ['/tokens/secret-id', { method: 'DELETE', headers: json }],
          ['/_coffer/health', {}],
          ['/openapi.json', {}],
          ['/docs', {}],
          ['/console/', {}],
          ['/_coffer/console/call', { method: 'POST', body: call, headers: json }],
          ['/_coffer/console/launch', { method: 'POST', body: '{"token":"x"}', headers: json }],
        ]
        const statuses: number[] = []
        for (const [path, options] of tries) statuses.push((await fetch(path, options)).status)
        return statuses
      },
      { key, planted },
    )
  }
  const consolePort = new URL(origin).port
  for (const at of [`http://a.rebound.test:${port}`, `http://b.rebound.test:${consolePort}`]) {
    expect([at, new Set(await callFromOrigin(at))]).toEqual([at, new Set([403])])
  }
  expect(host.getEngine()).toBeNull()
  await expectUntouched()
})
