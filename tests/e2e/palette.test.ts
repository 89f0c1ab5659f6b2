import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { openPageIn, openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page

beforeEach(async () => {
  const protection = { passphrase: 'correct horse battery' }
  const prepareVault = async ({ owner: { host } }: StartedWindow) => {
    await host.createVault({ name: 'other', protection })
    await host.createVault({ name: 'shop', protection, sample_data: true })
  }
  ;({ vault, page } = await openWindow({ prepareVault }))
})

const getSearchBox = () => page.getByPlaceholder(/Search screens/)
const listHits = () => page.locator('#palette-hits [data-action]').allInnerTexts()
const readFirstHit = async () => (await listHits())[0]?.split('\n')[0]

async function searchPalette(text: string): Promise<void> {
  if (!(await getSearchBox().isVisible())) await page.keyboard.press('Control+k')
  await getSearchBox().fill(text)
}

/** Runs the first result and waits for the palette to close. */
async function runFirst(): Promise<void> {
  await page.keyboard.press('Enter')
  await getSearchBox().waitFor({ state: 'hidden' })
}

test('the palette keeps its position while the user types', { tags: 'thorough' }, async () => {
  await searchPalette('')
  const tops = new Set<number>()
  for (const text of ['', 'h', 'ho', 'hom', 'home', 'zzzz', '']) {
    await getSearchBox().fill(text)
    const place = await getSearchBox().boundingBox()
    tops.add(Math.round(place?.y ?? 0))
  }
  expect([...tops]).toHaveLength(1)
})

test('the palette opens again immediately after Escape', async () => {
  // The page of the other tests has no animations.
  const moving = await openPageIn(vault)
  const search = moving.getByPlaceholder(/Search screens/)
  await moving.getByText(/in the vault/).waitFor()
  await moving.keyboard.press('Control+k')
  await search.fill('home')
  for (const key of ['Escape', 'Control+k']) await moving.keyboard.press(key)
  await moving.keyboard.type('lock')
  await expect.poll(() => search.inputValue()).toBe('lock')
})

test('the palette finds commands by synonyms, and offers no token that does not exist', {
  tags: 'thorough',
}, async () => {
  const expected: Record<string, string> = {
    backup: 'Back up now',
    'back up': 'Back up now',
    restore: 'Restore a backup…',
    'rotate backend': 'Rotate a key of Backend…',
    'rotate master': 'Change the master secret…',
    passphrase: 'Change vault protection…',
    'send a request': 'Send a request',
    'bank account': 'Tokens of type Bank account',
    export: 'Export tokens…',
    'new vault': 'New vault…',
    switch: 'Switch to vault other…',
    lock: 'Lock the vault',
    docs: 'API reference: start the listener first',
    pay: 'Payments',
    'view as pay': 'View as Payments',
  }
  await searchPalette('')
  for (const [typed, found] of Object.entries(expected)) {
    await getSearchBox().fill(typed)
    await waitFor(async () => expect([typed, await readFirstHit()]).toEqual([typed, found]))
    expect((await listHits()).filter((hit) => hit.startsWith('Open token'))).toEqual([])
  }
})

test('the palette opens an application, backs up, restores and switches vaults', {
  tags: 'thorough',
}, async () => {
  await searchPalette('Payments')
  await runFirst()
  await page
    .getByRole('complementary', { name: 'Application', exact: true })
    .getByText('Payments')
    .first()
    .waitFor()
  await searchPalette('back up')
  await runFirst()
  await page.getByText('Backed up').waitFor()
  expect((await vault.owner.host.listBackups({})).backups).toHaveLength(1)
  await searchPalette('restore')
  await runFirst()
  const restore = page.getByRole('dialog', { name: 'Restore a backup' })
  await restore.getByRole('combobox', { name: 'Backup' }).click()
  await page.getByRole('option', { name: 'Another file…' }).click()
  await restore.getByLabel('Backup file').fill('/somewhere')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard what you typed?' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await restore.getByLabel('Backup file').inputValue()).toBe('/somewhere')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await restore.waitFor({ state: 'detached' })
  await searchPalette('switch')
  await runFirst()
  await page.getByRole('dialog', { name: 'Open other' }).waitFor()
})

const readGroups = () =>
  page
    .locator('#palette-hits .mantine-Spotlight-actionsGroup')
    .evaluateAll((groups) => groups.map((each) => getComputedStyle(each, '::before').content).join())

test('the palette answers with tokens, refusals and results, without a trace of what was typed', async () => {
  const pan = '4242424242424242'
  const { owner } = vault
  const card = await owner.tokens.create({
    id: 'order-77',
    type: 'card',
    data: { number: pan, expiration_month: 12, expiration_year: 2040 },
    metadata: { customer: 'Zoe Quill' },
  })
  for (const text of ['zoe', card.id, '4242 4242 4242 4242']) {
    await searchPalette(text)
    await waitFor(async () => expect((await listHits()).join()).toContain('4242'))
    expect((await listHits()).join()).not.toContain(pan)
  }
  expect(await page.title()).not.toContain('4242')
  expect(await page.evaluate(() => location.href)).not.toContain('4242')
  await searchPalette('zoe')
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: 'Token', exact: true }).getByText(card.id).first().waitFor()
  await searchPalette('= "ada" | upcase')
  await waitFor(async () => expect(await readFirstHit()).toBe('ADA'))
  await searchPalette(`= {{ ${card.id} | json: "$.number" }}`)
  await waitFor(async () => expect((await listHits()).join()).toContain('4242'))
  expect((await listHits()).join()).not.toContain(pan)
  await searchPalette('key_local_pvt_abcdefghijklmnop1234')
  await page.getByText('This looks like an API key.').waitFor()
  await searchPalette('no such thing')
  await page.getByText('No matches. Metadata').waitFor()
  await searchPalette('')
  const recent = await listHits()
  expect(recent[0]).toContain('Zoe Quill')
  expect(recent.join()).not.toContain('ADA')
})

test('the palette lists nothing that an application may not see', async () => {
  await vault.owner.tokens.create({ id: 'hidden-77', type: 'token', data: 'x', containers: ['/hidden/'] })
  await searchPalette('hidden-77')
  await waitFor(async () => expect((await listHits()).join()).toContain('Token'))
  await searchPalette('> view as payments')
  await waitFor(async () => expect(await readFirstHit()).toBe('View as Payments'))
  await runFirst()
  await page.getByText('Return to owner view').waitFor()
  await searchPalette('hidden-77')
  await page.getByText('No matches. Metadata').waitFor()
})

test('`>` deletes after the usual question, and commands of an empty palette are next steps', async () => {
  await searchPalette('')
  await waitFor(async () => expect(await readGroups()).toContain('Next steps'))
  await searchPalette('> delete payments')
  await waitFor(async () => expect(await readFirstHit()).toBe('Delete Payments…'))
  await runFirst()
  const question = page.getByRole('dialog')
  await question.getByText('Payments').first().waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(await page.evaluate(() => location.hash)).not.toContain('remove')
  await vault.owner.tokens.create({ id: 'order-77', type: 'token', data: 'x' })
  await searchPalette('> delete order-77')
  await waitFor(async () => expect(await readFirstHit()).toContain('order-77'))
  expect(await readGroups()).toBe('"Delete"')
})

test('Ctrl+Enter opens what was found beside the open token', async () => {
  await page.setViewportSize({ width: 1920, height: 900 })
  const one = await vault.owner.tokens.create({ id: 'order-1x', type: 'token', data: 'x' })
  const other = await vault.owner.tokens.create({ id: 'order-2x', type: 'token', data: 'y' })
  await searchPalette(one.id)
  await waitFor(async () => expect((await listHits()).join()).toContain('order-1x'))
  await runFirst()
  const panels = page.getByRole('complementary', { name: /^Token(, pinned)?$/ })
  await panels.first().waitFor()
  await searchPalette(other.id)
  await waitFor(async () => expect((await listHits()).join()).toContain('order-2x'))
  await page.keyboard.press('Control+Enter')
  await waitFor(async () => expect(await panels.count()).toBe(2))
})

test('the palette offers the owner view only while viewing as an application', async () => {
  await searchPalette('owner')
  await waitFor(async () => expect(await listHits()).not.toContain('View as Owner'))
  await searchPalette('view as payments')
  await waitFor(async () => expect(await readFirstHit()).toBe('View as Payments'))
  await runFirst()
  await page.getByText('Return to owner view').waitFor()
  await searchPalette('view as')
  await waitFor(async () => expect(await listHits()).toContain('View as Owner'))
  expect(await listHits()).not.toContain('View as Payments')
})

test('what is typed while the palette is visible without the focus arrives in it', async () => {
  await page.evaluate(() => {
    const { focus } = HTMLElement.prototype
    HTMLElement.prototype.focus = function (options) {
      if (!this.closest('[role="dialog"]')) focus.call(this, options)
    }
  })
  await page.keyboard.press('Control+k')
  await getSearchBox().waitFor()
  await page.keyboard.type('lock')
  expect(await getSearchBox().inputValue()).toBe('lock')
  await page.reload()
})

test('what is typed before the palette is loaded arrives in it, and is no shortcut', async () => {
  let releaseCode = () => {}
  const isLoading = new Promise<void>((resolve) => {
    releaseCode = resolve
  })
  await page.route(/palette-[^/]*\.js$/, async (route) => {
    await isLoading
    await route.continue()
  })
  await page.reload()
  await page.getByRole('link', { name: /^Tokens/ }).click()
  await page.getByRole('button', { name: 'New token' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('n')
  releaseCode()
  await getSearchBox().and(page.locator(':focus')).waitFor()
  await page.keyboard.type('ew app')
  expect(await getSearchBox().inputValue()).toBe('new app')
  await waitFor(async () => expect(await readFirstHit()).toBe('New application'))
  expect(await page.evaluate(() => location.hash)).toBe('#/tokens')
  await page.keyboard.press('Escape')
  await getSearchBox().waitFor({ state: 'detached' })
  // The palette takes only what is typed while it opens.
  await page.keyboard.press('n')
  await page.getByRole('complementary', { name: 'New token' }).waitFor()
})
