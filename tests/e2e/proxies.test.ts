import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { runFromPalette, viewAs } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const number = '4242424242424242'

/** Opens a window on a vault with a card and a listener. */
async function openProxiesWindow(protection: { memory: true } | { passphrase: string } = { memory: true }) {
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection })
    await owner.host.listenerOn()
  }
  const { vault: window, page } = await openWindow({ prepareVault })
  const data = { number, expiration_month: 12, expiration_year: 2035, cvc: '737' }
  // Set the id, because a random one could contain the CVC, which is redacted wherever it occurs.
  const id = '0f9d3c1e-5b2a-4c6d-8e1f-a0b1c2d3e4f5'
  await window.owner.tokens.create({ id, type: 'card', data })
  const { listener } = await window.owner.host.status()
  const url = listener.state === 'on' ? listener.url : ''
  const { key = '' } = await window.owner.applications.create({
    name: 'Checkout',
    type: 'private',
    permissions: ['proxy:invoke', 'token:create'],
  })
  const callProxy = (headers: Record<string, string>, body: string) =>
    fetch(`${url}/proxy/v1/charges`, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json', ...headers },
      body,
    })
  return { window, page, id, callProxy, url }
}

const getRegion = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('X-59 a sample proxy passes a card on, and HTML in the response does not run', async () => {
  const { page, id, window, callProxy } = await openProxiesWindow()
  await goTo(page, '#/proxies')
  await page.getByRole('button', { name: 'Create a first proxy' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByText('The application Proxy trial was created').waitFor()
  await page.getByRole('combobox', { name: 'Token to insert' }).click()
  await page.getByRole('option', { name: new RegExp(id) }).click()
  await page.getByRole('button', { name: /^Send Ctrl/ }).click()
  await getRegion(page, 'Request from the program').getByText(`{{ ${id} | json: '$.number' }}`).waitFor()
  await getRegion(page, 'Request to the destination')
    .getByText('https://echo.coffer.test/v1/charges')
    .waitFor()
  expect(await getRegion(page, 'Request to the destination').textContent()).toContain('••••••••')
  expect(await getRegion(page, 'Response from the destination').textContent()).toContain('200')
  expect(await page.locator('main').textContent()).not.toContain(number)
  const [proxy] = (await window.owner.proxies.list({})).data
  expect(proxy).toMatchObject({ name: 'First proxy', destination_url: 'https://echo.coffer.test' })

  const evil = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>
    <a href="javascript:document.title='broken'">click</a><iframe src="data:text/html,<script>top.document.title='broken'</script>"></iframe>`
  const { url } = await startDestination((_request, response) => {
    response
      .writeHead(200, {
        'Content-Type': 'text/html',
        'X-Evil': '<img src=x onerror=alert(1)>',
        Refresh: '0;url=javascript:1',
      })
      .end(evil)
  })
  await (await callProxy({ 'SVC-PROXY-URL': url }, '{"x":"<b>bold</b>"}')).text()
  await goTo(page, '#/proxies?view=exchanges')
  await page.getByRole('row', { name: /127\.0\.0\.1/ }).click()
  await getRegion(page, 'Response from the destination').getByText('<iframe src="data:text/html').waitFor()
  await getRegion(page, 'Response from the destination')
    .getByText(/headers$/)
    .click()
  await getRegion(page, 'Response from the destination').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await page.locator('main').locator('img, script, iframe, a[href^="javascript"], b').count()).toBe(0)
  expect(await page.title()).not.toBe('broken')

  await goTo(page, '#/proxies?view=exchanges&q=took:>abc')
  await page.getByText('must be a number, or a comparison').waitFor()
  expect(await page.getByRole('grid').count()).toBe(0)
})

test('a proxy is created with transforms, changed and deleted', { tags: 'thorough' }, async () => {
  const { page, window } = await openProxiesWindow()
  await goTo(page, '#/proxies?new=1')
  const form = page.getByRole('complementary', { name: 'New proxy' })
  await form.getByLabel('Name').fill('Charges')
  await form.getByLabel('Destination URL').fill('http://example.com')
  await form.getByRole('button', { name: 'Add transform: Request transforms' }).click()
  await form.getByRole('button', { name: 'Create proxy' }).click()
  await form.getByText('must be an https: URL; http: is allowed only for this machine').waitFor()
  await form.getByText('is required').first().waitFor()
  await form.getByLabel('Destination URL').fill('https://echo.coffer.test')
  await form.getByLabel('Location').fill('$.source')
  await form.getByLabel('Value', { exact: true }).fill('coffer')
  await form.getByRole('button', { name: 'Add entry' }).click()
  await form.getByPlaceholder('Name').last().fill('secret')
  await form.getByPlaceholder('Value').last().fill('hush-hush')
  await form.getByRole('button', { name: 'Create proxy' }).click()
  const drawer = page.getByRole('complementary', { name: 'Proxy', exact: true })
  await drawer.getByText('https://echo.coffer.test').first().waitFor()
  expect(await drawer.textContent()).not.toContain('hush-hush')
  await drawer.getByRole('button', { name: 'Reveal secret' }).click()
  await drawer.getByText('hush-hush').waitFor()
  const [created] = (await window.owner.proxies.list({})).data
  expect(created).toMatchObject({
    name: 'Charges',
    configuration: { secret: 'hush-hush' },
    request_transforms: [{ type: 'append_json', options: { location: '$.source', value: 'coffer' } }],
  })
  await page.keyboard.press('e')
  const edit = page.getByRole('complementary', { name: 'Edit proxy' })
  await edit.getByLabel('Name').first().fill('Payments')
  // Close asks for confirmation before it discards unsaved input.
  await edit.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Payments/ }).waitFor()
  await drawer.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type Payments to confirm').fill('Payments')
  await page.getByRole('button', { name: 'Delete proxy' }).click()
  await page.getByText('No proxies yet').waitFor()
})

test('F-03 editing a proxy keeps the runtime of its code', async () => {
  const { page, window } = await openProxiesWindow()
  const dependencies = { axios: '1.8.2' }
  const runtime = { image: 'node22', dependencies, permissions: ['token:read'], timeout: 20 }
  const code = 'module.exports = async ({ req }) => ({ req })'
  const { id } = await window.owner.proxies.create({
    name: 'Charges',
    destination_url: 'https://echo.coffer.test',
    configuration: { secret: 'hush-hush' },
    request_transforms: [{ type: 'code', code, options: { runtime } }],
  })
  await goTo(page, `#/proxies/${id}`)
  const drawer = page.getByRole('complementary', { name: 'Proxy', exact: true })
  await drawer.getByText('failed', { exact: true }).waitFor()
  expect(await drawer.textContent()).not.toContain('hush-hush')
  await page.keyboard.press('e')
  const edit = page.getByRole('complementary', { name: 'Edit proxy' })
  await edit.getByLabel('Name').first().fill('Payments')
  await edit.getByRole('textbox', { name: 'Timeout in seconds' }).fill('15')
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Payments/ }).waitFor()
  const { request_transforms } = await window.owner.proxies.get({ id })
  expect(request_transforms).toEqual([
    { type: 'code', code, options: { runtime: { ...runtime, timeout: 15 } } },
  ])
})

test('a proxy is created by keyboard, and its form links to the destinations', {
  tags: 'thorough',
}, async () => {
  const { page } = await openProxiesWindow()
  await goTo(page, '#/proxies')
  await page.getByText('No proxies yet').waitFor()
  await page.keyboard.press('n')
  const form = page.getByRole('complementary', { name: 'New proxy' })
  await form.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Echo')
  await page.keyboard.press('Tab')
  await page.keyboard.type('https://echo.coffer.test')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /Echo/ }).waitFor()
  await page.keyboard.press('n')
  await form.getByRole('button', { name: 'Open Destinations' }).click()
  await page.getByRole('heading', { name: 'Destinations' }).waitFor()
})

test('proxies and calls made outside the window appear in it immediately', { tags: 'thorough' }, async () => {
  const { page, window, callProxy, id } = await openProxiesWindow()
  await goTo(page, '#/proxies')
  await page.getByText('No proxies yet').waitFor()
  const { key } = await window.owner.proxies.create({
    name: 'Live',
    destination_url: 'https://echo.coffer.test',
  })
  await page.getByRole('row', { name: /Live/ }).waitFor()
  await callProxy({ 'SVC-PROXY-KEY': key }, `{"n":"{{ ${id} | json: '$.number' }}"}`)
  await page.getByRole('row', { name: /Live.*200/ }).waitFor()
  await page.getByText('Saved calls', { exact: true }).click()
  await page.getByRole('row', { name: /echo\.coffer\.test\/v1\/charges/ }).click()
  await getRegion(page, 'Response from the destination').waitFor()
  expect(await page.locator('main').textContent()).not.toContain(number)
  await page.getByRole('button', { name: /All saved calls/ }).click()
  await page.getByRole('button', { name: 'Clear saved calls' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear saved calls' }).click()
  await page.getByText('No saved calls yet').waitFor()
})

test('a vault on disk saves no proxied calls until saving is turned on', { tags: 'thorough' }, async () => {
  const { page, callProxy, window } = await openProxiesWindow({ passphrase: 'correct horse battery' })
  await goTo(page, '#/proxies?view=exchanges')
  await page.getByText('Calls are not saved').waitFor()
  await callProxy({ 'SVC-PROXY-URL': 'https://echo.coffer.test' }, '{}')
  await page.getByRole('button', { name: 'Save calls' }).click()
  await page.getByText('Calls are saved', { exact: true }).waitFor()
  await page.getByText('Calls are not saved').waitFor({ state: 'detached' })
  expect((await window.owner.exchanges.list({})).data).toEqual([])
  await callProxy({ 'SVC-PROXY-URL': 'https://echo.coffer.test' }, '{}')
  await page.getByRole('row', { name: /echo\.coffer\.test/ }).waitFor()
})

test('the record of a proxied call shows destination and tokens, and links to the saved call', {
  tags: 'thorough',
}, async () => {
  const { page, callProxy, id } = await openProxiesWindow()
  await callProxy({ 'SVC-PROXY-URL': 'https://echo.coffer.test' }, `{"n":"{{ ${id} | json: '$.number' }}"}`)
  await goTo(page, '#/requests?q=about:proxy')
  await page.getByRole('row', { name: /answered by/ }).click()
  const drawer = page.getByRole('complementary', { name: 'Record' })
  await drawer.getByText('POST echo.coffer.test/v1/charges').waitFor()
  await drawer.getByRole('button', { name: id }).waitFor()
  await drawer.getByRole('button', { name: 'Open the saved call' }).click()
  await getRegion(page, 'Request to the destination').waitFor()
  await page.goBack()
  await drawer.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('textbox', { name: 'Path' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Path' }).inputValue()).toBe('/v1/charges')
  // The body of a saved call comes with it, with its expressions.
  await page.getByText('The body of the saved call.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Body' }).inputValue()).toContain(`{{ ${id} | json`)
  await goTo(page, '#/requests?q=about:proxy')
  await page.getByRole('row', { name: /answered by/ }).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('button', { name: 'Send again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send again' })
  await dialog.getByText('Calls through a proxy are sent again one at a time').first().waitFor()
  await dialog.getByRole('button', { name: 'Try it' }).first().click()
  await page.getByText('The body of the saved call.').waitFor()
})

test('viewing as an application shows its proxies and no saved calls', {
  tags: 'thorough',
}, async () => {
  const { page, window } = await openProxiesWindow()
  await window.owner.proxies.create({ name: 'Seen', destination_url: 'https://echo.coffer.test' })
  await window.owner.applications.create({ name: 'Ops', type: 'management', permissions: ['proxy:read'] })
  await goTo(page, '#/proxies')
  await page.getByRole('row', { name: /Seen/ }).waitFor()
  await viewAs(page, 'Ops')
  await page.getByRole('row', { name: /Seen/ }).click()
  await page.getByRole('complementary', { name: 'Proxy', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'New proxy' }).count()).toBe(0)
  expect(await page.getByText('Saved calls', { exact: true }).count()).toBe(0)
  await viewAs(page, 'Checkout')
  await page.getByText('Its key would get 403').waitFor()
  expect(await page.getByText('Seen').count()).toBe(0)
})

test('the palette opens, creates and tries proxies', { tags: 'thorough' }, async () => {
  const { page, window } = await openProxiesWindow()
  await window.owner.proxies.create({ name: 'Zebra charges', destination_url: 'https://echo.coffer.test' })
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('zebra')
  await page.getByRole('button', { name: 'Zebra charges' }).click()
  await page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
  await page.getByRole('complementary', { name: 'Proxy', exact: true }).waitFor()
  await runFromPalette(page, 'New proxy')
  await page.getByRole('complementary', { name: 'New proxy' }).waitFor()
  await page.keyboard.press('Escape')
  await runFromPalette(page, 'Try a proxy')
  await page.getByText('Send a request to see').waitFor()
  for (const typed of ['allow', 'map', 'destination']) {
    await runFromPalette(page, typed)
    await page.getByRole('heading', { name: 'Destinations' }).waitFor()
    await goTo(page, '#/home')
  }
  await runFromPalette(page, 'saved calls')
  await page.getByText('No saved calls yet').waitFor()
})

test('Escape leaves a proxy form, and asks first about unsaved input', {
  tags: 'thorough',
}, async () => {
  const { page } = await openProxiesWindow()
  await goTo(page, '#/proxies')
  await page.getByText('No proxies yet').waitFor()
  await page.keyboard.press('n')
  const form = page.getByRole('complementary', { name: 'New proxy' })
  await form.getByRole('textbox', { name: 'Name', exact: true }).focus()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await form.getByLabel('Destination URL').fill('https://echo.coffer.test')
  await form.getByRole('combobox', { name: 'Transforms act as' }).click()
  await page.getByRole('option', { name: 'The caller' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option', { name: 'The caller' }).waitFor({ state: 'hidden' })
  await form.getByLabel('Destination URL').focus()
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog')
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(await form.getByLabel('Destination URL').inputValue()).toBe('https://echo.coffer.test')
})

test('a saved call with a failed transform shows the statuses of destination and proxy', {
  tags: 'thorough',
}, async () => {
  const { url } = await startDestination((_, response) => response.end('no JSON'))
  const { page, window, callProxy } = await openProxiesWindow()
  const { key } = await window.owner.proxies.create({
    name: 'p',
    destination_url: url,
    response_transforms: [{ type: 'append_json', options: { location: '$.a', value: 'b' } }],
  })
  const { status } = await callProxy({ 'SVC-PROXY-KEY': key }, '{}')
  expect(status).toBeGreaterThanOrEqual(400)
  await goTo(page, '#/proxies?view=exchanges')
  await page.getByRole('row', { name: /127\.0\.0\.1/ }).click()
  const readResponse = async () =>
    (await getRegion(page, 'Response from the destination').textContent()) ?? ''
  await getRegion(page, 'Response from the destination').getByText('The destination responded with').waitFor()
  expect(await readResponse()).toContain('The destination responded with 200')
  expect(await readResponse()).toContain(`The program received ${status}`)
})

test('a trial that was not saved says so, and one click sends it again and shows it', async () => {
  const { page, window } = await openProxiesWindow({ passphrase: 'correct horse battery' })
  await goTo(page, '#/proxies?view=try')
  await page.getByText('Calls are not saved').waitFor()
  const send = page.getByRole('button', { name: /^Send Ctrl/ })
  await send.click()
  await page.getByText('The proxy itself rejected the call.').waitFor()
  await page.getByText('This call needs an application key.').waitFor()
  await page.getByRole('textbox', { name: 'Application key' }).fill('not a key')
  await send.click()
  await page.getByText('This call needs an application key.').waitFor({ state: 'detached' })
  await page.getByText('The key is missing, unknown, deleted or expired.').waitFor()
  await page.getByRole('textbox', { name: 'Application key' }).fill('')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByText('The application Proxy trial was created').waitFor()
  await send.click()
  await page.getByText('This call was not saved').waitFor()
  expect((await window.owner.exchanges.list({})).data).toEqual([])
  await page.getByRole('button', { name: 'Save calls and send again' }).click()
  await getRegion(page, 'Response from the destination').getByText('200').waitFor()
})

test('a saved call that no longer exists says so, without a button that cannot help', async () => {
  const { page } = await openProxiesWindow()
  await goTo(page, '#/proxies?view=exchanges&exchange=0f9d3c1e-5b2a-4c6d-8e1f-a0b1c2d3e4f5')
  await page.getByText('This saved call no longer exists.').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('button', { name: 'All saved calls' }).click()
  await page.getByText('No saved calls yet').waitFor()
})
