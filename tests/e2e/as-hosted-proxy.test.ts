import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startAsHosted } from '../as-hosted/start-as-hosted.ts'
import { getChromiumOptions } from './chromium.ts'
import { servePage } from './serve-page.ts'

const variants = [
  ['the list of keys', (spki: string) => ({ args: [spki] }), {}],
  ['ignoreHTTPSErrors', () => ({ args: [] }), { ignoreHTTPSErrors: true }],
] as const

test.each(variants)(
  'H-03 a page calls the hosted names by Playwright’s proxy option and %s',
  async (_name, createOptions, contextOptions) => {
    const { origin } = await servePage()
    const { hosted, vault } = await startAsHosted({ origins: [origin] })
    const { key } = await vault.application({ type: 'public', permissions: ['token:create'] })
    const { username, password } = new URL(hosted.proxy.url)
    const spki =
      hosted.chromium.find((flag) => flag.startsWith('--ignore-certificate-errors-spki-list')) ?? ''
    const { args, ...options } = getChromiumOptions()
    const browser = await chromium.launch({
      ...options,
      args: [...args, ...createOptions(spki).args],
      // Without the bypass, Playwright would send the page itself to the proxy.
      proxy: {
        server: `http://127.0.0.1:${hosted.proxy.port}`,
        username,
        password,
        bypass: 'localhost,127.0.0.1',
      },
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage(contextOptions)
    await page.goto(origin)
    const callService = (url: string) =>
      page.evaluate(
        async ({ url, key }) => {
          const headers = { 'BT-API-KEY': key, 'Content-Type': 'application/json' }
          const body = JSON.stringify({ type: 'token', data: 'value' })
          return fetch(url, { method: 'POST', headers, body }).then(
            ({ status }) => status,
            (error: Error) => error.message,
          )
        },
        { url, key },
      )
    expect(await callService('https://api.basistheory.com/tokens')).toBe(201)
    await page.addScriptTag({ url: 'https://js.basistheory.com/web-elements/2.17.0/index.js' })
    expect(await page.evaluate(() => typeof Reflect.get(window, 'basistheory'))).toBe('function')
    const failure = page.waitForEvent('requestfailed')
    expect(await callService('https://outside.example/')).toBe('Failed to fetch')
    expect((await failure).failure()?.errorText).toBe('net::ERR_TUNNEL_CONNECTION_FAILED')
  },
)
