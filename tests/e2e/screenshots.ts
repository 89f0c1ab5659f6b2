import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { getChromiumOptions } from './chromium.ts'
import { viewAs } from './page-steps.ts'
import { openPage, startWindow } from './start-window.ts'
import { waitForPaint } from './wait-for-paint.ts'

/** Writes docs/images/*.png from sample data. SECURITY: no picture shows a key or a recovery key. */
const images = fileURLToPath(new URL('../../docs/images', import.meta.url))
fs.mkdirSync(images, { recursive: true })

const browser = await chromium.launch(getChromiumOptions())
const vault = await startWindow()
const { keys } = await vault.owner.host.createVault({
  name: 'shop',
  protection: { passphrase: 'a passphrase of five words' },
  sample_data: true,
})
const listener = await vault.owner.host.listenerOn({ port: 4747 })
await createTraffic(listener.state === 'on' ? listener.url : '')
await vault.owner.applications.create({ name: 'Checkout', type: 'private', permissions: ['token:create'] })

/** Sends requests, some refused, for more than 10 s, because First steps ignore earlier activity in a vault. */
async function createTraffic(url: string): Promise<void> {
  const card = {
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 },
  }
  const sendRequest = (method: string, to: string, key: string, body?: object) =>
    fetch(url + to, {
      method,
      headers: { 'SVC-API-KEY': key, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  for (let at = 0; at < 20; at++) {
    await sleep(100 * (3 + (at % 7)))
    const created = await sendRequest('POST', '/tokens', keys.private, card)
    const { id } = (await created.json()) as { id: string }
    await sendRequest('GET', `/tokens/${id}`, at % 4 === 1 ? keys.public : keys.private)
    await sendRequest('GET', '/v2/tokens?container=/pci/', keys.private)
  }
}

type Screenshot = readonly [name: string, hash: string, ready: (page: Page) => Promise<unknown>]

const shots: readonly Screenshot[] = [
  ['home', '#/home', (page) => page.getByRole('slider', { name: 'Requests over time' }).waitFor()],
  [
    'tokens',
    '#/tokens',
    async (page) => {
      await page.getByRole('row', { name: /X3222/ }).click()
      await page.locator('.history').waitFor()
    },
  ],
  [
    'why-refused',
    '#/requests',
    async (page) => {
      await page.getByRole('row', { name: /403/ }).first().click()
      await page.getByText('Why it was refused').waitFor()
    },
  ],
  ['playground', '#/playground', (page) => page.locator('.playground-filter-doc').first().waitFor()],
  [
    'view-as',
    '#/tokens',
    async (page) => {
      await viewAs(page, 'Support desk')
      await page.getByRole('row', { name: /X3222/ }).click()
      await page.getByText('mask, by rule 1 on /pci/ (token:read)').waitFor()
    },
  ],
]

for (const colorScheme of ['light', 'dark'] as const) {
  const { page } = await openPage(browser, vault.launchLink(), { colorScheme, reducedMotion: 'reduce' })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  for (const [name, hash, ready] of shots) {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
    await ready(page)
    await waitForPaint(page)
    const suffix = colorScheme === 'dark' ? '-dark' : ''
    await page.screenshot({ path: path.join(images, `${name}${suffix}.png`) })
  }
  await page.context().close()
}
await browser.close()
await vault.close()
process.exit(0)
