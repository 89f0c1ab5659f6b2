import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { pressKeys } from './page-steps.ts'
import { startWindow } from './start-window.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'
/** The console messages of Chromium when a server is unreachable. */
const expected =
  /Unable to preload CSS|Failed to fetch dynamically|ERR_(CONNECTION_REFUSED|INTERNET_DISCONNECTED|NETWORK_CHANGED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)|status of 401/

async function openReachableWindow() {
  let id = ''
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    ;({ id } = await owner.tokens.create({ type: 'token', data: 'apple', mask: 'apple' }))
    await owner.host.listenerOn()
  }
  const { vault, page } = await openWindow({ prepareVault, expected })
  // Wait for the screen, whose code is loaded separately.
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page
    .getByText(/^Listening/)
    .first()
    .waitFor()
  return { vault, page, id }
}

const getUnreachableText = (page: Page) => page.getByText(/^Not reachable since \d\d:\d\d$/)
/** Counts the labels that claim that the window is connected. */
const countConnectedTexts = (page: Page) =>
  page.getByText(/^Listening|^Live$|reach the vault at|^Waiting for a request/).count()

test('the window reports an unreachable server, and recovers by itself or by a new link', async () => {
  const { vault, page, id } = await openReachableWindow()
  await pressKeys(page, 'Control+2')
  await page.getByRole('row', { name: id }).click()
  await page.getByRole('complementary', { name: 'Token', exact: true }).waitFor()
  await page.context().setOffline(true)
  await pressKeys(page, 'r')
  await getUnreachableText(page).first().waitFor()
  await page.getByText('Coffer is not responding').first().waitFor()
  expect(await countConnectedTexts(page)).toBe(0)
  for (const key of pickSome(['Control+1', 'Control+8', 'Control+4', 'Control+,'], 1)) {
    await pressKeys(page, key)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect([key, await countConnectedTexts(page)]).toEqual([key, 0])
  }
  await pressKeys(page, 'Control+2', 'n')
  await page.getByLabel('Number').fill('4242424242424242')
  await page.getByRole('button', { name: 'Create token' }).click()
  const form = page.getByRole('complementary', { name: 'New token' })
  await form.getByText('Coffer did not respond').first().waitFor()

  const other = await vault.owner.tokens.create({ type: 'token', data: 'pear', mask: 'pear' })
  await vault.owner.host.listenerOff()
  await page.context().setOffline(false)
  await getUnreachableText(page).first().waitFor({ state: 'detached' })
  await form.getByText('Coffer did not respond').waitFor({ state: 'detached' })
  expect(await form.getByLabel('Number').inputValue()).toBe('4242424242424242')
  await page.getByText('Listener off').waitFor()
  await page.getByRole('row', { name: other.id }).waitFor()
  await page.getByText('2 tokens').waitFor()
  await form.getByLabel('Number').press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await form.waitFor({ state: 'detached' })
  await goTo(page, '#/home')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()

  // A list that cannot be loaded says so below the notice that Coffer is unreachable.
  await goTo(page, '#/webhooks')
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await vault.close()
  await getUnreachableText(page).first().waitFor()
  await page.getByText('open the new link it prints').waitFor()
  expect(await countConnectedTexts(page)).toBe(0)
  await pressKeys(page, 'Control+5')
  await page.getByText('did not respond').first().waitFor()

  const again = await startWindow(vault.dataDir, vault.port)
  onTestFinished(() => again.close())
  await page.getByRole('heading', { name: 'Coffer was restarted' }).waitFor()
  expect(await page.locator('#root').textContent()).not.toMatch(/respond|reachable|out of date|reconnect/)
  await page.locator('.mantine-Notification-root').waitFor({ state: 'detached' })
  await page.getByText('Open the new link it printed').waitFor()
  // In the same tab, so that only the fragment changes.
  await page.evaluate((link) => {
    location.href = link
  }, again.launchLink())
  await page.getByRole('heading', { name: 'Unlock shop' }).waitFor()
  expect(await page.evaluate(() => location.href)).not.toContain('launch')
  await page.getByLabel('Passphrase').fill(passphrase)
  await pressKeys(page, 'Enter')
  await page.getByText('Listener off').waitFor()
  await again.owner.host.listenerOn()
  await page
    .getByText(/^Listening/)
    .first()
    .waitFor()
})

test('no value reads “0” or “never” while it loads, and failed loads can be retried', {
  tags: 'thorough',
}, async () => {
  const { page, vault } = await openReachableWindow()
  const blocked = [
    'stats.tokens',
    'stats.requests',
    'stats.expiries',
    'applications.list',
    'tenants.get',
    'invitations.list',
    'banks.list',
    'bins.list',
    'host.listBackups',
    'host.faults',
  ]
  let releaseResponses = () => {}
  const failing = new Set<string>()
  let waiting = new Promise<void>((resolve) => {
    releaseResponses = resolve
  })
  await page.route(/console\/call$/, async (route) => {
    const { name } = route.request().postDataJSON()
    if (failing.has(name)) {
      const problem = { title: 'Service Unavailable', status: 503, detail: 'The disk is out of reach.' }
      return route.fulfill({ json: { ok: false, problem } })
    }
    if (blocked.includes(name)) await waiting
    await route.fallback()
  })
  const EMPTY_PATTERN =
    /(^|\s)0(\s|$)|\bnever\b|No program|Nothing expires|No accounts|No BIN|No backups|No fault|No tokens/
  const screens: [string, string][] = [
    ['#/home', 'Home'],
    ['#/applications', 'Applications'],
    ['#/settings/tenant', 'Tenant'],
    ['#/settings/members', 'Members'],
    ['#/settings/banks', 'Bank directory'],
    ['#/settings/bins', 'Card BINs'],
    ['#/settings/backups', 'Backups'],
    ['#/settings/faults', 'Faults'],
  ]
  await page.reload()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  for (const [hash, heading] of screens) {
    await goTo(page, hash)
    await page.getByRole('heading', { name: heading }).first().waitFor()
    await page.locator('main .loading-bone').first().waitFor({ state: 'attached' })
    const [text = ''] = await page.locator('main').allInnerTexts()
    expect([hash, EMPTY_PATTERN.exec(text)?.[0]]).toEqual([hash, undefined])
  }
  releaseResponses()
  waiting = Promise.resolve()
  for (const name of blocked) failing.add(name)
  for (const [hash, heading] of screens) {
    failing.clear()
    await goTo(page, '#/playground')
    for (const name of blocked) failing.add(name)
    if (hash === '#/applications') continue
    await goTo(page, hash)
    await page.getByRole('heading', { name: heading }).first().waitFor()
    await page.getByText('The disk is out of reach.').first().waitFor()
    failing.clear()
    await page.locator('main').getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The disk is out of reach.').first().waitFor({ state: 'detached' })
  }
  expect(vault.port).toBeGreaterThan(0)
})

test('A-03 a key that is shown only once can be copied while the server is unreachable', {
  tags: 'thorough',
}, async () => {
  const { vault, page } = await openReachableWindow()
  const { id } = await vault.owner.applications.create({
    name: 'Checkout',
    type: 'private',
    permissions: ['token:read'],
  })
  await goTo(page, `#/applications/${id}`)
  await page.getByRole('button', { name: 'New key' }).click()
  const key = await page.locator('.applications-key-once code').textContent()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Copy key' }).click()
  await page.getByText('Copied. It will not be shown again.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
})

test('a record and the builder opened while the server was unreachable load on reconnect', {
  tags: 'thorough',
}, async () => {
  const { vault, page } = await openReachableWindow()
  const record = (await vault.owner.logs.list({})).data.at(-1)
  // The list preloads the API document for the builder. Here that fails.
  const asked = Promise.withResolvers<void>()
  const calls = '**/_coffer/console/call'
  await page.route(calls, async (route) => {
    if (route.request().postDataJSON()?.name !== 'host.openApi') return route.fallback()
    const problem = { title: 'Service Unavailable', status: 503, detail: 'The disk is out of reach.' }
    await route.fulfill({ json: { ok: false, problem } })
    asked.resolve()
  })
  await goTo(page, '#/requests')
  await page.getByRole('row').nth(1).waitFor()
  await asked.promise
  await page.unroute(calls)
  for (const [hash, whole] of [
    ['#/requests?new=1', () => page.getByRole('combobox', { name: 'Operation' })],
    [`#/requests/${record?.id}`, () => page.getByRole('button', { name: 'Send again' })],
  ] as const) {
    await page.context().setOffline(true)
    await goTo(page, hash)
    await getUnreachableText(page).first().waitFor()
    expect(await whole().count()).toBe(0)
    await page.context().setOffline(false)
    await getUnreachableText(page).first().waitFor({ state: 'detached' })
    await whole().waitFor()
    expect(await page.locator('main').getByText('Coffer did not respond').count()).toBe(0)
  }
})
