import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { launchChromium } from './chromium.ts'
import { openPage, startWindow } from './start-window.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
}, 60_000)
afterAll(() => browser?.close())

let vault: Awaited<ReturnType<typeof startWindow>>
let page: Page
let ask: (method: string, path: string, body?: object) => Promise<void>

/** An in-memory vault with its listener and a window; any console complaint fails the test. */
beforeEach(async () => {
  vault = await startWindow()
  const { keys } = await vault.owner.host.createVault({ name: 'shop', protection: { memory: true } })
  const listener = await vault.owner.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  ask = async (method, path, body) => {
    const response = await fetch(listener.url + path, {
      method,
      headers: { 'SVC-API-KEY': keys.management, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(response.status).toBeLessThan(300)
  }
  const opened = await openPage(browser, vault.launchLink())
  page = opened.page
  onTestFinished(async () => {
    await page.context().close()
    await vault.close()
    expect(opened.faults).toEqual([])
  })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
})

const number = '4242424242424242'
const row = (name: string) => page.getByRole('row', { name })
const foot = (text: string) => page.locator('.screen-foot').getByText(text, { exact: true }).waitFor()
const create = (more: object = {}) => vault.owner.tokens.create({ type: 'token', data: 'x', ...more })
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test('T-14 an expired token leaves the open list, its count and the drawer when the vault reports the expiry', async () => {
  await create({ id: 'stays' })
  await page.keyboard.press('Control+2')
  await foot('1 token')
  await create({ id: 'goes', expires_at: inAnHour() })
  await foot('2 tokens')
  await row('goes').click()
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText('goes').first().waitFor()
  // Only the vault's clock moves; the window's does not.
  await ask('POST', '/_coffer/clock', { advance: 7200 })
  await row('goes').waitFor({ state: 'detached' })
  await foot('1 token')
  await drawer.getByText('This token does not exist or has expired.').waitFor()
})

test('T-14 expired tokens leave the cards on Home', async () => {
  await create({ id: 'goes', expires_at: inAnHour() })
  const expiring = page.getByRole('link', { name: 'goes' })
  await expiring.waitFor()
  await page.getByText('1 in the vault').waitFor()
  await ask('POST', '/_coffer/clock', { advance: 7200 })
  await expiring.waitFor({ state: 'detached' })
  await page.getByText('1 in the vault').waitFor({ state: 'detached' })
})

test('T-04 a token whose id is masked in the log appears, changes and disappears in the open list', async () => {
  await create()
  await page.keyboard.press('Control+2')
  await foot('1 token')
  const id = '5555341244441115'
  await create({ id })
  await row(id).waitFor()
  await row(id).click()
  await vault.owner.tokens.update({ id, metadata: { colour: 'red' } })
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText('colour', { exact: true }).waitFor()
  await vault.owner.tokens.remove({ id })
  await row(id).waitFor({ state: 'detached' })
  await foot('1 token')
})

test('resetting an in-memory vault updates every screen', async () => {
  await create({ id: 'later' })
  await page.keyboard.press('Control+2')
  await row('later').waitFor()
  await ask('POST', '/_coffer/reset')
  await row('later').waitFor({ state: 'detached' })

  await page.keyboard.press('Control+3')
  await vault.owner.applications.create({ name: 'Later', type: 'private', permissions: ['token:read'] })
  await row('Later').waitFor()
  await ask('POST', '/_coffer/reset')
  await row('Later').waitFor({ state: 'detached' })

  await page.keyboard.press('Control+4')
  await create({ id: 'recorded' })
  await row('recorded').first().waitFor()
  await ask('POST', '/_coffer/reset')
  await row('recorded').first().waitFor({ state: 'detached' })
})

test('an open settings section shows changes made elsewhere, and keeps unsaved input', async () => {
  const open = (name: string) =>
    page.evaluate((to) => {
      location.hash = `#/settings/${to}`
    }, name)
  await open('tenant')
  const name = page.getByLabel('Name', { exact: true })
  const quota = page.getByLabel('Tokens per tokenize request')
  await name.waitFor()
  await quota.fill('7')
  await ask('PUT', '/tenants/self', { name: 'Renamed', settings: {} })
  await expect.poll(() => name.inputValue()).toBe('Renamed')
  expect(await quota.inputValue()).toBe('7')
  await quota.fill('5')

  await open('banks')
  await vault.owner.banks.put({ routing_number: '021000021', account_number: '00012345', status: 'enabled' })
  await row('00012345').waitFor()
  await vault.owner.banks.remove({ routing_number: '021000021', account_number: '00012345' })
  await row('00012345').waitFor({ state: 'detached' })

  await open('bins')
  await vault.owner.bins.importCsv({ csv: 'from,to,brand\n424242,424242,visa', dry_run: false })
  await row('visa').waitFor()
  await vault.owner.bins.clear()
  await row('visa').waitFor({ state: 'detached' })
})

test('T-15 revealed plaintext is hidden once the token changes', async () => {
  const { id } = await vault.owner.tokens.create({ type: 'card_number', data: number })
  await page.keyboard.press('Control+2')
  await row(id).click()
  await page.keyboard.press('r')
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText(number).waitFor()
  await vault.owner.tokens.update({ id, data: '5555555555554444' })
  await drawer.getByText(number).waitFor({ state: 'detached' })
})
