import type { Page } from 'playwright-core'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { pressKeys } from './page-steps.ts'
import { startWindow } from './start-window.ts'
import { openPageIn, openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'
const number = '4242424242424242'
let vault: StartedWindow
let page: Page

beforeEach(async () => {
  const prepareVault = ({ owner }: StartedWindow) =>
    owner.host.createVault({ name: 'shop', protection: { passphrase } })
  ;({ vault, page } = await openWindow({ prepareVault, undoMs: 0 }))
})

const getDrawer = () => page.getByRole('complementary', { name: 'Token', exact: true })

test('X-35 a token is created, revealed and deleted by keyboard, and locking clears the window', async () => {
  await pressKeys(page, 'Control+2')
  await page.getByText('No tokens yet').waitFor()
  await pressKeys(page, 'n')
  await page.getByRole('complementary', { name: 'New token' }).waitFor()
  await page.getByLabel('Number').focus()
  await page.keyboard.type(number)
  await page.getByText('XXXXXXXXXXXX4242').waitFor()
  await pressKeys(page, 'Enter')
  await getDrawer().waitFor()
  expect(await getDrawer().textContent()).not.toContain(number)

  await pressKeys(page, 'r')
  await getDrawer().getByText(number).first().waitFor()
  await getDrawer().getByRole('timer').waitFor()
  await pressKeys(page, 'h')
  await getDrawer().getByRole('timer').waitFor({ state: 'detached' })
  expect(await getDrawer().textContent()).not.toContain(number)
  const { data } = await vault.owner.logs.list({ entity_type: 'token' })
  expect(data.map(({ action }) => action)).toEqual(['tokens.reveal', 'tokens.create'])

  await pressKeys(page, 'c')
  const [token] = (await vault.owner.tokens.list()).data
  await page.getByText('Copied the ID').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token?.id)

  await pressKeys(page, 'e')
  const edit = page.getByRole('complementary', { name: 'Edit token' })
  await edit.waitFor()
  expect(await edit.evaluate((form) => form.contains(document.activeElement))).toBe(true)
  await page.getByLabel('Expires').fill('2099-01-01')
  await page.getByText('expires_at').waitFor()
  await pressKeys(page, 'Enter')
  await page.getByText('Token saved').waitFor()
  expect((await vault.owner.tokens.get({ id: token?.id ?? '' })).expires_at).toContain('2099-01-01')

  await getDrawer().waitFor()
  expect(await page.getByRole('grid').evaluate((grid) => grid === document.activeElement)).toBe(true)
  await pressKeys(page, 'Backspace')
  await page.getByRole('button', { name: 'Delete 1 token' }).and(page.locator(':focus')).waitFor()
  await pressKeys(page, 'Enter')
  await page.getByText('No tokens yet').waitFor()
  expect((await vault.owner.stats.tokens()).total).toBe(0)

  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number } })
  await page.getByRole('row', { name: id }).click()
  await pressKeys(page, 'r')
  await getDrawer().getByText(number).first().waitFor()
  await pressKeys(page, 'Control+l')
  await page.getByRole('heading', { name: 'Unlock shop' }).waitFor()
  const left = await page.content()
  expect([left.includes(number), left.includes(id)]).toEqual([false, false])

  await page.getByLabel('Passphrase').fill('wrong horse battery')
  await pressKeys(page, 'Enter')
  await page.getByText('The passphrase is wrong').waitFor()
  await page.getByLabel('Passphrase').fill(passphrase)
  await pressKeys(page, 'Enter')
  await page.getByRole('row', { name: id }).waitFor()
  expect(await getDrawer().getByText(number).count()).toBe(0)
})

test('arrow keys show the next token in the drawer, Esc closes it, and Back reopens it', {
  tags: 'thorough',
}, async () => {
  for (const data of ['one', 'two', 'three']) {
    await vault.owner.tokens.create({ type: 'token', data, mask: data })
  }
  await pressKeys(page, 'Control+2')
  await page.getByRole('row', { name: /three/ }).click()
  await getDrawer().getByText('three').first().waitFor()
  await pressKeys(page, 'ArrowDown')
  await getDrawer().getByText('two').first().waitFor()
  await pressKeys(page, 'ArrowDown', 'ArrowUp', 'ArrowUp')
  await getDrawer().getByText('three').first().waitFor()
  await pressKeys(page, 'Escape')
  await getDrawer().waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
  await page.goBack()
  await getDrawer().getByText('three').first().waitFor()
  await page.goForward()
  await getDrawer().waitFor({ state: 'detached' })
})

const readFocus = () => page.evaluate(() => document.activeElement?.textContent)

test('the window asks before it discards input, and leaves an untouched form immediately', {
  tags: 'thorough',
}, async () => {
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'apple', metadata: { env: 'prod' } })
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' })
  const form = page.getByRole('complementary', { name: 'New token' })
  const expectQuestionStays = async () => {
    await question.waitFor()
    await waitFor(async () => expect(await readFocus()).toBe('Keep editing'))
    await pressKeys(page, 'Escape')
    await question.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Number').inputValue()).toBe(number)
    expect(page.url()).toContain('new=1')
  }
  await pressKeys(page, 'Control+2')
  await page.getByRole('row', { name: id }).waitFor()
  await pressKeys(page, 'n')
  await form.waitFor()
  await pressKeys(page, 'Escape')
  await form.waitFor({ state: 'detached' })
  await pressKeys(page, 'n')
  await page.getByLabel('Number').fill(number)
  await form.getByRole('button', { name: 'Create token' }).focus()
  await pressKeys(page, 'Escape')
  await expectQuestionStays()
  expect(await readFocus()).toBe('Create token')
  await pressKeys(page, 'Control+4')
  await waitFor(async () => expect(await readFocus()).toBe('Keep editing'))
  await page.mouse.click(5, 400)
  expect(await readFocus()).toBe('Keep editing')
  await pressKeys(page, 'Escape')
  await question.waitFor({ state: 'detached' })
  await page.goBack()
  await expectQuestionStays()
  await page.getByRole('link', { name: 'Home' }).dblclick()
  await expectQuestionStays()
  await page.getByRole('combobox', { name: /^Find by/ }).fill('apple')
  await expectQuestionStays()
  await vault.owner.tokens.create({ type: 'token', data: 'pear' })
  await page.getByText('2 tokens').waitFor()
  // The search is debounced by a timer in the page. Wait for a longer timer, which fires after it.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 350)))
  expect(await question.count()).toBe(0)
  await pressKeys(page, 'Control+k')
  await page.getByPlaceholder(/Search screens/).fill('playground')
  await pressKeys(page, 'Enter')
  await expectQuestionStays()
  await form.getByRole('button', { name: 'Close' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')

  await page.getByRole('row', { name: id }).click()
  await pressKeys(page, 'e')
  await page.getByRole('group', { name: 'Metadata' }).getByRole('textbox', { name: 'Value' }).fill('test')
  await page.getByRole('button', { name: 'Remove the pair' }).focus()
  await pressKeys(page, 'Enter')
  expect(await readFocus()).toBe('Add a pair')
  await pressKeys(page, 'n')
  expect(await question.count()).toBe(0)
  await pressKeys(page, 'Control+n')
  await question.waitFor()
  await pressKeys(page, 'Escape')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Token saved').waitFor()
  expect(await getDrawer().count()).toBe(1)
  await page.goBack()
  await getDrawer().waitFor({ state: 'detached' })
  expect(page.url()).toMatch(/#\/tokens$/)
})

test('repeated Escape or Save acts on a form once, and Back asks before it discards input', {
  tags: 'thorough',
}, async () => {
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'apple' })
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' })
  const edit = page.getByRole('complementary', { name: 'Edit token' })
  const expires = page.getByLabel('Expires')
  await page.goto(`${page.url()}#/tokens/${id}`)
  await getDrawer().waitFor()
  await pressKeys(page, 'e')
  await edit.waitFor()
  await page.evaluate(() => {
    for (let at = 0; at < 3; at++) window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
  })
  await getDrawer().waitFor()
  await pressKeys(page, 'e')
  await expires.fill('2099-01-01')
  await page.getByRole('button', { name: 'Save changes' }).dblclick()
  await getDrawer().waitFor()
  await page.getByRole('button', { name: 'Undo' }).dblclick()
  await page.getByText('Undone').waitFor()
  const { data } = await vault.owner.logs.list({ entity_type: 'token' })
  expect(data.filter(({ action }) => action === 'tokens.update')).toHaveLength(2)

  await pressKeys(page, 'e')
  const chooseMode = (mode: string) => edit.getByText(mode, { exact: true }).click()
  const patch = edit.getByLabel('application/merge-patch+json')
  await chooseMode('Merge patch')
  await patch.fill('{"expires_at":"2098-01-01","foo":1}')
  await chooseMode('Form')
  await edit.getByText('The form cannot show this change to foo.').waitFor()
  await patch.fill('{"expires_at":"2098-01-01"}')
  await chooseMode('Form')
  expect(await expires.inputValue()).toBe('2098-01-01')
  expect(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(
    false,
  )
  await page.evaluate(() => history.back())
  await question.waitFor()
  await page.evaluate(() => history.forward())
  await question.waitFor({ state: 'detached' })
  await pressKeys(page, 'Control+4')
  await question.waitFor()
  await pressKeys(page, 'Escape')
  await page.evaluate(() => history.back())
  await question.waitFor()
  await vault.owner.tokens.remove({ id })
  await question.getByRole('button', { name: 'Discard' }).click()
  await getDrawer().getByText('This token does not exist').waitFor()

  await page.setViewportSize({ width: 900, height: 600 })
  await pressKeys(page, 'n')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.locator('input:focus[aria-invalid=true]').waitFor()
  const form = page.getByRole('complementary', { name: 'New token' })
  const refusal = form.getByText('Enter a card number.')
  expect((await refusal.boundingBox())?.y).toBeLessThan(520)
  const chooseType = async (type: string) => {
    await form.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: type, exact: true }).click()
  }
  await chooseType('Bank account')
  await form.getByLabel('Routing number').waitFor()
  expect(await form.getByText(/^Enter a /).count()).toBe(0)
  await form.getByLabel('Routing number').fill('021000021')
  await chooseType('Card')
  await form.getByLabel('Number', { exact: true }).fill(number)
  const fold = form.getByText('ID, mask, expressions, expiry')
  await fold.click()
  await form.getByLabel('ID, or an expression for it').fill('bad/id')
  await fold.click()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.locator('input:focus[aria-invalid=true][value="bad/id"]').waitFor()
  await chooseType('Bank account')
  expect(await form.getByLabel('Routing number').inputValue()).toBe('021000021')
  await chooseType('Card')
  expect(await form.getByLabel('Number', { exact: true }).inputValue()).toBe(number)

  await pressKeys(page, 'Control+4')
  await question.getByRole('button', { name: 'Discard' }).click()
  await pressKeys(page, 'n')
  await page.getByRole('button', { name: /Backend/ }).click()
  await page.getByRole('button', { name: 'Create application' }).dblclick()
  await page.getByRole('button', { name: 'Copy key' }).click()
  await page.getByText('Copied. It will not be shown again.').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  const application = page.getByRole('complementary', { name: 'Application', exact: true })
  await application.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('button', { name: 'Create a new key' }).dblclick()
  await page.getByText('My programs have the new key').waitFor()
  const made = (await vault.owner.applications.list({})).data.filter(({ name }) => name.startsWith('Backend'))
  expect([made.length, (await vault.owner.stats.keys({})).length]).toEqual([2, 5])
  await page.getByRole('dialog').getByRole('button', { name: 'My programs' }).click()
  await pressKeys(page, 'Escape', 'e')
  await page.getByRole('complementary', { name: 'Edit application' }).waitFor()
  for (const each of made) await vault.owner.applications.remove({ id: each.id })
  await application.getByText('This application does not exist').waitFor()
})

test('L-08 drawer and results show changes by others, and an invalid query is explained', {
  tags: 'thorough',
}, async () => {
  const { id } = await vault.owner.tokens.create({
    type: 'token',
    data: 'apple',
    search_indexes: ['{{ data }}'],
    metadata: { env: 'prod' },
  })
  await pressKeys(page, 'Control+2')
  const search = page.getByRole('combobox', { name: /^Find by/ })
  await search.fill('apple')
  await page.getByRole('row', { name: id }).click()
  await getDrawer().getByRole('button', { name: 'prod' }).waitFor()
  await vault.owner.tokens.update({ id, metadata: { env: 'test' } })
  await getDrawer().getByRole('button', { name: 'test' }).waitFor()
  expect(await page.getByRole('row', { name: id }).count()).toBe(1)

  await search.fill('metadata.env:test AND container:/general/')
  await page.getByText('a value with slashes must be in double quotes').waitFor()
  await search.fill('metadata.env:test AND container:"/general/"')
  await page.getByRole('row', { name: id }).waitFor()
  await vault.owner.tokens.remove({ id })
  await getDrawer().getByText('This token does not exist').waitFor()
})

test('a screen that cannot be loaded says so, and the rest of the window works', {
  tags: 'thorough',
}, async () => {
  const cut = await openPageIn(vault, {}, /assets\/playground|dynamically imported|ERR_FAILED/)
  await cut.getByRole('navigation', { name: 'Screens' }).waitFor()
  await cut.route(/assets\/playground/, (route) => route.abort())
  await cut.keyboard.press('Control+9')
  await cut.getByRole('alert').getByText('Reload it').waitFor()
  await cut.keyboard.press('Control+2')
  await cut.getByText('No tokens yet').waitFor()
  await cut.unroute(/assets\/playground/)
  await cut.keyboard.press('Control+9')
  await cut.getByRole('button', { name: 'Reload' }).click()
  const expression = cut.getByLabel('Expression or mask')
  await expression.waitFor()

  // The discarded input can be restored.
  await expression.fill('{{ data }} typed')
  await cut.keyboard.press('Control+n')
  expect(await expression.inputValue()).toBe('')
  await cut.getByRole('button', { name: 'Undo' }).click()
  await cut.getByText('{{ data }} typed').waitFor()
  const sample = cut.getByLabel('Sample data')
  await sample.fill('typed data')
  await cut.getByRole('combobox', { name: 'Fill with test data for type' }).click()
  await cut.getByRole('option', { name: 'Card number' }).click()
  expect(await sample.inputValue()).toBe('"5555555555554444"')
  await cut.getByRole('button', { name: 'Undo' }).click()
  await waitFor(async () => expect(await sample.inputValue()).toBe('typed data'))
})

test('any logged request can be sent again as its original sender', { tags: 'thorough' }, async () => {
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x', mask: 'shown' })
  await vault.owner.tokens.get({ id })
  await vault.owner.tokens.update({ id, metadata: { a: 'b' } })
  await pressKeys(page, 'Control+8')
  await page.getByRole('row', { name: /tokens\.update/ }).click()
  const record = page.getByRole('complementary', { name: 'Record' })
  await record.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Body', { exact: true }).waitFor()
  expect(await page.getByRole('combobox', { name: /^id/ }).inputValue()).toBe(id)
  await page.getByLabel('Body').fill('{"metadata":{"a":"again"}}')
  await pressKeys(page, 'Control+8')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('region', { name: 'Response' }).getByText('"again"').waitFor()

  await pressKeys(page, 'Control+8')
  await page.getByText('Succeeded', { exact: true }).click()
  await pressKeys(page, 'n')
  await page.getByRole('combobox', { name: 'Operation' }).fill('create a token')
  await page.getByRole('option', { name: /^POST \/tokens / }).waitFor()
  expect(await page.getByRole('option', { name: 'GET /permissions' }).count()).toBe(0)
  await pressKeys(page, 'Escape')
  await page.getByRole('heading', { level: 1, name: 'Requests' }).click()
  await page.getByRole('combobox', { name: 'Operation' }).click()
  await page.keyboard.type('delete /tokens')
  await page.getByRole('option', { name: /^DELETE \/tokens\/\{id\} / }).waitFor()
  await pressKeys(page, 'Enter')
  await waitFor(async () =>
    // The method is shown beside the address.
    expect(await page.getByRole('combobox', { name: 'Operation' }).inputValue()).toBe('/tokens/{id}'),
  )
})

test('scrolling thousands of tokens renders few rows and repeats none', {
  tags: 'thorough',
}, async () => {
  for (let at = 0; at < 3; at++) {
    const tokens = Array.from({ length: 1000 }, (_, index) => ({
      id: `row-${at * 1000 + index}`,
      type: 'token',
      data: 'x',
    }))
    await vault.owner.tokens.createMany({ tokens })
  }
  await pressKeys(page, 'Control+2')
  await page.getByText('3,000 tokens').waitFor()
  const grid = page.getByRole('grid')
  const ids: string[] = []
  await grid.focus()
  for (let pages = 0; pages < 12; pages++) {
    await grid.evaluate(({ parentElement: box }) => box?.scrollBy(0, 80 * 32))
    await page.waitForFunction((before) => {
      const last =
        document.querySelector('.grid-row:not(.grid-waiting):last-of-type td:nth-child(2)')?.textContent ?? ''
      return last !== '' && last !== before
    }, ids.at(-1) ?? '')
    const rows = await page.locator('.grid-row').count()
    expect(rows).toBeLessThan(80)
    ids.push((await page.locator('.grid-row:not(.grid-waiting) td:nth-child(2)').last().textContent()) ?? '')
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(await grid.getAttribute('aria-rowcount')).toBe('3001')

  const problem = { title: 'Internal Server Error', status: 500, detail: 'It failed.' }
  await page.route(/console\/call$/, async (route) => {
    const { name, input } = route.request().postDataJSON()
    if (name === 'tokens.find' && input.backwards) await route.fulfill({ json: { ok: false, problem } })
    else await route.fallback()
  })
  const failure = page.getByText('These rows could not be loaded')
  await pressKeys(page, 'End')
  await failure.waitFor()
  await page.unroute(/console\/call$/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await failure.waitFor({ state: 'detached' })
  expect(await grid.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.getByRole('row', { name: 'row-0', exact: false }).first().waitFor()
})

test('a page that is not signed in says how to sign in', { tags: 'thorough' }, async () => {
  const createLaunchLink = () => vault.launchLink().replace(/#.*/, '')
  const stranger = await openPageIn({ launchLink: createLaunchLink }, {}, /status of 401/)
  await stranger.getByText(/not signed in/).waitFor()
})

test('X-12 the window says why the listener could not start, and offers the next port', {
  tags: 'thorough',
}, async () => {
  const other = await startWindow()
  onTestFinished(() => other.close())
  const state = await other.owner.host.listenerOn()
  const taken = state.state === 'on' ? state.port : 0
  await vault.owner.host.listenerOn({ port: taken })
  await page.getByRole('button', { name: 'Listener failed' }).click()
  await page.getByRole('menu').getByText(`Port ${taken} is taken`).waitFor()
  await page.getByRole('menuitem', { name: /instead/ }).click()
  await page
    .getByText(/^Listening/)
    .first()
    .waitFor()
})

test('the palette opens a token by its id', { tags: 'thorough' }, async () => {
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await pressKeys(page, 'Control+k')
  await page.getByPlaceholder(/Search screens/).fill(id)
  await pressKeys(page, 'Enter')
  await getDrawer().getByText(id).first().waitFor()
})
