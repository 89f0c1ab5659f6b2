import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { goTo, openWindow } from './window-fixture.ts'

/** Creates ten cards in `/new/`, and the given number in `/old/`. */
const createCards = (old: number) =>
  Array.from({ length: old + 10 }, (_, at) => ({
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 },
    metadata: { customer: `c-${at}` },
    containers: [at < old ? '/old/' : '/new/'],
  }))

async function openDemo(undoMs: number, old = 2) {
  const { vault, page } = await openWindow({
    undoMs,
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'demo', protection: { memory: true } } as never)
      await owner.tokens.createMany({ tokens: createCards(old) } as never)
    },
  })
  await goTo(page, '#/tokens')
  const rows = page.locator('.grid-row[data-index]')
  await rows.nth(5).waitFor()
  const countTokens = async () => (await vault.owner.tenants.getUsageReport()).total_tokens
  return { vault, page, rows, countTokens }
}

/** Collects what a screen reader announces: all text that appears in a status element that already exists. */
async function collectAnnouncements(page: Page): Promise<() => Promise<string[]>> {
  const announcedTexts = await page.evaluateHandle(() => {
    const texts: string[] = []
    for (const region of document.querySelectorAll('[role="status"]')) {
      const recordText = () => texts.push(region.textContent ?? '')
      new MutationObserver(recordText).observe(region, {
        characterData: true,
        childList: true,
        subtree: true,
      })
    }
    return texts
  })
  return () => announcedTexts.jsonValue()
}

const getSelectedRows = (page: Page) => page.locator('.grid-row[aria-selected="true"]')

test('50 tokens are deleted and restored in fewer than 12 keys and clicks', async () => {
  const { vault, page, rows, countTokens } = await openDemo(300_000, 50)
  await goTo(page, '#/tokens?container=/old/')
  await page.getByText('50 tokens').waitFor()
  await page.keyboard.press('Control+a')
  await page.getByText('50 selected').waitFor()
  await page.keyboard.press('Backspace')
  await page.getByRole('button', { name: 'Delete 50 tokens' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('50 tokens will be deleted').waitFor()
  expect(await countTokens()).toBe(60)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone. Nothing was deleted.').waitFor()
  expect(await countTokens()).toBe(60)

  await rows.nth(1).click({ modifiers: ['ControlOrMeta'] })
  await rows.nth(4).click({ modifiers: ['Shift'] })
  await page.getByText('4 selected').waitFor()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Move…' }).click()
  await page.getByRole('combobox', { name: 'Containers' }).fill('/moved/')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Move 4 tokens' }).click()
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByText('Moved 4 tokens').waitFor()
  expect((await vault.owner.tokens.list({ container: '/moved/' })).data).toHaveLength(4)

  // Another window starts a deletion while this one has its own jobs.
  const { host } = vault.owner
  const deleteNewTokens = async () => {
    const all = { container: '/new/' }
    const { selection } = await host.selectTokens({ selection: { all, except: [] } })
    return host.changeTokens({ selection, action: { do: 'delete' } })
  }
  const deletion = deleteNewTokens()
  const strip = page.getByText('10 tokens will be deleted or changed.')
  await strip.waitFor()
  await rows.nth(2).click()
  await page.keyboard.press('Backspace')
  await page.getByRole('button', { name: 'Delete 1 token' }).click()
  await page.getByText('Other tokens are still being changed or deleted. Wait until that is done.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('complementary', { name: 'Token', exact: true }).waitFor()
  await expect(deleteNewTokens()).rejects.toThrow(
    'Selected tokens are being changed or deleted. Wait until that is done.',
  )
  await page.getByRole('button', { name: 'Stop' }).click()
  expect((await deletion).outcome).toBe('undone')
  await strip.waitFor({ state: 'detached' })
})

test('pending deletions are merged or refused, and can be stopped after a reload', {
  tags: 'thorough',
}, async () => {
  const { page, rows, countTokens } = await openDemo(300_000, 50)
  const deleteSelected = async (button: string) => {
    await page.keyboard.press('Backspace')
    await page.getByRole('button', { name: button }).click()
  }
  await goTo(page, '#/tokens?container=/new/')
  await page.getByText('10 tokens').waitFor()
  for (const [at, waiting] of ['1 token', '2 tokens'].entries()) {
    await rows.nth(at).click({ modifiers: ['ControlOrMeta'] })
    await deleteSelected('Delete 1 token')
    await page.getByText(`${waiting} will be deleted`).waitFor()
  }
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone. Nothing was deleted.').waitFor()

  await goTo(page, '#/tokens?container=/old/')
  await page.getByText('50 tokens').waitFor()
  await page.keyboard.press('Control+a')
  await deleteSelected('Delete 50 tokens')
  await page.getByText('50 tokens will be deleted').waitFor()
  await rows.nth(3).click({ modifiers: ['ControlOrMeta'] })
  await deleteSelected('Delete 1 token')
  const toast = page
    .getByRole('alert')
    .filter({ hasText: 'Other tokens are still being changed or deleted.' })
  await toast.waitFor()
  const top = (await page.locator('.screen-foot').boundingBox())?.y ?? 0
  expect((await page.locator('.bulk-strip').boundingBox())?.y).toBeGreaterThan(top)
  await waitFor(async () => {
    const box = await toast.boundingBox()
    expect(box && box.y + box.height).toBeLessThan(top)
  })
  await page.getByText('50 tokens will be deleted').waitFor()
  await page.getByRole('button', { name: 'Undo' }).waitFor()

  await page.reload()
  await page.getByText('50 tokens will be deleted or changed.').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('50 tokens will be deleted or changed.').waitFor({ state: 'detached' })
  expect(await countTokens()).toBe(60)
})

test('Shift extends a selection, which can be moved and deleted', { tags: 'thorough' }, async () => {
  const { vault, page, rows, countTokens } = await openDemo(0)
  await rows.nth(1).click({ modifiers: ['ControlOrMeta'] })
  await rows.nth(4).click({ modifiers: ['Shift'] })
  expect(await getSelectedRows(page).count()).toBe(4)
  expect(await page.evaluate(() => getSelection()?.toString())).toBe('')
  await page.keyboard.press('Shift+ArrowDown')
  expect(await getSelectedRows(page).count()).toBe(5)
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Move…' }).click()
  await page.getByRole('combobox', { name: 'Containers' }).fill('/moved/')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Move 5 tokens' }).click()
  const readAnnouncements = await collectAnnouncements(page)
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByText('Moved 5 tokens').waitFor()
  const moving = (await readAnnouncements()).filter((text) => text.startsWith('Moving'))
  expect(moving[0]).toBe('Moving 5 tokens')
  // At most one announcement per quarter of the progress.
  expect(moving.length).toBeLessThanOrEqual(5)
  const { data } = await vault.owner.tokens.list({ container: '/moved/' })
  expect(data).toHaveLength(5)

  await rows.nth(0).click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await page.getByRole('button', { name: 'Delete 1 token' }).click()
  await waitFor(async () => expect(await countTokens()).toBe(11))
  expect(await getSelectedRows(page).count()).toBeLessThanOrEqual(1)
})

test('columns can be chosen, moved and sorted, and survive a reload', {
  tags: 'thorough',
}, async () => {
  const { page, rows } = await openDemo(0)
  const readHeads = async () =>
    (await page.locator('.grid-head-name').allTextContents()).map((head) => head.replace(/ [↑↓]$/, ''))
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByPlaceholder('Metadata key').fill('customer')
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'Type' }).click()
  await page.getByRole('button', { name: 'Move customer to the left' }).click()
  await page.keyboard.press('Escape')
  const chosen = await readHeads()
  expect(chosen).not.toContain('Type')
  expect(chosen.indexOf('customer')).toBe(chosen.indexOf('Age') - 1)
  await page.locator('.grid-head-name').first().focus()
  const readWidth = () =>
    page
      .locator('th[scope="col"]')
      .nth(1)
      .evaluate((head) => head.clientWidth)
  const before = await readWidth()
  await page.keyboard.press('Shift+ArrowLeft')
  await waitFor(async () => expect(await readWidth()).toBe(before - 16))
  await page.reload()
  await rows.nth(5).waitFor()
  expect(await readHeads()).toEqual(chosen)
  expect(await readWidth()).toBe(before - 16)

  await page.locator('.grid-head-name', { hasText: 'Age' }).click()
  await page.locator('th[aria-sort="descending"]', { hasText: 'Age' }).waitFor()
  await page.setViewportSize({ width: 900, height: 500 })
  await page.getByRole('button', { name: 'Columns' }).click()
  const menu = page.getByRole('dialog', { name: 'Columns' })
  const readBottom = () => menu.evaluate((element) => element.getBoundingClientRect().bottom)
  await waitFor(async () => expect(await readBottom()).toBeLessThanOrEqual(500))
  await page.getByRole('button', { name: 'Reset columns' }).click()
  await page.setViewportSize({ width: 1280, height: 800 })
  await waitFor(async () => expect(await readHeads()).toContain('Type'))
})

test('copying a value logs a reveal, and does not show the value', {
  tags: 'thorough',
}, async () => {
  const { vault, page, rows } = await openDemo(0)
  await rows.nth(0).click()
  await page.getByRole('button', { name: /Copy value/ }).click()
  await page.getByText('Card number copied, and recorded in the log').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('4242424242424242')
  expect(await page.getByText('4242424242424242').count()).toBe(0)
  const { data } = await vault.owner.logs.list({ action: 'tokens.reveal' })
  expect(data).toHaveLength(1)
})
