import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { waitForFoot } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const number = '4242424242424242'
let vault: StartedWindow
let page: Page

/** Opens the token list of a vault with 250 tokens in `/z/`. */
beforeEach(async () => {
  const prepareVault = async (window: StartedWindow) => {
    vault = window
    await vault.owner.host.createVault({ name: 'shop', protection: { memory: true } })
    await createTokens(250, { containers: ['/z/'], metadata: { batch: 'first' } })
  }
  page = (await openWindow({ prepareVault })).page
  await page.keyboard.press('Control+2')
  await waitForFoot(page, '250 tokens')
  // Tokens are sorted by container first, so new ones may appear anywhere.
  await goTo(page, '#/tokens?sort=container')
  await waitForFoot(page, '250 tokens')
})

const createTokens = (count: number, more: object) =>
  vault.owner.tokens.createMany({
    tokens: Array.from({ length: count }, () => ({ type: 'token', data: 'x', ...more })),
  })
const getNewButton = (text: string) => page.getByRole('button', { name: text, exact: true })

test('new tokens out of view are announced by a button that scrolls to them', {
  tags: 'thorough',
}, async () => {
  const near = await vault.owner.tokens.create({ type: 'token', data: 'x', containers: ['/zz/'] })
  await page.getByRole('row', { name: near.id }).waitFor()
  expect(await page.locator('.tokens-news button').count()).toBe(0)

  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number } })
  await getNewButton('1 new').waitFor()
  await waitForFoot(page, '252 tokens')
  expect(await page.getByRole('row', { name: id }).count()).toBe(0)
  const other = await vault.owner.tokens.create({ type: 'card_number', data: number })
  await getNewButton('2 new').click()
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText(other.id).first().waitFor()
  await getNewButton('1 new').waitFor()
  await vault.owner.tokens.remove({ id })
  await page.locator('.tokens-news button').waitFor({ state: 'detached' })

  await page.keyboard.press('Escape')
  await page.getByRole('grid').focus()
  await page.keyboard.press('PageDown')
  await page.keyboard.press('End')
  const above = await vault.owner.tokens.create({ type: 'token', data: 'x', containers: ['/zz/'] })
  await getNewButton('1 new').click()
  await page.getByRole('row', { name: above.id }).waitFor()
  await page.locator('.tokens-news button').waitFor({ state: 'detached' })
})

test('counts match the vault under every filter, also after changes', {
  tags: 'thorough',
}, async () => {
  await createTokens(120, { containers: ['/pci/'], metadata: { batch: 'second' } })
  await waitForFoot(page, '370 tokens')
  await vault.owner.tokens.remove({ id: (await vault.owner.tokens.list()).data[0]?.id ?? '' })
  await waitForFoot(page, '369 tokens')
  const counts = [
    ['container=/pci/', '120 tokens'],
    ['metadata=batch%3Dsecond', '120 tokens'],
    ['metadata=batch%3Dfirst', '249 tokens'],
    ['q=type:token', '369 tokens'],
    ['type=card', '0 tokens'],
  ] as const
  for (const [filter, count] of pickSome(counts, 3)) {
    await goTo(page, `#/tokens?${filter}`)
    await waitForFoot(page, count)
  }
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number } })
  await waitForFoot(page, '1 token')
  await vault.owner.tokens.remove({ id })
  await waitForFoot(page, '0 tokens')
})

test('suggestions become chips, Backspace removes them, and a search is saved', async () => {
  const gold = { containers: ['/pci/'], metadata: { 'Customer ID': 'Cus_1076', plan: 'gold' } }
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number }, ...gold })
  await vault.owner.tokens.create({ type: 'card', data: { number: '5555555555554444' }, ...gold })
  await waitForFoot(page, '252 tokens')
  const search = page.getByRole('combobox', { name: /^Find by/ })
  const listChips = () => page.locator('.filter-field-chip .clip').allTextContents()
  await page.keyboard.press('/')
  await search.pressSequentially('cus_10')
  await waitForFoot(page, '2 tokens')
  await page.getByRole('option', { name: 'Customer ID: Cus_1076' }).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await search.getAttribute('aria-activedescendant')).toBeTruthy()
  await page.keyboard.press('Enter')
  await waitFor(async () => expect(await listChips()).toEqual(['Customer ID: Cus_1076']))
  await search.pressSequentially('4242')
  await waitForFoot(page, '1 token')
  await page.getByRole('option', { name: 'Last four' }).click()
  await waitFor(async () => expect(await listChips()).toEqual(['4242', 'Customer ID: Cus_1076']))
  await page.getByRole('row', { name: id }).waitFor()
  expect(page.url()).toContain('last4=4242')

  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByLabel('Save this filter as').fill('Ada')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Rename Ada' }).waitFor()
  await page.keyboard.press('Escape')
  await search.focus()
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await waitForFoot(page, '252 tokens')
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: 'Ada', exact: true }).click()
  await waitForFoot(page, '1 token')
  await page.getByRole('row', { name: id }).waitFor()
})

test('a filtered and sorted list and its count follow changes of tokens', {
  tags: 'thorough',
}, async () => {
  const gold = { containers: ['/pci/'], metadata: { plan: 'gold' } }
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number }, ...gold })
  await goTo(page, '#/tokens?metadata=plan%3Dgold&last4=4242')
  await waitForFoot(page, '1 token')
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByLabel('Save this filter as').fill('Ada')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Rename Ada' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Columns and order' }).press('Enter')
  await page.getByRole('radio', { name: 'newest first', exact: true }).press('Space')
  await page.keyboard.press('Escape')
  const more = await vault.owner.tokens.create({ type: 'card', data: { number }, ...gold })
  await waitForFoot(page, '2 tokens')
  await waitFor(async () => {
    expect(await page.getByRole('row').nth(1).textContent()).toContain(more.id)
  })
  await vault.owner.tokens.remove({ id: more.id })
  await waitForFoot(page, '1 token')
  await vault.owner.tokens.remove({ id })
  await page.getByText('No matching tokens').waitFor()
  await page.getByRole('button', { name: 'Remove the last filter' }).click()
  await page.getByText('No matching tokens').waitFor()
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: 'Delete Ada' }).click()
  await page.getByText('Deleted the filter Ada').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await waitFor(async () => expect((await vault.owner.tokens.savedSearches()).data).toHaveLength(1))
})

test('L-08 a search shows and counts tokens that start to match it', { tags: 'thorough' }, async () => {
  await goTo(page, '#/tokens?q=type:card')
  await page.getByText('No matching tokens').waitFor()
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number } })
  await page.getByRole('row', { name: id }).waitFor()
  await waitForFoot(page, '1 token')
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await vault.owner.tokens.remove({ id })
  await waitForFoot(page, '0 tokens')
})

test('an unknown count is hidden, and a known one follows changes', { tags: 'thorough' }, async () => {
  const batch = { metadata: { batch: 'many' } }
  for (let batches = 0; batches < 5; batches++) await createTokens(1000, batch)
  await createTokens(1, batch)
  await goTo(page, '#/tokens?metadata=batch%3Dmany')
  await waitForFoot(page, '5,001 tokens')
  await createTokens(1, batch)
  await waitForFoot(page, '5,002 tokens')
  // The API returns no count to a key.
  await vault.owner.applications.create({ name: 'Desk', type: 'private', permissions: ['token:read'] })
  await page.getByRole('button', { name: /Viewing as/ }).click()
  await page.getByRole('menuitem', { name: 'Desk' }).click()
  await waitForFoot(page, '100+ tokens, more as you scroll')
})

test('T-14 an expired token leaves the list and the drawer immediately', { tags: 'thorough' }, async () => {
  const token = { type: 'token', data: 'x', mask: 'soon gone', containers: ['/zz/'] }
  const { id } = await vault.owner.tokens.create(token)
  const row = page.getByRole('row', { name: id })
  await row.click()
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText('soon gone').first().waitFor()
  await vault.owner.tokens.update({ id, expires_at: new Date(Date.now() + 1000).toISOString() })
  await drawer.getByText('This token does not exist or has expired.').waitFor()
  await row.waitFor({ state: 'detached' })
  await waitForFoot(page, '250 tokens')
  expect(await drawer.getByText('soon gone').count()).toBe(0)
  await page.keyboard.press('Backspace')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('T-15 a revealed card is hidden when its cvc is deleted', { tags: 'thorough' }, async () => {
  const card = { number, cvc: '123' }
  const { id } = await vault.owner.tokens.create({ type: 'card', data: card, containers: ['/zz/'] })
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await page.getByRole('row', { name: id }).click()
  await page.keyboard.press('r')
  await drawer.getByText('123', { exact: true }).waitFor()
  await drawer.getByRole('timer').waitFor()
  await vault.owner.tenants.update({
    name: 'shop',
    settings: { cvc_retention_seconds: '1' },
  })
  await waitFor(async () => {
    await vault.host.getEngine()?.sweeper.sweep()
    const { data } = await vault.owner.logs.list({ entity_id: id })
    expect(data.map(({ action }) => action)).toContain('tokens.expireCvc')
  })
  await drawer.getByRole('timer').waitFor({ state: 'detached' })
  expect(await drawer.getByText('123', { exact: true }).count()).toBe(0)
})

test('a container path does not wrap in a row, but wraps in a panel', async () => {
  const path = '/one-long-container/and-another-one/and-a-third-one/the-fourth/'
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x', containers: [path] })
  await goTo(page, `#/tokens/${id}`)
  const readHeight = (place: string) =>
    page
      .locator(`${place} .crumbs`, { hasText: 'one-long-container' })
      .first()
      .evaluate((crumbs) => crumbs.getBoundingClientRect().height)
  const line = await readHeight('.grid-row')
  expect(line).toBeLessThan(30)
  expect(await readHeight('.panel')).toBeGreaterThan(line * 1.5)
})

test('dragging across a row selects its whole text, and does not open the row', async () => {
  const { id } = await vault.owner.tokens.create({
    type: 'card',
    data: { number, expiration_month: 12, expiration_year: 2040 },
    containers: ['/zz/b/', '/c/'],
    metadata: { order: '1', shop: 'x' },
  })
  const row = page.getByRole('row', { name: id })
  await row.waitFor()
  expect(await row.ariaSnapshot()).not.toContain('Show tokens')
  const { x, y, width, height } = (await row.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const middle = y + height / 2
  await page.mouse.move(x + 46, middle)
  await page.mouse.down()
  await page.mouse.move(x + width - 10, middle, { steps: 5 })
  await page.mouse.up()
  const text = await page.evaluate(() => getSelection()?.toString() ?? '')
  expect(
    text
      .split('\n')
      .slice(0, 5)
      .map((line) => line.trim()),
  ).toEqual([id, 'Card', 'XXXXXXXXXXXX4242 12/2040', '/zz/b/ +1', 'order 1 shop x'])
  expect(page.url()).not.toContain(id)
  // The first click ends the selection.
  for (let at = 0; at < 2; at++) await row.click()
  await page.waitForURL(`**/tokens/${id}*`)
})
