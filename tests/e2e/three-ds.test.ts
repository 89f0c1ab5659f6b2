import type { Page } from 'playwright-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startShop } from '../../examples/checkout/server.ts'
import { startListener } from '../listener.ts'
import { freePort } from '../ports.ts'
import { payment, threeDsOf } from '../three-ds.ts'
import { seriousIn } from './axe.ts'
import { openChromium } from './chromium.ts'
import { servePage } from './page-server.ts'

vi.setConfig({ testTimeout: 60_000 })

/** The example shop in front of a vault, in a browser that reaches nothing but this machine. */
async function openShop() {
  const port = await freePort()
  const { vault, url } = await startListener({ origins: [`http://localhost:${port}`] })
  const front = await vault.application({
    type: 'public',
    permissions: ['token:create', '3ds:session:create'],
  })
  const back = await vault.application({ permissions: ['3ds:session:authenticate'] })
  const shop = await startShop({ url, publicKey: front.key, privateKey: back.key }, port)
  onTestFinished(() => shop.close())
  const page = await (await openChromium()).newPage()
  const elsewhere: string[] = []
  await page.route('**/*', (route) => {
    const { hostname } = new URL(route.request().url())
    if (hostname === 'localhost' || hostname === '127.0.0.1') return route.continue()
    elsewhere.push(hostname)
    return route.abort()
  })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.setDefaultTimeout(8000)
  await page.goto(shop.url)
  return { vault, url, page, elsewhere, complaints }
}

async function payWith(page: Page, number: string) {
  await page.getByLabel('Card number').fill(number)
  await page.getByRole('button', { name: 'Pay' }).click()
}

/** The bank's page: inside the relay, inside the shop. */
const bankIn = (page: Page) =>
  page.frameLocator('#challengeIframe').frameLocator('iframe[name=coffer-challenge]')
const outcome = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor()

test('S-01 the official web client pays without a challenge, and the method is completed', async () => {
  const { page, vault, elsewhere, complaints } = await openShop()
  await payWith(page, '5204247750001471')
  await outcome(page, 'Paid: successful')
  vault.engine.flushLog()
  const { data } = await vault.owner.logs.list({ entity_type: 'three_ds_session' })
  expect(data.map(({ operation }) => operation)).toContain('threeDs.completeMethod')
  const { entity_id = '' } = data.find(({ operation }) => operation === 'threeDs.create') ?? {}
  const session = await vault.owner.threeDs.get({ id: entity_id })
  expect(session.method.method_completion_indicator).toBe('Y')
  expect([elsewhere, complaints]).toEqual([[], []])
})

test('S-01 the official web client pays after a challenge, by keyboard', async () => {
  const { page, elsewhere, complaints } = await openShop()
  await payWith(page, '4000020000000000')
  const approve = bankIn(page).getByRole('button', { name: 'Approve' })
  await bankIn(page).getByText('19.99 EUR').waitFor()
  await approve.focus()
  await page.keyboard.press('Enter')
  await outcome(page, 'Paid: successful')
  expect(await page.locator('#challengeIframe').count()).toBe(0)
  expect([elsewhere, complaints]).toEqual([[], []])
})

test.each([
  ['4000020000000000', 'Decline', 'Not paid: failed'],
  ['4005562231212123', 'Approve', 'Paid: successful'],
  ['4055011111111111', 'Continue', 'Not paid: failed'],
  ['4005571701111111', 'Continue', 'Paid: attempted'],
  ['6011361000008888', 'Cancel', 'Not paid: failed'],
])('S-01 a challenge of %s that is answered with %s ends as: %s', async (number, button, text) => {
  const { page } = await openShop()
  await payWith(page, number)
  await bankIn(page).getByRole('button', { name: button }).click()
  await outcome(page, text)
})

test('X-59 pages that are not allowed cannot frame a challenge, and cannot answer it', async () => {
  const other = await servePage()
  const { vault, url } = await startListener()
  const back = await vault.application({ permissions: ['3ds:session:authenticate', '3ds:session:create'] })
  const id = await threeDsOf(vault.owner)
  const answer = await fetch(`${url}/3ds/sessions/${id}/authenticate`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': back.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(payment),
  })
  const { acs_challenge_url } = (await answer.json()) as { acs_challenge_url: string }
  const address = acs_challenge_url.startsWith('http') ? acs_challenge_url : url + acs_challenge_url
  const page = await (await openChromium()).newPage()
  await page.goto(other.origin)
  await page.evaluate(async (src) => {
    const frame = document.createElement('iframe')
    frame.src = src
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve))
    const body = new URLSearchParams({ choice: 'pass' })
    await fetch(`${src}/answer`, { method: 'POST', mode: 'no-cors', body }).catch(() => {})
  }, address)
  expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  // As a form, into a frame of its own.
  await page.evaluate(async (src) => {
    const frame = document.createElement('iframe')
    frame.name = 'there'
    const form = document.createElement('form')
    form.method = 'POST'
    form.action = `${src}/answer`
    form.target = 'there'
    const input = document.createElement('input')
    input.name = 'choice'
    input.value = 'pass'
    form.append(input)
    document.body.append(frame, form)
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    form.submit()
    await loaded
  }, address)
  const { authentication } = await vault.owner.threeDs.get({ id })
  expect(authentication?.authentication_status).toBe('challenge')
})

test('S-01 the pages are accessible, in light and dark, on the way of a redirect', async () => {
  const { vault, url } = await startListener()
  const id = await threeDsOf(vault.owner, {
    more: {
      authentication_request: payment,
      callback_urls: { success: `${url}/ping?good`, failure: `${url}/ping?bad` },
    },
  })
  const page = await (await openChromium()).newPage()
  await page.goto(`${url}/3ds/redirect/${id}?apiKey=any`)
  await page.getByRole('heading', { name: 'Confirm your payment' }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await seriousIn(page)).toEqual([])
  }
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.waitForURL(`${url}/ping`)
  const { authentication, device_info } = await vault.owner.threeDs.get({ id })
  expect(authentication?.authentication_status).toBe('failed')
  expect(device_info).toMatchObject({ browser_javascript_enabled: true, browser_language: 'en-US' })
})
