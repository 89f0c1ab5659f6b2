import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { pressKeys } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

let page: Page

beforeEach(async () => {
  const prepareVault = async ({ owner }: StartedWindow) => {
    const { host, proxies, tokens } = owner
    await host.createVault({ name: 'shop', protection: { passphrase: 'correct horse battery' } })
    await tokens.create({ type: 'token', data: 'x' })
    for (const name of ['Third', 'Second', 'First']) {
      await proxies.create({ name, destination_url: 'https://echo.coffer.test' })
    }
  }
  ;({ page } = await openWindow({ prepareVault }))
})

/** Returns the role or tag of the focused element, and its name. */
const readFocus = () =>
  page.evaluate(() => {
    const element = document.activeElement
    const label =
      element?.getAttribute('aria-label') ?? (element as HTMLInputElement)?.labels?.[0]?.textContent
    const name = label ?? element?.textContent ?? ''
    return `${element?.getAttribute('role') ?? element?.tagName.toLowerCase()} ${name.replace(/[,*].*/, '').trim()}`
  })
const waitForFocus = (what: string) => waitFor(async () => expect(await readFocus()).toBe(what))
const readSelectedRow = () => page.locator('tr[aria-selected=true]').textContent()

test('screens, drawers, forms and dialogs take the focus and return it to the list', async () => {
  // A screen that opens takes the focus.
  await pressKeys(page, 'Control+5')
  await waitForFocus('main Proxies')
  await page.getByRole('row', { name: /First/ }).waitFor()
  // Opening and closing a drawer leaves the focus in the list.
  await pressKeys(page, 'ArrowDown', 'Enter')
  await page.getByRole('complementary', { name: 'Proxy' }).waitFor()
  await waitForFocus('grid Proxies')
  await pressKeys(page, 'ArrowDown')
  await page.getByRole('complementary', { name: 'Proxy' }).getByText('Second').first().waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await waitForFocus('grid Proxies')
  expect(await readSelectedRow()).toContain('Second')
  // A form focuses its first field. When it closes, the list has the focus, with the new item as the current row.
  await pressKeys(page, 'n')
  await waitForFocus('input Name')
  await pressKeys(page, 'Escape')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
  await waitForFocus('grid Proxies')
  await pressKeys(page, 'n')
  await waitForFocus('input Name')
  await page.keyboard.type('Another')
  await pressKeys(page, 'Tab')
  await page.keyboard.type('https://echo.coffer.test')
  await pressKeys(page, 'Enter')
  await page.getByRole('complementary', { name: 'Proxy' }).getByText('Another').first().waitFor()
  await waitForFocus('grid Proxies')
  expect(await readSelectedRow()).toContain('Another')
  // A dialog takes the focus and returns it; the row after a deleted one becomes current.
  await pressKeys(page, 'ArrowDown', 'Delete')
  await waitForFocus('input Type First to confirm')
  await pressKeys(page, 'Escape')
  await waitForFocus('grid Proxies')
  await pressKeys(page, 'Delete')
  await waitForFocus('input Type First to confirm')
  await page.keyboard.type('First')
  await pressKeys(page, 'Enter')
  await page.getByText('Deleted').first().waitFor()
  await waitForFocus('grid Proxies')
  await waitFor(async () => expect(await readSelectedRow()).toContain('Second'))
})

test('↓ and j enter the list of a screen from wherever the focus is', async () => {
  const active = page.locator('.grid-active')
  const all = [
    ['Control+2', 'Tokens', 'ArrowDown'],
    ['Control+2', 'Tokens', 'j'],
    ['Control+4', 'Applications', 'ArrowDown'],
    ['Control+4', 'Applications', 'j'],
    ['Control+5', 'Proxies', 'ArrowDown'],
    ['Control+5', 'Proxies', 'j'],
    ['Control+8', 'Requests', 'ArrowDown'],
    ['Control+8', 'Requests', 'j'],
  ] as const
  for (const [key, screen, enter] of pickSome(all, 2)) {
    await pressKeys(page, key)
    await page.getByRole('heading', { level: 1, name: screen }).waitFor()
    await page.reload()
    await page.locator('.grid-row[data-index]').first().waitFor()
    expect([screen, enter, await active.count()]).toEqual([screen, enter, 0])
    await pressKeys(page, enter)
    await active.waitFor()
    expect([screen, enter, (await readFocus()).slice(0, 4)]).toEqual([screen, enter, 'grid'])
    await pressKeys(page, 'Control+1')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await pressKeys(page, key)
    await page.locator('.grid-row[data-index]').first().waitFor()
    await pressKeys(page, enter)
    await active.waitFor()
  }
})

test('the palette, the shortcut list and searches restore the focus', { tags: 'thorough' }, async () => {
  await pressKeys(page, 'Control+5')
  await page.getByRole('row', { name: /First/ }).waitFor()
  await pressKeys(page, 'ArrowDown')
  await waitForFocus('grid Proxies')
  // The palette and the list of shortcuts take the focus and return it.
  await pressKeys(page, 'Control+k')
  await waitForFocus('input Search screens')
  await pressKeys(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await waitForFocus('grid Proxies')
  await pressKeys(page, '?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  // The list shows keys by the names that are printed on keyboards.
  for (const name of ['Space', 'Tab', 'Esc'])
    await page.getByRole('dialog').locator('kbd').getByText(name, { exact: true }).first().waitFor()
  await pressKeys(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await waitForFocus('grid Proxies')
  // A search moves the focus to its results; Escape clears the search first.
  await pressKeys(page, '/')
  await waitForFocus('input Search name')
  await page.keyboard.type('thi')
  await waitFor(async () => expect(await page.locator('.grid-row').count()).toBe(1))
  await pressKeys(page, 'ArrowDown')
  await waitForFocus('grid Proxies')
  expect(await readSelectedRow()).toContain('Third')
  await pressKeys(page, '/', 'Escape')
  await waitFor(async () => expect(await page.locator('.grid-row').count()).toBe(3))
  await waitForFocus('input Search name')
  await pressKeys(page, 'Escape')
  await waitForFocus('grid Proxies')
  // The search of tokens clears and returns the focus in the same way.
  await pressKeys(page, 'Control+2')
  await page.locator('.grid-row[data-index]').first().waitFor()
  const search = page.getByRole('combobox', { name: /^Find by/ })
  await pressKeys(page, '/')
  await page.keyboard.type('nothing has this')
  await waitFor(async () => expect(await page.locator('.grid-row[data-index]').count()).toBe(0))
  await pressKeys(page, 'Escape')
  expect(await search.inputValue()).toBe('')
  await page.locator('.grid-row[data-index]').first().waitFor()
  await pressKeys(page, 'Escape')
  await waitForFocus('grid Tokens')
})

test('a palette command moves the focus to its result or returns it', { tags: 'thorough' }, async () => {
  const runFromPalette = async (typed: string, first: string) => {
    await pressKeys(page, 'Control+k')
    await waitForFocus('input Search screens')
    await page.keyboard.type(typed)
    await page.locator('#palette-hits [data-action]').first().getByText(first).waitFor()
    await pressKeys(page, 'Enter')
  }
  const waitForClosedPalette = () => page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
  await goTo(page, '#/proxies')
  await page.getByRole('row', { name: /First/ }).waitFor()
  await pressKeys(page, 'ArrowDown')
  await waitForFocus('grid Proxies')
  // A command that opens nothing returns the focus.
  await runFromPalette('light', 'Light')
  await waitForClosedPalette()
  await waitForFocus('grid Proxies')
  await runFromPalette('new proxy', 'New proxy')
  await waitForClosedPalette()
  await waitForFocus('input Name')
  await pressKeys(page, 'Escape')
  await waitForFocus('grid Proxies')
  await runFromPalette('export', 'Export tokens')
  await waitForClosedPalette()
  await waitForFocus('button Export masked')
  await runFromPalette('import', 'Import tokens')
  await waitForClosedPalette()
  await waitForFocus('button Choose a file…')
  expect(new URL(page.url()).hash).toBe('#/settings/transfer')
})

test('single-key shortcuts do nothing while a form is open', { tags: 'thorough' }, async () => {
  await goTo(page, '#/proxies?new=1')
  await page.locator('input:focus').waitFor()
  await page.getByRole('button', { name: 'Create proxy' }).focus()
  await pressKeys(page, 'n', 'e', 'c', 'r', '/', 'Delete', 'Backspace')
  await page.getByRole('checkbox').first().focus()
  await pressKeys(page, 'n', 'e', 'c', 'r', '/', 'Delete', 'Backspace')
  expect(new URL(page.url()).hash).toBe('#/proxies?new=1')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.locator('.mantine-Notification-root').count()).toBe(0)
  expect(await page.getByRole('complementary', { name: 'New proxy' }).count()).toBe(1)
})

/** Lets requests for a URL wait until the returned function is called. */
async function holdRequests(url: RegExp, isHeld: (body: string | null) => boolean = () => true) {
  const released = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (isHeld(route.request().postData())) await released.promise
    await route.continue()
  })
  return released.resolve
}

test('a search typed before its screen or its list has loaded arrives in the field', async () => {
  const releaseScreen = await holdRequests(/\/tokens-[^/]*\.js$/)
  const releaseList = await holdRequests(/\/call$/, (body) => body?.includes('"proxies.list"') === true)
  await page.goto(page.url().replace(/#.*/, '#/home'))
  await page.reload()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await pressKeys(page, 'Control+2', '/')
  await page.keyboard.type('Gn')
  releaseScreen()
  const tokenSearch = page.getByRole('combobox', { name: /^Find by/ })
  await tokenSearch.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('!')
  expect(await tokenSearch.inputValue()).toBe('Gn!')

  await pressKeys(page, 'Control+5', '/')
  await page.keyboard.type('thx')
  await pressKeys(page, 'Backspace')
  releaseList()
  await waitForFocus('input Search name')
  await page.keyboard.type('i')
  await waitFor(async () => expect(await page.locator('.grid-row[data-index]').count()).toBe(1))
  // A screen without a search drops the text.
  await pressKeys(page, 'Control+1')
  await waitForFocus('main Home')
})

test('Try it takes the focus, and Ctrl+Enter sends from anywhere in it', async () => {
  await goTo(page, '#/proxies')
  await page.getByRole('row', { name: /First/ }).click()
  await page.getByRole('complementary', { name: 'Proxy' }).getByRole('button', { name: 'Try it' }).click()
  await waitForFocus('input Path')
  await page.keyboard.type('/typed')
  await pressKeys(page, 'Control+Enter')
  await page.getByText('This call needs an application key').waitFor()
  // By keyboard, the choice of the view keeps the focus.
  await page.getByRole('radio', { name: 'Proxies' }).focus()
  await pressKeys(page, 'ArrowRight')
  await page.getByRole('form', { name: 'Try it' }).waitFor()
  await waitForFocus('input Try it')
})

test('the focus stays on a button whose action fails', async () => {
  await page.route('**/_coffer/console/call', async (route) => {
    const { name } = route.request().postDataJSON() as { name: string }
    if (name !== 'proxies.create') return route.continue()
    const problem = { code: 'unavailable', status: 503, title: 'Unavailable', detail: 'The disk is full.' }
    await route.fulfill({ json: { ok: false, problem } })
  })
  await goTo(page, '#/proxies?new=1')
  await waitForFocus('input Name')
  await page.keyboard.type('Another')
  await pressKeys(page, 'Tab')
  await page.keyboard.type('https://echo.coffer.test')
  await page.getByRole('button', { name: 'Create proxy' }).click()
  await page.getByRole('alert').getByText('The disk is full.').waitFor()
  await waitForFocus('button Create proxy')
})

test('Ctrl+S saves the form with the focus, and is in the list of shortcuts', async () => {
  await goTo(page, '#/proxies')
  await page.getByRole('row', { name: /First/ }).click()
  await pressKeys(page, 'e')
  await waitForFocus('input Name')
  await page.keyboard.type(' of all')
  await pressKeys(page, 'Control+s')
  await page.getByRole('row', { name: /First of all/ }).waitFor()

  await goTo(page, '#/applications')
  await page.getByRole('row').nth(1).click()
  await pressKeys(page, 'e')
  await waitForFocus('input Name')
  await page.keyboard.type(' renamed')
  await pressKeys(page, 'Control+s')
  await page.getByRole('row', { name: / renamed/ }).waitFor()
  await pressKeys(page, '?')
  await page.getByRole('dialog').getByText('Save the form').waitFor()
  const move = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Next and previous row' })
  expect(await move.locator('kbd').allInnerTexts()).toEqual(['↓', '↑', 'J', 'K'])
})
