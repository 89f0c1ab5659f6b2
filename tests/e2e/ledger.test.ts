import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makeDocument } from '../make-document.ts'
import { startDestination } from '../outbound/destination.ts'
import { pressKeys, viewAs, waitForFoot } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** Opens a window on a vault with a webhook, and calls a proxy that creates a token. */
async function openLedger() {
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { memory: true } })
    await owner.host.listenerOn()
  }
  const { vault: window, page } = await openWindow({ prepareVault })
  const { owner } = window
  const { url: receiver } = await startDestination((request, response) => {
    request.resume()
    response.writeHead(200).end()
  })
  await owner.webhooks.create({ name: 'Shop', url: `${receiver}/hooks`, events: ['token.created'] })
  const application = await owner.applications.create({
    name: 'Checkout',
    type: 'private',
    permissions: ['proxy:invoke', 'token:use', 'token:create', 'token:read'],
  })
  await owner.applications.create({ name: 'Auditor', type: 'management', permissions: ['log:read'] })
  const transform = {
    type: 'tokenize',
    options: { identifier: 'a', token: { type: 'token', data: 'x' } },
  } as const
  const { key: proxyKey } = await owner.proxies.create({
    name: 'Charges',
    destination_url: 'https://echo.coffer.test',
    response_transforms: [transform],
  })
  const { listener } = await owner.host.status()
  const url = listener.state === 'on' ? listener.url : ''
  const sendRequest = (method: string, path: string, body?: object, agent = 'shop/2.1', headers = {}) =>
    fetch(url + path, {
      method,
      headers: {
        'SVC-API-KEY': application.key ?? '',
        'User-Agent': agent,
        'SVC-PROXY-KEY': proxyKey ?? '',
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const created = await sendRequest('POST', '/tokens', { type: 'token', data: 'x' })
  const { id } = (await created.json()) as { id: string }
  return { window, page, sendRequest, id }
}

const getRecord = (page: Page) => page.getByRole('complementary', { name: 'Record' })
const getField = (page: Page) => page.getByRole('combobox', { name: /^Filter/ })
const listChips = (page: Page) => page.locator('.filter-field-chip').allTextContents()

test('a proxied call is one line that unfolds, and its record tells what happened', async () => {
  const { page, window, sendRequest, id } = await openLedger()
  expect((await sendRequest('POST', '/proxy/v1/charges', { n: `{{ ${id} }}` })).status).toBe(200)
  // A call is saved after its response.
  await expect.poll(async () => (await window.owner.exchanges.list({})).data.length).toBe(1)
  await goTo(page, '#/requests?q=path:/proxy*')
  await waitForFoot(page, '3 records')
  const rows = page.locator('.grid-row[data-index]')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('row', { name: /echo\.coffer\.test\/v1\/charges/ }).waitFor()
  await page.getByRole('row', { name: /token\.created/ }).waitFor()
  await expect.poll(() => rows.count()).toBe(5)

  await page.keyboard.press('Enter')
  const story = getRecord(page).getByRole('list')
  await story.getByText('Delivered').waitFor()
  const steps = await story.locator('strong').allTextContents()
  expect(steps).toEqual([
    'Decided',
    'Transforms',
    'Tokens used',
    'Went out',
    'Came back',
    'Events',
    'Delivered',
  ])
  await story.getByText('POST echo.coffer.test/v1/charges').waitFor()
  await story.getByRole('button', { name: id }).waitFor()
  // With the record open, the arrow keys skip what is no record.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await getRecord(page).getByText('tokens inserted into the call', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Hide its records/ }).click()
  await expect.poll(() => rows.count()).toBe(1)
})

test('a call that is saved after it was unfolded appears below it', async () => {
  const { page, window, sendRequest } = await openLedger()
  expect((await sendRequest('POST', '/proxy/v1/charges', {})).status).toBe(200)
  await expect.poll(async () => (await window.owner.exchanges.list({})).data.length).toBe(1)
  let isSaved = false
  const asked = Promise.withResolvers<void>()
  await page.route('**/_coffer/console/call', async (route) => {
    const call = route.request().postDataJSON() as { name: string }
    if (call.name !== 'exchanges.list' || isSaved) return route.continue()
    await route.continue({ postData: JSON.stringify({ ...call, input: { trace_id: 'none' } }) })
    asked.resolve()
  })
  await goTo(page, '#/requests?q=path:/proxy*')
  await page.locator('.grid-row[data-index]').first().waitFor()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'Home', 'ArrowRight')
  await page.getByRole('row', { name: /token\.created/ }).waitFor()
  await asked.promise
  expect(await page.getByRole('row', { name: /echo\.coffer\.test\/v1\/charges/ }).count()).toBe(0)
  isSaved = true
  await sendRequest('POST', '/proxy/v1/charges', {})
  await page.getByRole('row', { name: /echo\.coffer\.test\/v1\/charges/ }).waitFor()
})

test('filters are typed, chosen, turned around, taken from a cell, saved and pinned', async () => {
  const { page, sendRequest, window } = await openLedger()
  for (const agent of ['shop/2.1', 'curl/8']) await sendRequest('GET', '/tokens/nobody', undefined, agent)
  await goTo(page, '#/requests')
  await getField(page).fill('status:404 app:checkout')
  await page.keyboard.press('Enter')
  await waitForFoot(page, '2 records')
  expect(await listChips(page)).toEqual(['Status404', 'ByCheckout'])
  await getField(page).fill('program:cu')
  await page.getByRole('option', { name: 'Program curl/8' }).click()
  await waitForFoot(page, '1 record')
  // A click turns a filter around; Backspace removes the last one.
  await page
    .getByRole('button', { name: /Program.*curl/ })
    .first()
    .click()
  await page.getByRole('row', { name: /shop\/2\.1/ }).waitFor()
  expect((await listChips(page)).at(-1)).toBe('not Programcurl/8')
  await getField(page).press('Backspace')
  await waitForFoot(page, '2 records')

  await page.getByRole('gridcell', { name: 'shop/2.1' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Not shop/2.1' }).click()
  await page.getByRole('row', { name: /curl\/8/ }).waitFor()
  await waitForFoot(page, '1 record')
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ContextMenu')
  await page.getByRole('menuitem', { name: 'Only …' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('menuitem', { name: 'GET', exact: true }).click()
  await expect.poll(() => listChips(page)).toContain('MethodGET')

  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByLabel('Save this filter as').fill('Refusals')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Pin Refusals to the navigation' }).click()
  const pin = page.getByRole('navigation').getByRole('link', { name: 'Refusals' })
  await pin.getByText('1', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => listChips(page)).toEqual([])
  await pin.click()
  await waitForFoot(page, '1 record')
  expect((await window.owner.tokens.savedSearches()).data).toMatchObject([
    { screen: 'requests', pinned: true },
  ])

  // Where only icons fit, pins differ by the initials of their names.
  await page.setViewportSize({ width: 900, height: 800 })
  await pin.getByText('R', { exact: true }).waitFor()
  expect(await pin.getAttribute('title')).toBe('Refusals')
})

test('a request that a fault answered leads to the faults in Settings', async () => {
  const { page, sendRequest, window } = await openLedger()
  await window.owner.host.setFaults({ rules: [{ name: 'broken', status: 500 }] })
  await sendRequest('GET', '/tokens/nobody')
  await goTo(page, '#/requests?q=status:500')
  await page.getByRole('row', { name: /500/ }).click()
  await getRecord(page).getByRole('button', { name: 'fault broken' }).click()
  await page.getByRole('region', { name: 'Faults' }).getByText('broken', { exact: true }).waitFor()
})

test('a proxied call that fails at its destination was not refused by the vault', async () => {
  const { page, sendRequest, window } = await openLedger()
  const { url } = await startDestination((request, response) => {
    request.resume()
    response.writeHead(500).end()
  })
  const proxy = await window.owner.proxies.create({ name: 'Failing', destination_url: url })
  const headers = { 'SVC-PROXY-KEY': proxy.key }
  await sendRequest('POST', `/proxy/${'charges/'.repeat(60)}`, {}, 'shop/2.1', headers)
  await goTo(page, '#/requests?q=action:proxies.invoke')
  await page.getByRole('row', { name: /500/ }).click()
  const story = getRecord(page).getByRole('list')
  await story.getByText('Came back').waitFor()
  expect(await story.locator('strong').allTextContents()).toEqual(['Went out', 'Came back'])
  // A long path neither leaves the menu nor is cut for the filter.
  await page.keyboard.press('Escape')
  await page.getByText('/proxy/charges', { exact: false }).last().click({ button: 'right' })
  const only = page.getByRole('menuitem', { name: /^Only/ })
  expect(await only.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThan(1)
  await only.click()
  await page.locator('.filter-field-chip').nth(1).waitFor()
  await waitForFoot(page, '1 record')
})

test('Home says how many of those that expire soon it lists', async () => {
  const { page, window } = await openLedger()
  const ends = { type: 'token', data: 'x', expires_at: new Date(Date.now() + 86_400_000).toISOString() }
  await window.owner.tokens.createMany({ tokens: Array.from({ length: 21 }, () => ends) })
  await goTo(page, '#/home')
  await page.getByText('20 of 21').waitFor()
})

test('figures lead to the records that they count', async () => {
  const { page, window } = await openLedger()
  const { id: job } = await window.owner.accountUpdaterJobs.create({})
  await goTo(page, '#/home')
  await page.getByText('1 request, 0 refused, 0 failed').waitFor()
  await page.getByRole('button', { name: 'tokens.create' }).click()
  await waitForFoot(page, '1 record')
  const programs = ['not ByOwner', 'not ByThe vault itself']
  expect((await listChips(page)).slice(0, 3)).toEqual(['Operationtokens.create', ...programs])
  await goTo(page, '#/home')
  await page.getByRole('slider', { name: 'Requests over time' }).click()
  await expect.poll(async () => (await listChips(page)).slice(0, 2)).toEqual(programs)
  expect((await listChips(page))[2]).toMatch(/^Since/)
  await goTo(page, '#/merchants?view=updates')
  await page.getByRole('button', { name: job }).click()
  await expect.poll(() => listChips(page)).toEqual([`ID${job}`])
  await waitForFoot(page, '1 record')
})

test('the chart of Home fits into a narrow window, with its times, its note and its ranges', async () => {
  const { page } = await openLedger()
  await page.setViewportSize({ width: 360, height: 800 })
  await goTo(page, '#/home')
  const chart = page.getByRole('slider', { name: 'Requests over time' })
  await chart.press('End')
  const measureEdges = (locator: Locator) =>
    locator.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()))
  const times = await measureEdges(page.locator('[aria-hidden] > span', { hasText: /^\d\d:\d\d$/ }))
  expect(times.length).toBeGreaterThan(4)
  const shown = times.filter(({ width }) => width > 0)
  expect(shown.filter(({ left }, at) => left < shown[at - 1]?.right + 4)).toEqual([])
  const parts = [
    page.getByRole('paragraph').filter({ hasText: /^\d\d:\d\d: / }),
    page.getByRole('radiogroup').locator('label'),
  ]
  for (const part of parts) {
    const edges = await measureEdges(part)
    expect(edges.length).toBeGreaterThan(0)
    expect(edges.filter(({ right }) => right > 345)).toEqual([])
  }
})

test('the switch hides what the owner did, and is remembered', async () => {
  const { page, window } = await openLedger()
  await goTo(page, '#/requests')
  await page.getByRole('row', { name: /webhooks\.create/ }).waitFor()
  await page.getByRole('button', { name: 'Hide mine' }).click()
  await page.getByRole('row', { name: /webhooks\.create/ }).waitFor({ state: 'detached' })
  await waitForFoot(page, '1 record')
  await expect
    .poll(async () => JSON.stringify((await window.owner.host.status()).settings))
    .toContain('hides_own')
  await page.reload()
  await waitForFoot(page, '1 record')
  await page.locator('.screen-foot').getByText('newest first').waitFor()
  await page.getByRole('button', { name: 'By program' }).click()
  await page.locator('.screen-foot').getByText('most records first').waitFor()
  await page.getByRole('button', { name: 'By program' }).click()
  await page.getByRole('button', { name: 'Hide mine', pressed: true }).waitFor()
})

test('two records are compared, and a request is copied as curl', { tags: 'thorough' }, async () => {
  const { page, sendRequest, id } = await openLedger()
  await sendRequest('GET', `/tokens/${id}`)
  await sendRequest('GET', '/tokens/nobody')
  await goTo(page, '#/requests?q=action:tokens.get')
  await waitForFoot(page, '2 records')
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press(' ')
  await page.getByRole('button', { name: 'Compare', exact: true, disabled: true }).waitFor()
  await page.keyboard.press('Shift+ArrowDown')
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Compare two records' })
  await dialog.getByRole('row', { name: /status differs 404 200/ }).waitFor()
  expect(await dialog.getByRole('row', { name: /^method/ }).count()).toBe(0)
  await dialog.getByLabel('Only differences').click()
  await dialog.getByRole('row', { name: 'method GET GET' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByText('2 selected').waitFor({ state: 'detached' })

  await page.getByRole('row', { name: /404/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  await page.getByText('Copied as curl, without the key').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^curl http:\/\/127\.0\.0\.1:\d+\/tokens\/nobody \\\n {2}-H 'SVC-API-KEY: <key>'$/,
  )
})

test('several chosen requests are copied as curl and sent again, except those that are incomplete', async () => {
  const { page, window, sendRequest, id } = await openLedger()
  await sendRequest('GET', `/tokens/${id}`)
  await sendRequest('GET', '/tokens/nobody')
  await goTo(page, '#/requests?q=action:tokens.* -app:owner')
  await waitForFoot(page, '3 records')
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('Copied 3 curl commands, without keys').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  const urls = copied.match(/http:\S+/g) ?? []
  expect(urls.map((url) => new URL(url).pathname)).toEqual(['/tokens', `/tokens/${id}`, '/tokens/nobody'])
  await page.getByRole('button', { name: 'Send again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send again' })
  await dialog.getByText('2 of 3 can be sent').waitFor()
  await dialog.getByText('Its body was not recorded').waitFor()
  await dialog.getByRole('button', { name: 'Send 2 requests' }).click()
  await page.getByText('2 requests sent again, 1 refused or failed').waitFor()
  const { data } = await window.owner.logs.list({ action: 'tokens.get' })
  expect(data.map(({ status }) => status)).toEqual([404, 200, 404, 200])
  // The window sends as the application that sent the recorded request.
  const [sent] = data
  expect((await window.owner.logs.get({ id: sent?.id ?? '' })).looked_as).toBeDefined()
})

test('viewing as an application filters only as its key may', async () => {
  const { page, sendRequest } = await openLedger()
  await sendRequest('GET', '/tokens/nobody')
  // A link may name an application instead of its id.
  await goTo(page, '#/requests?q=status:404 took:>=0ms -app:owner app:Checkout')
  await waitForFoot(page, '1 record')
  await viewAs(page, 'Auditor')
  expect(await getField(page).getAttribute('placeholder')).not.toContain('took')
  await page.getByRole('row', { name: /404/ }).waitFor()
  await getField(page).fill('took:>1s')
  await page.keyboard.press('Enter')
  await page
    .getByText(/^Viewing as Auditor, whose key allows/)
    .filter({ visible: true })
    .first()
    .waitFor()
  expect(await listChips(page)).toEqual(['Status404', 'ByCheckout'])
})

test('saved calls, deliveries, runs and documents have the same filters', { tags: 'thorough' }, async () => {
  const { page, sendRequest, window } = await openLedger()
  const { owner } = window
  for (const path of ['/proxy/v1/charges', '/proxy/v1/refunds']) await sendRequest('POST', path, { n: 1 })
  await goTo(page, '#/proxies?view=exchanges')
  await waitForFoot(page, '2 saved calls')
  await getField(page).fill('path:*refunds status:200')
  await page.keyboard.press('Enter')
  await waitForFoot(page, '1 saved call')
  await getField(page).fill('took:>1min')
  await page.keyboard.press('Enter')
  await page.getByText('No matching saved calls').waitFor()

  const [webhook] = (await owner.webhooks.list({})).data
  await owner.deliveries.sendTest({ webhook_id: webhook?.id ?? '', type: 'token.created' })
  await goTo(page, `#/webhooks/${webhook?.id}?view=deliveries&q=by:owner`)
  await waitForFoot(page, '1 delivery')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await waitForFoot(page, '4 deliveries')

  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' })

  for (const name of ['ada', 'bob'])
    await makeDocument(owner, Buffer.from(name), { content_type: 'text/plain', metadata: { name } })
  await goTo(page, '#/documents')
  await waitForFoot(page, '2 documents')
  await getField(page).fill('metadata:name=ada')
  await page.keyboard.press('Enter')
  await waitForFoot(page, '1 document')
  // A document that arrives is shown only if it meets the filter.
  await makeDocument(owner, Buffer.from('x'), { content_type: 'text/plain', metadata: { name: 'eve' } })
  await makeDocument(owner, Buffer.from('x'), { content_type: 'image/png', metadata: { name: 'Ada' } })
  await waitForFoot(page, '2 documents')
  await goTo(page, '#/documents?q=-type:text/*')
  await waitForFoot(page, '1 document')
  await goTo(page, '#/documents?q=type:audio/*')
  await page.getByText('No matching documents').waitFor()

  const { id } = await owner.reactors.create({
    name: 'Echo',
    code: 'module.exports = (req) => ({ raw: req.args })',
  })
  await goTo(page, `#/reactors/${id}`)
  await page.getByText('Saved runs', { exact: true }).click()
  await page.getByText('No saved runs.').waitFor()
})
