import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { pressKeys } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page
let id: string

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
const getEditor = () => page.getByRole('complementary', { name: 'Edit application' })
const getCell = (action: string, container: string, outcome = '') =>
  getEditor().getByRole('button', { name: new RegExp(`^${action} in ${container}: ${outcome}`) })
const getLine = (container: string) =>
  getEditor().locator('.rules-line-button').filter({ hasText: container })
const readRules = async () =>
  (await vault.owner.applications.get({ id })).rules.map(
    ({ container, transform, permissions }) => `${container} ${transform} ${permissions.join(' ')}`,
  )

/** Opens the rules of an application that has read one of two cards twice, and has failed to delete it. */
beforeEach(async () => {
  ;({ vault, page } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const { url } = await owner.host
        .listenerOn({ port: 0 })
        .then((listener) => (listener.state === 'on' ? listener : { url: '' }))
      const created = await owner.applications.create({
        name: 'Payments',
        type: 'private',
        rules: [
          { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] },
          { priority: 2, container: '/', transform: 'mask', permissions: ['token:read', 'token:search'] },
        ],
      })
      id = created.id
      const token = await owner.tokens.create({ type: 'card', data: card })
      await owner.tokens.create({ type: 'token', data: 'free', containers: ['/general/'] })
      const sendRequest = (method: string) =>
        fetch(`${url}/tokens/${token.id}`, { method, headers: { 'SVC-API-KEY': created.key ?? '' } })
      const statuses = [await sendRequest('GET'), await sendRequest('GET'), await sendRequest('DELETE')].map(
        ({ status }) => status,
      )
      expect(statuses).toEqual([200, 200, 403])
    },
  }))
  await goTo(page, `#/applications/${id}?edit=1`)
  await getCell('read', '/pci/', 'plaintext').waitFor()
})

test('P-05 the matrix shows what pending rules change, and the log what they would have refused', async () => {
  await getEditor()
    .getByText(/^Of 3 permission checks from/)
    .waitFor()
  await getEditor().getByText('all would have had the same result').waitFor()
  // Two rules can change in the same way.
  for (let at = 0; at < 2; at++) await getEditor().getByText('Add a rule').click()
  const added = page.locator('.rules-changes li').filter({ hasText: 'New rule on' })
  await added.nth(1).waitFor()
  for (let at = 0; at < 2; at++) await getEditor().getByRole('button', { name: 'Undo' }).click()
  await added.first().waitFor({ state: 'detached' })
  await getLine('/pci/').click()
  await getEditor().locator('label').filter({ hasText: 'masked' }).click()
  await getEditor().getByText('2 would have shown other data').waitFor()
  await getCell('read', '/pci/', 'masked decided by rule 1 was plaintext').waitFor()
  await getEditor().getByText('/pci/ returns masked').waitFor()
  // The engine decides by the first rule that grants, so another one still allows reading.
  await getEditor().getByRole('group', { name: 'Rule 1' }).getByRole('button', { name: 'Remove' }).click()
  await getEditor()
    .getByText(/cells change/)
    .waitFor()
  await getEditor().getByRole('group', { name: 'Rule 1' }).getByRole('button', { name: 'Remove' }).click()
  await getEditor().getByText('Add a rule').click()
  await getEditor().getByRole('combobox', { name: 'Container' }).fill('/general/')
  await getEditor().getByText('2 would have been refused').waitFor()
  await getEditor()
    .getByText(/^2 × tokens\.get/)
    .waitFor()
  // One rule is open at a time, and each change can be undone, the typed text as one.
  for (let at = 0; at < 5; at++) await getEditor().getByRole('button', { name: 'Undo' }).click()
  await getEditor().getByRole('button', { name: 'Undo' }).and(page.locator(':disabled')).waitFor()
  await getEditor().getByRole('button', { name: 'Save changes' }).and(page.locator(':disabled')).waitFor()
  expect(await readRules()).toEqual(['/pci/ reveal token:read token:use', '/ mask token:read token:search'])
})

test('the container of a new rule is typed at once', async () => {
  await getEditor().getByText('Add a rule').click()
  await page.keyboard.type('/general/')
  await page.keyboard.press('Escape')
  await getLine('/general/').waitFor()
  await page.locator('.rules-changes li').filter({ hasText: 'New rule on /general/' }).waitFor()
})

test('in a narrow window with many containers, the editor ends where its content ends', async () => {
  for (let at = 0; at < 30; at++)
    await vault.owner.tokens.create({ type: 'token', data: `${at}`, containers: [`/c${at}/`] })
  await page.setViewportSize({ width: 900, height: 800 })
  await getCell('read', '/c20/').waitFor()
  await getLine('/pci/').hover()
  await page.mouse.wheel(0, 20_000)
  const isInView = (box: { y: number; height: number } | null) =>
    box !== null && box.y >= 0 && box.y + box.height <= 800
  expect(isInView(await getEditor().getByRole('heading', { name: 'Access' }).boundingBox())).toBe(true)
})

test('rules are put in order by dragging and by keys, and the new order is announced', async () => {
  await getLine('/pci/').focus()
  await pressKeys(page, 'Alt+ArrowDown')
  await getEditor().getByText('The rule on /pci/ is now 2 of 2.').waitFor()
  await getLine('/pci/').and(page.locator(':focus')).waitFor()
  await getCell('read', '/pci/', 'masked').waitFor()
  await pressKeys(page, 'Enter')
  await getEditor().getByRole('combobox', { name: 'Container' }).waitFor()
  await getLine('/pci/').click()
  await getLine('/pci/').dragTo(getEditor().getByRole('group', { name: 'Rule 1' }))
  await getEditor().getByText('The rule on /pci/ is now 1 of 2.').waitFor()
  await getCell('read', '/pci/', 'plaintext').waitFor()
  await pressKeys(page, 'Control+z')
  await getCell('read', '/pci/', 'masked').waitFor()
  await getEditor().getByText('Rules in another order').waitFor()
  await getEditor().getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Application saved').waitFor()
  expect(await readRules()).toEqual(['/ mask token:read token:search', '/pci/ reveal token:read token:use'])
})

test('a rule that keys move out of view is scrolled into view', async () => {
  for (let at = 0; at < 20; at++) await getEditor().getByText('Add a rule').click()
  await getLine('/pci/').focus()
  for (let at = 1; at < 20; at++) await pressKeys(page, 'Alt+ArrowDown')
  await getEditor().getByText('The rule on /pci/ is now 20 of 22.').waitFor()
  const isVisible = () =>
    getLine('/pci/').evaluate((line) => {
      const { x, y, height } = line.getBoundingClientRect()
      return line.contains(document.elementFromPoint(x + 5, y + height / 2))
    })
  await expect.poll(isVisible).toBe(true)
})

test('the cells are one tab stop, and a selected cell shows its tokens', async () => {
  await getCell('create', '/').focus()
  await pressKeys(page, 'ArrowRight')
  await getCell('read', '/').and(page.locator(':focus[aria-pressed=true]')).waitFor()
  await getEditor().getByText('read in /', { exact: true }).waitFor()
  await pressKeys(page, 'ArrowDown')
  await getEditor().getByText('read in /general/', { exact: true }).waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.rules-example').length === 1)
  await pressKeys(page, 'Escape')
  await getEditor().getByText('read, in all containers').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.rules-example').length === 2)
})

test('rules are made from what the application used, no wider', async () => {
  await getEditor()
    .getByText(/^Of 3 permission checks from/)
    .waitFor()
  await getEditor().getByRole('button', { name: 'Make rules from what it used' }).click()
  await getEditor().getByText('1 rule, from 2 permission checks of the last 7 days.').waitFor()
  await getEditor().getByText('all would have had the same result').waitFor()
  await getEditor().getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Application saved').waitFor()
  expect(await readRules()).toEqual(['/pci/high/ reveal token:read'])
})

test('P-02 the editor of a public key says at once what it can never do', async () => {
  const { id: shop } = await vault.owner.applications.create({
    name: 'Page',
    type: 'public',
    permissions: ['token:create'],
  })
  await goTo(page, `#/applications/${shop}?edit=1`)
  await getEditor()
    .getByText(/it can never read, search, delete, or use a token/)
    .waitFor()
  await getCell('read', '/pci/high/', 'never').waitFor()
  await getEditor().getByRole('button', { name: 'Payments' }).click()
  await page
    .getByRole('complementary', { name: 'Application', exact: true })
    .getByText('Payments', { exact: true })
    .waitFor()
})
