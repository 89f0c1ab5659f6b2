import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { pressKeys, waitForFoot } from './page-steps.ts'
import { openWindow, type StartedWindow } from './window-fixture.ts'

const ROW_HEIGHT = 32

/** Opens the list of a vault with this many tokens, which were created on three days. */
async function openList(total: number): Promise<{ vault: StartedWindow; page: Page }> {
  const opened = await openWindow({
    async prepareVault({ owner, host }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const { controls } = host.openVault ?? {}
      for (let day = 0; day < 3; day++) {
        const tokens = Array.from({ length: total / 3 }, (_, at) => ({
          id: `token ${(day * total) / 3 + at}`,
          type: 'token' as const,
          data: 'x',
        }))
        await owner.tokens.createMany({ tokens })
        await controls?.setNow(controls.now() + 86_400_000)
      }
    },
  })
  await opened.page.keyboard.press('Control+2')
  await waitForFoot(opened.page, `${total.toLocaleString('en')} tokens`)
  return opened
}

const readScroll = (page: Page) =>
  page.getByRole('grid').evaluate(({ parentElement: box }) => ({
    top: box?.scrollTop ?? 0,
    height: box?.scrollHeight ?? 0,
    view: box?.clientHeight ?? 0,
  }))
const waitForRow = (page: Page, id: string) =>
  page.getByRole('row', { name: id, exact: false }).first().waitFor()

test('the scrollbar stands for all tokens, and every place can be reached', async () => {
  const total = 3000
  const { page, vault } = await openList(total)
  expect((await readScroll(page)).height).toBeGreaterThanOrEqual(total * ROW_HEIGHT)
  await page
    .getByRole('grid')
    .evaluate(({ parentElement: box }, to) => box?.scrollTo(0, to), 1500 * ROW_HEIGHT)
  await waitForRow(page, 'token 1495')
  // The rows that follow in both directions load too.
  await page.mouse.move(800, 400)
  await page.mouse.wheel(0, -150 * ROW_HEIGHT)
  await waitForRow(page, 'token 1645')
  await page.mouse.wheel(0, 300 * ROW_HEIGHT)
  await waitForRow(page, 'token 1340')
  // Chromium styles rows that have styles of their own ever more slowly as they are scrolled.
  expect(await page.locator('.grid-row[style]').count()).toBe(0)

  const { top } = await readScroll(page)
  await vault.owner.tokens.create({ id: 'fresh', type: 'token', data: 'x' })
  await page.getByRole('button', { name: '1 new' }).waitFor()
  await waitForFoot(page, '3,001 tokens')
  await waitFor(async () => expect((await readScroll(page)).top).toBe(top + ROW_HEIGHT))
  await waitForRow(page, 'token 1340')

  await page.getByRole('grid').focus()
  await pressKeys(page, 'Control+End')
  await page.locator('.grid-active', { hasText: 'token 0' }).waitFor()
  const end = await readScroll(page)
  expect(end.top + end.view).toBeGreaterThan(end.height - ROW_HEIGHT)
  await pressKeys(page, 'ArrowUp', 'Enter')
  await page
    .getByRole('complementary', { name: 'Token' })
    .getByText('token 1', { exact: true })
    .first()
    .waitFor()
  await pressKeys(page, 'Escape', 'Control+Home')
  await page.locator('.grid-active', { hasText: 'fresh' }).waitFor()
})

test('at the end of the list, tokens deleted above it leave the count and the scrollbar', async () => {
  const { page, vault } = await openList(300)
  await page.getByRole('grid').focus()
  await pressKeys(page, 'Control+End')
  await page.locator('.grid-active', { hasText: 'token 0' }).waitFor()
  for (let at = 290; at < 300; at++) await vault.owner.tokens.remove({ id: `token ${at}` })
  await waitForFoot(page, '290 tokens')
  await page.locator('.grid-active', { hasText: 'token 0' }).waitFor()
  const { top, height, view } = await readScroll(page)
  expect(height).toBeLessThan(295 * ROW_HEIGHT)
  expect(top + view).toBeGreaterThan(height - ROW_HEIGHT)
})

test('a day is found by its date, and its first token becomes the current row', async () => {
  const { page, vault } = await openList(300)
  const { data } = await vault.owner.tokens.find({ find: { id: 'token 199' }, sort: 'newest', size: 1 })
  const day = new Date(data[0]?.created_at ?? '')
  const local = new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
  await page.keyboard.press('g')
  await page.getByLabel('Day', { exact: true }).fill(local)
  await page.keyboard.press('Enter')
  await page.locator('.grid-active', { hasText: 'token 199' }).waitFor()
  expect((await readScroll(page)).top).toBe(100 * ROW_HEIGHT)
})

test('tokens that were created since the list was last looked at are above a line', async () => {
  const { page, vault } = await openList(300)
  await page.keyboard.press('Control+1')
  await page
    .getByText('300 tokens in the vault')
    .or(page.getByText(/in the vault/))
    .first()
    .waitFor()
  for (const id of ['one', 'two']) await vault.owner.tokens.create({ id, type: 'token', data: 'x' })
  await page.keyboard.press('Control+2')
  const line = page.locator('[data-divider="2 since you looked"]')
  await line.filter({ hasText: 'token 299' }).waitFor()
  await vault.owner.tokens.create({ id: 'three', type: 'token', data: 'x' })
  const later = page.locator('[data-divider="3 since you looked"]')
  await later.filter({ hasText: 'token 299' }).waitFor()

  // In a small window, a panel covers a part of the list, but not the label.
  await page.setViewportSize({ width: 900, height: 700 })
  await later.click({ position: { x: 60, y: 16 } })
  const panel = await page.getByRole('complementary').boundingBox()
  const labelEnd = await later.evaluate((row) => {
    const { left, width } = getComputedStyle(row, '::before')
    return row.getBoundingClientRect().left + Number.parseFloat(left) + Number.parseFloat(width)
  })
  expect(labelEnd).toBeLessThan(panel?.x ?? 0)
})
