import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { goTo, openWindow } from './window-fixture.ts'

const url = 'https://echo.coffer.test'

test('a row’s menu lists the actions for that row, and Delete deletes it', {
  tags: 'thorough',
}, async () => {
  const { vault, page } = await openWindow({
    undoMs: 0,
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      await owner.applications.create({ name: 'Desk', type: 'private', permissions: ['token:read'] })
      for (const name of ['one', 'two', 'three']) {
        await owner.proxies.create({ name, destination_url: url })
        await owner.tokens.create({ type: 'token', data: name, mask: name })
      }
      await owner.reactors.create({ name: 'copy', code: 'module.exports = async () => ({})' })
      await owner.webhooks.create({ name: 'told', url: 'https://example.test', events: ['token.created'] })
    },
  })
  const listEntries = async (screen: string, key?: string) => {
    await goTo(page, `#/${screen}`)
    const row = page.locator('.grid-row[data-index]').first()
    if (key) {
      await row.waitFor()
      await page.getByRole('grid').focus()
      await page.keyboard.press('Home')
      await page.keyboard.press(key)
    } else await row.click({ button: 'right' })
    const items = page.getByRole('menuitem')
    await items.first().waitFor()
    const names = await items.locator('.mantine-Menu-itemLabel').allTextContents()
    await page.keyboard.press('Escape')
    await items.first().waitFor({ state: 'detached' })
    return names
  }
  const lists: readonly [screen: string, entries: string[], key?: string][] = [
    ['tokens', ['Open', 'Reveal', 'Copy value', 'Copy ID', 'Edit', 'Delete']],
    ['proxies', ['Open', 'Try it', 'Copy ID', 'Edit', 'Delete']],
    ['reactors', ['Open', 'Copy ID', 'Delete'], 'ContextMenu'],
    ['webhooks', ['Open', 'Pause', 'Copy ID', 'Edit', 'Delete']],
    [
      'requests',
      ['Only Owner', 'Not Owner', 'Open', 'Send again', 'Copy as curl', 'Copy trace ID', 'Copy ID'],
    ],
    ['applications', ['Open', 'View as', 'Rotate key', 'Copy ID', 'Edit', 'Delete'], 'Shift+F10'],
  ]
  for (const [screen, expected, key] of pickSome(lists, 2)) {
    expect([screen, await listEntries(screen, key)]).toEqual([screen, expected])
  }

  // The menu deletes the row that it was opened for, and the next row becomes current.
  await goTo(page, '#/proxies')
  await page.getByRole('row', { name: /two/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('two')
  await page.keyboard.press('Enter')
  await waitForActiveRow(page, /one/)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await vault.owner.proxies.list()).data).toHaveLength(2)

  await goTo(page, '#/tokens')
  await page.getByRole('row', { name: /two/ }).click()
  await page.keyboard.press('Backspace')
  await page.getByRole('button', { name: 'Delete 1 token' }).click()
  await waitForActiveRow(page, /one/)
  expect(page.url()).toMatch(/#\/tokens$/)
  await page.keyboard.press('ArrowUp')
  await waitForActiveRow(page, /three/)
})

async function waitForActiveRow(page: Page, name: RegExp): Promise<void> {
  await waitFor(async () => {
    expect(await page.locator('.grid-row.grid-active').textContent()).toMatch(name)
  })
}
