import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { pressKeys, waitForFoot } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** Opens a window on a vault with an application that may create tokens and read one container. */
async function openRequestsWindow() {
  const prepareVault = ({ owner }: StartedWindow) =>
    owner.host.createVault({ name: 'shop', protection: { passphrase: 'correct horse battery' } })
  const { vault: window, page } = await openWindow({ prepareVault })
  const application = await window.owner.applications.create({
    name: 'Checkout',
    type: 'private',
    permissions: ['token:create'],
    rules: [{ priority: 1, container: '/general/', transform: 'mask', permissions: ['token:read'] }],
  })
  const caller = { kind: 'key', key: application.key ?? '' } as const
  const callOperation = async (name: string, input: unknown, trace_id: string = randomUUID()) => {
    const engine = window.host.getEngine()
    if (!engine) throw new Error('The vault is locked.')
    return engine.call(name, input, caller, { trace_id }).then(
      ({ output }) => output as { id: string },
      () => null,
    )
  }
  return { window, page, application, callOperation }
}

const getDrawer = (page: Page) => page.getByRole('complementary', { name: 'Record' })

const getBody = (page: Page) => page.getByRole('textbox', { name: 'Body' })

/** Reads the body of the request in the form; a placeholder is its only text while it is empty. */
const readBody = async (page: Page) => ((await getBody(page).textContent()) ?? '').trim()

/** Fills the form of a new request from a curl command. */
async function importCurl(page: Page, line: string): Promise<void> {
  await page.getByRole('button', { name: 'Import curl…' }).click()
  await page.getByRole('textbox', { name: 'curl command' }).fill(line)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
}

test('O-05 the log finds and counts a 403 and a trace id under 2,600 newer records', {
  tags: 'thorough',
}, async () => {
  const { page, callOperation, window } = await openRequestsWindow()
  const created = await callOperation('tokens.create', { type: 'token', data: 'x' })
  await callOperation('tokens.remove', { id: created?.id }, 'needle-7')
  for (let at = 0; at < 2600; at++) await callOperation('tokens.get', { id: created?.id })
  await goTo(page, '#/requests')
  const { total_items = 0 } = (await window.owner.logs.list()).pagination
  expect(total_items).toBeGreaterThan(2600)
  await waitForFoot(page, `${total_items.toLocaleString('en')} records`)
  await page.getByText('Refused', { exact: true }).click()
  await page.getByRole('row', { name: /403.*DELETE/ }).waitFor()
  await waitForFoot(page, '1 record')

  await goTo(page, '#/requests?q=needle')
  await page.getByRole('row', { name: /DELETE/ }).waitFor()
  await goTo(page, '#/requests?q=eedle-7')
  await page.getByText('No matching records').waitFor()

  await goTo(page, '#/requests?q=status:4xx')
  await page.getByRole('row', { name: /DELETE/ }).waitFor()
  await callOperation('tokens.get', { id: created?.id })
  await callOperation('tokens.get', { id: 'nobody' })
  await page.getByRole('row', { name: /404.*GET/ }).waitFor()
  await waitForFoot(page, '2 records')
  expect(await page.locator('tbody tr').count()).toBe(2)
})

test('O-05 scrolling the log reaches the oldest record', { tags: 'thorough' }, async () => {
  const { page, callOperation } = await openRequestsWindow()
  for (let at = 0; at < 700; at++) await callOperation('tokens.get', { id: 'nobody' })
  await goTo(page, '#/requests?q=status:4xx')
  await waitForFoot(page, '700 records')
  await page.getByRole('grid').focus()
  const readLastIndex = async () => {
    await page.keyboard.press('End')
    return page.locator('tbody tr').last().getAttribute('aria-rowindex')
  }
  await expect.poll(readLastIndex).toBe('701')
})

test('O-05 any record opens by its URL, and a missing one is reported', { tags: 'thorough' }, async () => {
  const { page, callOperation, window } = await openRequestsWindow()
  await callOperation('tokens.get', { id: 'nobody' }, 'old-one')
  for (let at = 0; at < 400; at++) await callOperation('tokens.list', {})
  const [old] = (await window.owner.logs.list({ trace_id: 'old-one' })).data
  await goTo(page, `#/requests/${old?.id}`)
  await getDrawer(page).getByText('old-one').first().waitFor()
  await goTo(page, '#/requests/99999')
  await getDrawer(page).getByText('There is no such record in the log.').waitFor()
})

test('O-05 a record shows a caller’s request and error, and its request can be sent again', async () => {
  const { page, callOperation, window, application } = await openRequestsWindow()
  const { id } = await window.owner.tokens.create({ type: 'token', data: 'x', containers: ['/pci/high/'] })
  await callOperation('tokens.get', { id }, 'the-403')

  await goTo(page, '#/requests?q=the-403')
  await page.getByRole('row', { name: /GET/ }).click()
  const record = getDrawer(page)
  await record.getByText('Error sent to the caller').waitFor()
  for (const text of [
    `GET /tokens/${id}`,
    `…${application.key?.slice(-4)}`,
    'token:read is not granted on the containers of this token.',
    'Checkout needs token:read on /pci/high/, but nothing grants it.',
  ]) {
    await record.getByText(text).first().waitFor()
  }
  await record.getByRole('button', { name: 'Send again' }).click()
  expect(await page.getByRole('combobox', { name: /^id/ }).inputValue()).toBe(id)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('region', { name: 'Response' }).getByText('403').first().waitFor()
  const { data } = await window.owner.logs.list({ actor_id: application.id, status: '4xx' })
  expect(data.map(({ trace_id }) => trace_id)).toEqual(['the-403'])

  await goTo(page, '#/requests?new=1&again=5f0c1c1e-0000-4000-8000-000000000000')
  await page.getByText('There is no such record in the log.').waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
})

test('A-08 a record names the members that were ignored, with the nearest known name', async () => {
  const { window, page, application } = await openRequestsWindow()
  const caller = { kind: 'key', key: application.key ?? '' } as const
  const input = { type: 'token', data: 'x', expiresAt: 'soon', colour: 1 }
  await window.host.getEngine()?.call('tokens.create', input, caller, { ignored: [] })
  const [record] = (await window.owner.logs.list()).data
  await goTo(page, `#/requests/${record?.id}`)
  await getDrawer(page).getByText('expiresAt: did you mean expires_at?; colour').waitFor()
})

test('O-05 a request without a recorded body is filled from an example or curl command', {
  tags: 'thorough',
}, async () => {
  const { page, callOperation, window, application } = await openRequestsWindow()
  const record = getDrawer(page)
  await callOperation('tokens.get', { id: 'nobody' }, 'the-404')
  await callOperation('tokens.create', { type: 'card', data: { number: '4242424242424241' } }, 'the-400')
  await goTo(page, '#/requests?q=the-400')
  await page.getByRole('row', { name: /POST/ }).click()
  await record.getByText('data.number', { exact: true }).waitFor()
  await record.getByText('POST /tokens').waitFor()
  await record.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('The body was not recorded and is empty here.').waitFor()
  expect(await readBody(page)).toBe('')
  await page.getByRole('button', { name: 'Fill in the example' }).click()
  await page.getByRole('textbox', { name: 'Body (an example, not the one sent)' }).waitFor()
  // A curl command replaces the form after the owner confirms.
  await importCurl(page, `curl $VAULT_URL/tokens -d '{"type":"token"}'`)
  await page.getByRole('button', { name: 'Discard' }).click()
  await waitFor(async () => expect(await readBody(page)).toContain('"token"'))

  const { data } = await window.owner.logs.list({ actor_id: application.id, status: '4xx' })
  expect(data.map(({ trace_id }) => trace_id)).toEqual(['the-400', 'the-404'])
})

test('O-05 the log finds a program’s calls, filters by program and time, and exports them', {
  tags: 'thorough',
}, async () => {
  const { page, window, application } = await openRequestsWindow()
  const { url = '' } = (await window.owner.host.listenerOn({})) as { url?: string }
  const headers = {
    'svc-api-key': application.key ?? '',
    'content-type': 'application/json',
    'user-agent': 'shop/2.1',
  }
  for (const body of ['{"type":"token","data":"x"}', '{"type":"token","data":1,"metadata":1}', '{"type":'])
    await fetch(`${url}/tokens`, { method: 'POST', headers, body })

  await goTo(page, '#/requests?by=program')
  await page
    .getByRole('row', { name: /Checkout shop\/2\.1 3 2/ })
    .getByRole('button')
    .click()
  await waitForFoot(page, '3 records')
  await page.getByText('Refused', { exact: true }).click()
  await waitForFoot(page, '2 records')
  const timeline = page.getByRole('slider', { name: /Span of time/ })
  await timeline.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await expect.poll(() => timeline.getAttribute('aria-valuetext')).toMatch(/0 succeeded, 2 refused, 0 failed/)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Remove the filter Since/ }).waitFor()
  await waitForFoot(page, '2 records')
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /NDJSON/ }).click(),
  ])
  const stream = await file.createReadStream()
  let text = ''
  for await (const chunk of stream) text += chunk
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { status: 400, agent: 'shop/2.1', request_bytes: 8 },
    { status: 400, errors: { metadata: [expect.any(String)] } },
  ])
  await page.getByRole('row', { name: /metadata/ }).click()
  await getDrawer(page).getByText('38 bytes').waitFor()
  await getDrawer(page).getByText('metadata', { exact: true }).waitFor()

  // A program's request is built from its curl command.
  await goTo(page, '#/requests?new=1')
  await importCurl(page, `curl ${url}/tokens -H 'SVC-API-KEY: ${application.key}' -d '{"type":'`)
  await page.getByText('It is sent unchanged').waitFor()
})

test('O-05 a request is built from curl and an environment, saved and sent again', {
  tags: 'thorough',
}, async () => {
  const { page, window, application } = await openRequestsWindow()
  const { url = '' } = (await window.owner.host.listenerOn({})) as { url?: string }

  // The picker searches by typing, and Enter takes the first result.
  await goTo(page, '#/requests?new=1')
  await page.getByRole('combobox', { name: 'Operation' }).click()
  await page.keyboard.type('get a token')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: /^id/ }).waitFor()

  // A curl command fills the form; malformed JSON is sent unchanged.
  await importCurl(page, 'curl https://api.example.com/tokens')
  await page.getByText(/go to this listener only/).waitFor()
  await page
    .getByRole('textbox', { name: 'curl command' })
    .fill(`curl ${url}/tokens -H 'SVC-API-KEY: ${application.key}' -d '{"type":'`)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('It is sent unchanged').waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const response = page.getByRole('region', { name: 'Response' })
  await response.getByText('400').first().waitFor()

  // An environment fills in its variables; a saved request is found by its name.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder itself
  await page.getByRole('textbox', { name: 'Body' }).fill('{"type": "token", "data": "${name}"}')
  await page.getByRole('button', { name: 'New environment…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).first().fill('staging')
  await dialog.getByRole('button', { name: 'Add a variable' }).click()
  await page.keyboard.type('name')
  await page.keyboard.press('Tab')
  await page.keyboard.type('filled in')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save…' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('a token')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await response.getByText('201').first().waitFor()
  await page.getByText('Saved', { exact: true }).click()
  await page.getByRole('button', { name: /a token POST \/tokens/ }).waitFor()

  // A request that waits is cancelled, and said to be.
  await window.owner.host.setFaults({
    rules: [{ name: 'slow', operations: ['tokens.create'], delay_ms: 60_000 }],
  })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await response.getByRole('button', { name: 'Cancel' }).click()
  await response.getByText(/^Cancelled/).waitFor()
  await window.owner.host.setFaults({ rules: [] })

  // Copied code names the variables of the environment instead of showing their values.
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'curl' }).click()
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder itself
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"data":"${name}"')
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Include values of the environment' }).click()
  await page.getByRole('menuitem', { name: 'curl' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"data":"filled in"')

  // The sent request can be opened from its record.
  const [created] = (await window.owner.logs.list({ status: '201', action: 'tokens.create' })).data
  await goTo(page, `#/requests/${created?.id}`)
  await getDrawer(page).getByRole('button', { name: 'Send again' }).click()
  await page.getByText('This is the request of record').waitFor()
  expect(await readBody(page)).toBe('{"type": "token", "data": "filled in"}')
  expect(JSON.stringify(await window.owner.drafts.list({ kind: 'sent' }))).not.toContain(application.key)
})

test('a request is typed with suggestions, and its errors are at their place', async () => {
  const { page, window } = await openRequestsWindow()
  const number = '4242424242424242'
  const { id } = await window.owner.tokens.create({
    type: 'card',
    data: { number, expiration_month: 4, expiration_year: 2030 },
  })
  await window.owner.drafts.save({
    kind: 'environment',
    content: JSON.stringify({ name: 'staging', as: null, variables: { secret: 'a long secret value 99' } }),
  })
  await goTo(page, '#/requests?new=1')
  await page.getByRole('combobox', { name: 'Environment' }).click()
  await page.getByRole('option', { name: 'staging' }).click()
  const body = getBody(page)
  const suggestions = page.getByRole('listbox', { name: 'Completions' })
  /** Types the beginning of something, and takes a suggestion. */
  const typeAndTake = async (typed: string, suggestion: RegExp) => {
    await page.keyboard.type(typed)
    const option = suggestions.getByRole('option', { name: suggestion })
    await option.waitFor()
    // The editor ignores a click on a list that has only just opened.
    await waitFor(async () => {
      if (await option.isVisible()) await option.click({ timeout: 1000 })
      expect(await suggestions.count()).toBe(0)
    })
  }
  await body.fill('')
  await typeAndTake('{"ty', /type/)
  await typeAndTake('"car', /"card"/)
  await typeAndTake(', "data": {"number": "${', /secret.*••••e 99/)
  await typeAndTake(' {{ 4242', /XXXXXXXXXXXX4242/)
  await page.keyboard.type('"}}')
  expect(await readBody(page)).toBe(`{"type": "card", "data": {"number": "\${secret} {{ ${id} }}"}}`)

  // Hovering shows masked values only.
  const tip = page.locator('.cm-tip')
  await page.locator('.cm-reference').nth(1).hover()
  expect(await tip.textContent()).toBe('card XXXXXXXXXXXX4242')
  await page.locator('.cm-reference').first().hover()
  await expect.poll(() => tip.textContent()).toBe('secret: ••••••••e 99')

  // The vault marks what it rejects, until the body changes.
  await body.focus()
  await page.keyboard.press('Control+Enter')
  const response = page.getByRole('region', { name: 'Response' })
  await response.getByText('400').first().waitFor()
  const rejected = page.getByText(/^Line 1: data.number /)
  await rejected.first().waitFor()
  expect(await page.locator('.cm-wrong').first().textContent()).toContain('secret')
  await response.getByRole('searchbox').fill('"code"')
  await response.getByText('1 of 1').waitFor()
  await body.fill('{"type": "card",\n "data": 1,\n "colour": 2}')
  await page.getByText('Line 3: colour is not a known member').waitFor()
  expect(await rejected.count()).toBe(0)
  expect(await page.locator('.cm-wrong').allTextContents()).toContain('"colour"')

  // An address is typed with its parameters, and the panes keep their widths.
  await page.getByRole('combobox', { name: 'Operation' }).click()
  await page.keyboard.type(`/tokens/${id}`)
  await page.getByRole('option', { name: `GET /tokens/{id} id=${id}` }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await response.getByText('200').first().waitFor()
  await response.getByText('XXXXXXXXXXXX4242').first().waitFor()
  const line = page.getByRole('separator', { name: 'Width of the request' })
  await line.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => line.getAttribute('aria-valuenow')).toBe('55')
  await expect
    .poll(async () => JSON.stringify((await window.owner.host.status()).settings))
    .toContain('"Send a request":{"widths":{"request":550}}')
})

test('what is sent is what the address says', async () => {
  const { page, window } = await openRequestsWindow()
  const { id } = await window.owner.tokens.create({ type: 'token', data: 'x' })
  await goTo(page, '#/requests?new=1')
  const address = page.getByRole('combobox', { name: /^Operation/ })
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await address.fill('GET /nothing/here')
  await pressKeys(page, 'Enter', 'Control+Enter', 'Tab')
  await expect.poll(() => send.isDisabled()).toBe(true)
  expect(await address.inputValue()).toBe('GET /nothing/here')
  await address.fill(`GET /tokens/${id}`)
  await page.keyboard.press('Tab')
  await page.getByRole('combobox', { name: 'Operation, GET' }).waitFor()
  await send.click()
  await page.getByRole('button', { name: 'Record' }).waitFor()
  expect((await window.owner.stats.tokens()).total).toBe(1)
  await address.fill('GET /nothing/here')
  await page.keyboard.press('Escape')
  expect(await address.inputValue()).toBe(`/tokens/${id}`)
})

test('O-05 a late response is not shown in the form of another request', async () => {
  const { page } = await openRequestsWindow()
  const asked = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  await page.route('**/_coffer/console/call', async (route) => {
    if (route.request().postDataJSON()?.name !== 'tokens.create') return route.fallback()
    const response = await route.fetch()
    asked.resolve()
    await letGo.promise
    await route.fulfill({ response })
  })
  await goTo(page, '#/requests?new=1&op=tokens.create')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await asked.promise
  await goTo(page, '#/requests?new=1&op=applications.list')
  await page
    .getByText('This request has no')
    .or(page.getByRole('combobox', { name: 'id' }))
    .first()
    .waitFor()
  letGo.resolve()
  // The request is stored after its response has come.
  await page.getByRole('button', { name: 'Delete POST /tokens' }).waitFor()
  expect(await page.getByRole('region', { name: 'Response' }).textContent()).not.toContain('201')
})

test('a body that is not JSON is not left out of a copied request', async () => {
  const { page } = await openRequestsWindow()
  await goTo(page, '#/requests?new=1&op=tokens.create')
  const copy = page.getByRole('button', { name: 'Copy as' })
  await getBody(page).fill('{"type": ')
  await page.getByText('This is not valid JSON.').waitFor()
  expect(await copy.isDisabled()).toBe(true)
  await getBody(page).fill('')
  await expect.poll(() => copy.isDisabled()).toBe(false)
})

test('X-38 the browser’s own deletion in an editor leaves no inline style', async () => {
  const { page } = await openRequestsWindow()
  await goTo(page, '#/requests?new=1&op=tokens.create')
  const line = page.locator('.cm-line')
  const session = await page.context().newCDPSession(page)
  for (const command of ['deleteBackward', 'deleteForward', 'insertNewline']) {
    await getBody(page).fill('{\n  "type": "token",\n  "data": "x"\n}')
    await line.nth(3).waitFor()
    // From the middle of one line to the middle of another, whose parts have colours.
    await getBody(page).evaluate((editor) => {
      const [first, second] = ['"type"', '"data"'].map((text) =>
        [...editor.querySelectorAll('span')].find(({ textContent }) => textContent === text),
      )
      if (first?.firstChild && second?.firstChild)
        getSelection()?.setBaseAndExtent(first.firstChild, 0, second.firstChild, 0)
    })
    // A key of no meaning with a command, as menus and keys of the system give it.
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'F20', commands: [command] })
    await expect.poll(async () => (await line.allInnerTexts()).join('').trim()).toBe('{  "data": "x"}')
  }
})
