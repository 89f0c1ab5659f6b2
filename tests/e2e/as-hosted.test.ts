import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { BasisTheoryElements } from '@basis-theory/web-elements'
import type { BasisTheory3ds } from '@basis-theory/web-threeds'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startAsHosted } from '../as-hosted/start-as-hosted.ts'
import { pickSome } from '../thorough.ts'
import { payment } from '../three-ds.ts'
import { getChromiumOptions } from './chromium.ts'
import { bundlePage } from './elements/bundle-page.ts'
import { PAGE_TIMEOUT_MS } from './start-window.ts'

type HostedPage = typeof window & {
  start(key: string): Promise<BasisTheoryElements>
  client: ReturnType<typeof BasisTheory3ds>
  result: ReturnType<HostedPage['client']['startChallenge']>
  bt: BasisTheoryElements
  card: never
}

const bundled = path.join(import.meta.dirname, 'elements', 'pages', 'web-elements-2.ts')
const threeDsPackage = path.join('node_modules', '@basis-theory', 'web-threeds', 'dist', 'bundle', 'index.js')

/** Opens a page in a browser that finds Coffer under the hosted names. A request to another name is a fault. */
async function openHostedPage(head: string, permissions: string[]) {
  let html = ''
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  html = `<!doctype html><html lang="en"><head><title>A shop</title>${head}</head><body><main id="app"></main></body></html>`
  const { hosted, vault, sendRequest } = await startAsHosted({ origins: [origin] })
  const { args, ...options } = getChromiumOptions()
  const browser = await chromium.launch({ ...options, args: [...args, ...hosted.chromium] })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  const faults: string[] = []
  page.on('request', (sent) => {
    const { origin: target } = new URL(sent.url())
    if (target !== origin && !hosted.origins.includes(target)) faults.push(target)
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(origin)
  const { key } = await vault.application({ type: 'public', permissions })
  return { page, vault, key, sendRequest, faults }
}

const tag = '<script src="https://js.basistheory.com/web-elements/2.12.2/index.js"></script>'

const elementsPages = [
  ['a script tag', () => `${tag}<script>start = (key) => basistheory(key)</script>`],
  [
    'the oldest script tag',
    () =>
      '<script src="https://js.basistheory.com"></script><script>start = (key) => BasisTheory.init(key, { elements: true })</script>',
  ],
  [
    'a bundled package',
    async () =>
      `<script type="module">${(await bundlePage(bundled)).replaceAll('</script', '<\\/script')}</script>`,
  ],
] as const

test.each(pickSome(elementsPages, 2))(
  'H-01 a page with %s shows a card and creates tokens',
  async (_name, createHead) => {
    const { page, vault, key, faults } = await openHostedPage(await createHead(), ['token:create'])
    await page.evaluate(async (key) => {
      const shop = window as HostedPage
      shop.bt = await shop.start(key)
      const card = shop.bt.createElement('card', {})
      Object.assign(shop, { card })
      await card.mount('#app')
    }, key)
    const frame = page.locator('#app iframe')
    expect(await frame.getAttribute('src')).toMatch(/^https:\/\/js\.basistheory\.com\/elements\/frame\?/)
    await page.frameLocator('#app iframe').locator('input').nth(0).fill('')
    // Each complete value moves the focus to the next input.
    await page.keyboard.type('4242424242424242')
    await page.keyboard.type('1230')
    await page.keyboard.type('123')
    const created = await page.evaluate(async () => {
      const { bt, card } = window as HostedPage
      const tokenized = await bt.tokenize({ card: { type: 'card', data: card } })
      const { id } = await bt.tokens.create({ type: 'card', data: card })
      return [(tokenized as { card: { id: string } }).card.id, id]
    })
    for (const id of created) {
      const { data } = await vault.owner.tokens.reveal({ id })
      expect(data).toMatchObject({ number: '4242424242424242', expiration_month: 12, cvc: '123' })
    }
    expect(faults).toEqual([])
  },
)

const threeDsPages = [
  ['a script tag with a version', { url: 'https://3ds.basistheory.com/web-threeds/v0.1/index.js' }],
  ['an older script tag', { url: 'https://3ds.basistheory.com/v0/index.js' }],
  ['the official package', { path: threeDsPackage }],
] as const

test.each(pickSome(threeDsPages, 2))('H-01 a page with %s pays after a challenge', async (_name, script) => {
  const { page, vault, key, sendRequest, faults } = await openHostedPage('', ['3ds:session:create'])
  await page.addScriptTag(script)
  const data = { number: '4000020000000000', expiration_month: 12, expiration_year: 2035 }
  const { id: tokenId } = await vault.owner.tokens.create({ type: 'card', data })
  const { id } = await page.evaluate(
    ({ key, tokenId }) => {
      const shop = window as HostedPage
      const client = window.BasisTheory3ds?.(key, { disableTelemetry: true })
      if (!client) throw new Error('The script defines no BasisTheory3ds.')
      shop.client = client
      return client.createSession({ tokenId })
    },
    { key, tokenId },
  )
  expect((await vault.owner.threeDs.get({ id })).method.method_completion_indicator).toBe('Y')
  const backend = await vault.application({ permissions: ['3ds:session:authenticate'] })
  const { body } = await sendRequest('api.basistheory.com', `/3ds/sessions/${id}/authenticate`, {
    method: 'POST',
    headers: { 'BT-API-KEY': backend.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...payment, merchant_info: { ...payment.merchant_info, name: 'Shop' } }),
  })
  const { acs_challenge_url, acs_transaction_id } = JSON.parse(body) as { [member: string]: string }
  expect(acs_challenge_url).toMatch(/^https:\/\/api\.basistheory\.com\/3ds\/acs\/challenge\//)
  const challenge = {
    sessionId: id,
    acsChallengeUrl: acs_challenge_url ?? '',
    acsTransactionId: acs_transaction_id ?? '',
    threeDSVersion: '2.2.0',
  } as const
  await page.evaluate((challenge) => {
    const shop = window as HostedPage
    shop.result = shop.client.startChallenge(challenge)
  }, challenge)
  const bank = page.frameLocator('#challengeIframe').frameLocator('iframe[name=coffer-challenge]')
  await bank.getByRole('button', { name: 'Approve' }).click()
  const reported = await page.evaluate(() => (window as HostedPage).result)
  expect(reported).toMatchObject({ id, authenticationStatus: 'successful' })
  expect(faults).toEqual([])
})
