import type http from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { runFromPalette, viewAs } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** Opens a window on an in-memory vault with its listener. */
async function openWebhooksWindow() {
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { memory: true } })
    await owner.host.listenerOn()
  }
  const { vault: window, page } = await openWindow({ prepareVault })
  return { window, page, owner: window.owner }
}

type HookResponse = { status: number; body?: string }

/** Starts a program that receives events and responds with the current `status`. */
async function startReceiver(answer: HookResponse = { status: 200 }) {
  const events: { type: string; headers: http.IncomingHttpHeaders }[] = []
  const { url } = await startDestination((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { event } = JSON.parse(Buffer.concat(chunks).toString()) as { event: { type: string } }
        events.push({ type: event.type, headers: request.headers })
        response.writeHead(answer.status, { 'Content-Type': 'text/html' }).end(answer.body)
      })
  })
  return { url: `${url}/hooks`, events, answer }
}

const token = { type: 'token', data: 'hush-hush' } as const
const getDrawer = (page: Page) => page.getByRole('complementary', { name: 'Webhook', exact: true })
const getDelivery = (page: Page) => page.getByRole('complementary', { name: 'Delivery', exact: true })

test('X-59 a webhook is created, changed and deleted, and shows responses as text', async () => {
  const evil = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`
  const { url, events, answer } = await startReceiver({ status: 500, body: evil })
  const { page, owner } = await openWebhooksWindow()
  await goTo(page, '#/webhooks')
  await page.getByText('No webhooks yet').waitFor()
  await page.getByText('coffer webhooks listen --forward').waitFor()
  await page.getByRole('button', { name: 'Create a webhook' }).click()
  const form = page.getByRole('complementary', { name: 'New webhook' })
  const address = form.getByLabel('URL')
  const readColour = () => address.evaluate((input) => getComputedStyle(input, '::placeholder').color)
  const faint = await readColour()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await form.getByText('Enter a URL.', { exact: true }).waitFor()
  await form.getByText('Must not be empty.', { exact: true }).waitFor()
  expect(await readColour()).toBe(faint)
  await address.fill('http://example.com')
  await form.getByLabel('Notify email').fill('nobody')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await form.getByText('must be an https: URL; http: is allowed only for this machine').waitFor()
  await form.getByText('must be an email address').waitFor()
  await form.getByText('must not be empty').waitFor()
  await form.getByText('Choose at least one event.').waitFor()
  await form.getByLabel('Name').fill('Shop')
  await form.getByLabel('URL').fill(url)
  await form.getByLabel('Notify email').fill('')
  await form.getByLabel('Sessions (0 of 2)').check()
  await form.getByLabel('Sessions (2 of 2)').uncheck()
  await form.getByRole('checkbox', { name: 'session.created', exact: true }).check()
  await form.getByLabel(/^token\.created/).check()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await getDrawer(page).getByText('Subscribed to 2 events').waitFor()
  expect((await owner.webhooks.list({})).data).toMatchObject([
    { name: 'Shop', url, events: ['session.created', 'token.created'], status: 'enabled' },
  ])
  const { id: createdId } = await owner.tokens.create({ ...token, metadata: { name: '<b>bold</b>' } })
  await getDrawer(page).getByRole('button', { name: 'token.created' }).click()
  await getDelivery(page).getByText("<script>document.title='broken'</script>").waitFor()
  await getDelivery(page).getByText('127.0.0.1 responded with 500.').waitFor()
  await getDelivery(page).getByText('Next attempt').waitFor()
  const text = await getDelivery(page).textContent()
  expect(text).toContain(createdId)
  expect(text).toContain('delivered_at')
  expect(text).toContain('<b>bold</b>')
  expect(text).not.toContain('hush-hush')
  expect(await page.locator('main').locator('img, script, b').count()).toBe(0)
  expect(await page.title()).not.toBe('broken')
  answer.status = 204
  answer.body = ''
  await getDelivery(page).getByRole('button', { name: 'Send again' }).click()
  await getDelivery(page).getByText('The response had no body.').waitFor()
  await getDelivery(page).getByText('by you').waitFor()
  await page.getByRole('row', { name: /token\.created sent by you.*Delivered/ }).waitFor()
  expect(events.length).toBeGreaterThanOrEqual(2)
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['token.created']))
  await page.keyboard.press('Escape')
  await getDelivery(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await getDrawer(page).waitFor()

  await page.keyboard.press('e')
  const edit = page.getByRole('complementary', { name: 'Edit webhook' })
  await edit.getByLabel('Name').fill('Store')
  // Close asks for confirmation before it discards unsaved input.
  await edit.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Store/ }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('row', { name: /Shop/ }).waitFor()
  await getDrawer(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type Shop to confirm').fill('Shop')
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('No webhooks yet').waitFor()
})

test('a failing webhook shows its failures and pending deliveries', {
  tags: 'thorough',
}, async () => {
  const { url, answer } = await startReceiver({ status: 503 })
  const { page, owner } = await openWebhooksWindow()
  const { id } = await owner.webhooks.create({ name: 'Shop', url, events: ['token.created'] })
  await goTo(page, `#/webhooks/${id}`)
  await getDrawer(page).getByText('No deliveries in the last 7 days.').waitFor()
  await owner.tokens.create(token)
  await owner.tokens.create(token)
  await getDrawer(page).getByText('127.0.0.1 responded with 503.').waitFor()
  await getDrawer(page).getByText('2 events', { exact: true }).waitFor()
  const row = page.getByRole('row', { name: /Shop/ })
  await row.getByText('Failing').waitFor()
  await getDrawer(page).getByRole('button', { name: 'Pause' }).click()
  await row.getByText('Paused').waitFor()
  await getDrawer(page).getByText('While paused, new events are discarded').waitFor()
  answer.status = 200
  await getDrawer(page).getByRole('button', { name: 'Enable' }).click()
  await row.getByText('Enabled').waitFor()
  await getDrawer(page).getByText('0 events', { exact: true }).waitFor()
  expect((await owner.webhooks.getHealth({ id })).waiting).toBe(0)
})

test('a webhook that Coffer disabled shows the reason', { tags: 'thorough' }, async () => {
  const { url } = await startReceiver({ status: 500 })
  const { page, owner } = await openWebhooksWindow()
  const { id } = await owner.webhooks.create({ name: 'Shop', url, events: ['token.created'] })
  await goTo(page, `#/webhooks/${id}`)
  await owner.tokens.createMany({ tokens: Array.from({ length: 100 }, () => token) })
  await getDrawer(page).getByText('Coffer disabled this webhook: 100 attempts in a row failed').waitFor()
  await page.getByRole('row', { name: /Shop.*Disabled/ }).waitFor()
})

test('a test event is sent to a paused webhook, and its delivery is shown', {
  tags: 'thorough',
}, async () => {
  const { url, events } = await startReceiver()
  const { page, owner } = await openWebhooksWindow()
  const { id } = await owner.webhooks.create({ name: 'Shop', url, events: ['token.created'] })
  await owner.webhooks.update({ id, name: 'Shop', url, events: ['token.created'], status: 'disabled' })
  await goTo(page, `#/webhooks/${id}?view=deliveries`)
  await page.getByText('No deliveries', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Type of the test event' }).click()
  await page.getByRole('option', { name: 'proxy.deleted' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await getDelivery(page).getByText('Delivered', { exact: true }).waitFor()
  await page.getByRole('row', { name: /proxy\.deleted sent by you.*Delivered/ }).waitFor()
  expect(events.map(({ type }) => type)).toEqual(['proxy.deleted'])
  expect(events[0]?.headers['bt-signature-version']).toBe('v1-test')
})

test('deliveries are paged, and the newest page is live', { tags: 'thorough' }, async () => {
  const { url } = await startReceiver()
  const { page, owner } = await openWebhooksWindow()
  const { id } = await owner.webhooks.create({ name: 'Shop', url, events: ['token.created'] })
  await owner.tokens.createMany({ tokens: Array.from({ length: 130 }, () => token) })
  await goTo(page, `#/webhooks/${id}?view=deliveries`)
  await page.getByText('the newest 100 deliveries').waitFor()
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('30 older deliveries').waitFor()
  expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Newest' }).click()
  await page.getByText('the newest 100 deliveries').waitFor()
  await owner.deliveries.sendTest({ webhook_id: id, type: 'token.deleted' })
  await page.getByRole('row', { name: /token\.deleted sent by you/ }).waitFor()
})

test('a disallowed target explains how to allow it and links to the destinations', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openWebhooksWindow()
  await goTo(page, '#/webhooks?new=1')
  const form = page.getByRole('complementary', { name: 'New webhook' })
  await form.getByLabel('URL').fill('https://hooks.example.com/coffer')
  await form.getByText('hooks.example.com is not an allowed destination').waitFor()
  await form.getByText('coffer serve --allow-destination hooks.example.com').waitFor()
  await form.getByLabel('URL').fill('http://localhost:3000/hooks')
  await form.getByText('is not an allowed destination').waitFor({ state: 'detached' })
  await form.getByLabel('URL').fill('https://hooks.example.com/coffer')
  await form.getByRole('button', { name: 'Open Destinations' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'Destinations' }).waitFor()
  await owner.host.updateSettings({ destinations: { allow: ['hooks.example.com'], map: {} } })
  const { id } = await owner.webhooks.create({
    name: 'Shop',
    url: 'https://hooks.example.com/coffer',
    events: ['token.created'],
  })
  await goTo(page, `#/webhooks/${id}`)
  await getDrawer(page).getByText('Subscribed to 1 event').waitFor()
  expect(await page.getByText('is not an allowed destination').count()).toBe(0)
  await owner.host.updateSettings({ destinations: { allow: [], map: {} } })
  await getDrawer(page).getByText('hooks.example.com is not an allowed destination').waitFor()
})

test('the signing key is shown, and rotated with an overlap', { tags: 'thorough' }, async () => {
  const { page, owner } = await openWebhooksWindow()
  await goTo(page, '#/webhooks?view=key')
  await page.getByText('BEGIN PUBLIC KEY').waitFor()
  const [first] = (await owner.host.signingKeys()).keys
  await page.getByRole('button', { name: 'Copy public key' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first?.public_key)
  const status = await owner.host.status()
  const url = status.listener.state === 'on' ? status.listener.url : ''
  const address = `${url}/.well-known/webhooks.v1.key`
  await page.getByText(address).waitFor()
  const fetchPublicKey = async () => (await fetch(address)).text()
  expect(await fetchPublicKey()).toBe(first?.public_key)
  await page.getByRole('button', { name: 'Publish a new key…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish a new key' }).click()
  await page.getByText('New public key, not signing yet').waitFor()
  const [old, next] = (await owner.host.signingKeys()).keys
  expect(old).toEqual(first)
  expect(await fetchPublicKey()).toBe(`${old?.public_key}${next?.public_key}`)
  await page.getByRole('button', { name: 'Sign with the new key…' }).click()
  await page.getByRole('dialog').getByText('The old key is deleted.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign with the new key' }).click()
  await page.getByText('New public key, not signing yet').waitFor({ state: 'detached' })
  expect((await owner.host.signingKeys()).keys).toEqual([next])
  expect(await fetchPublicKey()).toBe(next?.public_key)
})

test('a webhook is created by keyboard, and Escape asks about unsaved input', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openWebhooksWindow()
  await page.keyboard.press('Control+7')
  await page.getByText('No webhooks yet').waitFor()
  await page.keyboard.press('n')
  await page.locator('aside input:focus').waitFor()
  await page.keyboard.type('Shop')
  await page.keyboard.press('Tab')
  await page.keyboard.type('http://localhost:9/hooks')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByLabel('Notify email').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+Enter')
  await page.getByLabel('Name').press('Enter')
  await page.getByRole('row', { name: /Shop/ }).waitFor()
  await getDrawer(page).waitFor()
  expect((await owner.webhooks.list({})).data[0]?.events).toContain('token.expired')
  await page.keyboard.press('Backspace')
  await page.getByLabel('Type Shop to confirm').fill('Shop')
  await page.keyboard.press('Enter')
  await page.getByText('No webhooks yet').waitFor()
})

test('viewing as an application shows its webhooks and no deliveries', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openWebhooksWindow()
  const { id } = await owner.webhooks.create({
    name: 'Seen',
    url: 'http://localhost:9/hooks',
    events: ['token.created'],
  })
  await owner.applications.create({ name: 'Ops', type: 'management', permissions: ['webhook:read'] })
  await owner.applications.create({ name: 'Checkout', type: 'private', permissions: ['token:create'] })
  await goTo(page, '#/webhooks')
  await page.getByRole('row', { name: /Seen/ }).waitFor()
  await viewAs(page, 'Ops')
  await page.getByRole('row', { name: /Seen/ }).click()
  await getDrawer(page).getByText('Subscribed to 1 event').waitFor()
  expect(await page.getByRole('button', { name: 'New webhook' }).count()).toBe(0)
  expect(await page.getByText('Signing key').count()).toBe(0)
  await goTo(page, `#/webhooks/${id}?view=deliveries`)
  await getDrawer(page).getByText('Subscribed to 1 event').waitFor()
  expect(await page.getByRole('grid', { name: /Deliveries/ }).count()).toBe(0)
  expect(await page.getByText('Newest deliveries').count()).toBe(0)
  await viewAs(page, 'Checkout')
  await page.getByText('Its key would get 403').waitFor()
  expect(await page.getByText('Seen').count()).toBe(0)
})

test('the palette opens and creates webhooks and finds the signing key', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openWebhooksWindow()
  await owner.webhooks.create({
    name: 'Zebra events',
    url: 'http://localhost:9/hooks',
    events: ['token.created'],
  })
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('zebra')
  await page.getByRole('button', { name: 'Zebra events' }).click()
  await getDrawer(page).waitFor()
  await runFromPalette(page, 'New webhook')
  await page.getByRole('complementary', { name: 'New webhook' }).waitFor()
  await page.keyboard.press('Escape')
  await runFromPalette(page, 'verify signature')
  await page.getByText('BEGIN PUBLIC KEY').waitFor()
})
