import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

let page: Page

beforeEach(async () => {
  const prepare = async ({ owner }: StartedWindow) => {
    const { host, proxies, tokens } = owner
    await host.createVault({ name: 'shop', protection: { passphrase: 'correct horse battery' } })
    await tokens.create({ type: 'token', data: 'x' })
    for (const name of ['Third', 'Second', 'First']) {
      await proxies.create({ name, destination_url: 'https://echo.coffer.test' })
    }
  }
  ;({ page } = await openWindow({ prepare }))
})

/** Returns the role or tag of the focused element, and its name. */
const focused = () =>
  page.evaluate(() => {
    const element = document.activeElement
    const label =
      element?.getAttribute('aria-label') ?? (element as HTMLInputElement)?.labels?.[0]?.textContent
    const name = label ?? element?.textContent ?? ''
    return `${element?.getAttribute('role') ?? element?.tagName.toLowerCase()} ${name.replace(/[,*].*/, '').trim()}`
  })
const hasFocus = (what: string) => waitFor(async () => expect(await focused()).toBe(what))
const press = (...keys: string[]) =>
  keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
const selected = () => page.locator('tr[aria-selected=true]').textContent()

test('each action sets the focus to where the user continues', async () => {
  // A screen that opens takes the focus.
  await press('Control+5')
  await hasFocus('main Proxies')
  await page.getByRole('row', { name: /First/ }).waitFor()
  // Opening and closing a drawer leaves the focus in the list.
  await press('ArrowDown', 'Enter')
  await page.getByRole('complementary', { name: 'Proxy' }).waitFor()
  await hasFocus('grid Proxies')
  await press('ArrowDown')
  await page.getByRole('complementary', { name: 'Proxy' }).getByText('Second').first().waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await hasFocus('grid Proxies')
  expect(await selected()).toContain('Second')
  // A form focuses its first field. When it closes, the list has the focus, with the new item as the current row.
  await press('n')
  await hasFocus('input Name')
  await press('Escape')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
  await hasFocus('grid Proxies')
  await press('n')
  await hasFocus('input Name')
  await page.keyboard.type('Another')
  await press('Tab')
  await page.keyboard.type('https://echo.coffer.test')
  await press('Enter')
  await page.getByRole('complementary', { name: 'Proxy' }).getByText('Another').first().waitFor()
  await hasFocus('grid Proxies')
  expect(await selected()).toContain('Another')
  // A dialog takes the focus and returns it; the row after a deleted one becomes current.
  await press('ArrowDown', 'Delete')
  await hasFocus('input Type First to confirm')
  await press('Escape')
  await hasFocus('grid Proxies')
  await press('Delete')
  await hasFocus('input Type First to confirm')
  await page.keyboard.type('First')
  await press('Enter')
  await page.getByText('Deleted').first().waitFor()
  await hasFocus('grid Proxies')
  await waitFor(async () => expect(await selected()).toContain('Second'))
})

test('the palette, the shortcut list and searches restore the focus', { tags: 'thorough' }, async () => {
  await press('Control+5')
  await page.getByRole('row', { name: /First/ }).waitFor()
  await press('ArrowDown')
  await hasFocus('grid Proxies')
  // The palette and the list of shortcuts take the focus and return it.
  await press('Control+k')
  await hasFocus('input Search screens')
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await hasFocus('grid Proxies')
  await press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  // The list shows keys by the names that are printed on keyboards.
  for (const name of ['Space', 'Tab', 'Esc'])
    await page.getByRole('dialog').locator('kbd').getByText(name, { exact: true }).first().waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await hasFocus('grid Proxies')
  // A search moves the focus to its results; Escape clears the search first.
  await press('/')
  await hasFocus('input Search name')
  await page.keyboard.type('thi')
  await waitFor(async () => expect(await page.locator('.grid-row').count()).toBe(1))
  await press('ArrowDown')
  await hasFocus('grid Proxies')
  expect(await selected()).toContain('Third')
  await press('/', 'Escape')
  await waitFor(async () => expect(await page.locator('.grid-row').count()).toBe(3))
  await hasFocus('input Search name')
  await press('Escape')
  await hasFocus('grid Proxies')
  // The search of tokens clears and returns the focus in the same way.
  await press('Control+2')
  await page.locator('.grid-row[data-index]').first().waitFor()
  const search = page.getByRole('combobox', { name: /^Find by/ })
  await press('/')
  await page.keyboard.type('nothing has this')
  await waitFor(async () => expect(await page.locator('.grid-row[data-index]').count()).toBe(0))
  await press('Escape')
  expect(await search.inputValue()).toBe('')
  await page.locator('.grid-row[data-index]').first().waitFor()
  await press('Escape')
  await hasFocus('grid Tokens')
})

test('a palette command moves the focus to its result or returns it', { tags: 'thorough' }, async () => {
  const run = async (typed: string, first: string) => {
    await press('Control+k')
    await hasFocus('input Search screens')
    await page.keyboard.type(typed)
    await page.locator('#palette-hits [data-action]').first().getByText(first).waitFor()
    await press('Enter')
  }
  const isClosed = () => page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
  await goTo(page, '#/proxies')
  await page.getByRole('row', { name: /First/ }).waitFor()
  await press('ArrowDown')
  await hasFocus('grid Proxies')
  // A command that opens nothing returns the focus.
  await run('light', 'Light')
  await isClosed()
  await hasFocus('grid Proxies')
  await run('new proxy', 'New proxy')
  await isClosed()
  await hasFocus('input Name')
  await press('Escape')
  await hasFocus('grid Proxies')
  await run('export', 'Export tokens')
  await isClosed()
  await hasFocus('button Export masked')
  await run('import', 'Import tokens')
  await isClosed()
  await hasFocus('button Choose a file…')
  expect(new URL(page.url()).hash).toBe('#/settings/transfer')
})

test('single-key shortcuts do nothing while a form is open', { tags: 'thorough' }, async () => {
  await goTo(page, '#/proxies?new=1')
  await page.locator('input:focus').waitFor()
  await page.getByRole('button', { name: 'Create proxy' }).focus()
  await press('n', 'e', 'c', 'r', '/', 'Delete', 'Backspace')
  await page.getByRole('checkbox').first().focus()
  await press('n', 'e', 'c', 'r', '/', 'Delete', 'Backspace')
  expect(new URL(page.url()).hash).toBe('#/proxies?new=1')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.locator('.mantine-Notification-root').count()).toBe(0)
  expect(await page.getByRole('complementary', { name: 'New proxy' }).count()).toBe(1)
})
