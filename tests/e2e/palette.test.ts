import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { openWindow, type StartedWindow } from './window-fixture.ts'

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

test('the palette offers an existing token first, and reports an unknown full id', {
  tags: 'thorough',
}, async () => {
  const { id } = await vault.owner.tokens.create({ id: 'order-77', type: 'token', data: 'x' })
  await searchPalette(id)
  await waitFor(async () => expect(await readFirstHit()).toBe('Open token order-77'))
  await runFirst()
  await page.getByRole('complementary', { name: 'Token', exact: true }).getByText(id).first().waitFor()
  await searchPalette('order-7')
  await page
    .getByText('No token has exactly this ID. Paste the full ID of a token or a document to open it.')
    .waitFor()
  await searchPalette('5f0c1c1e-0000-4000-8000-000000000000')
  await page.getByText('No token or document has this ID.').waitFor()
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
