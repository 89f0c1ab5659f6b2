import { expect, test } from 'vitest'
import { waitForFoot } from './page-steps.ts'
import { goTo, openWindow } from './window-fixture.ts'

test('a screen opens with its first list, and the filters and search that the user left there', async () => {
  const { page, vault } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      await owner.tokens.create({ type: 'token', data: 'x', containers: ['/pci/'] })
      await owner.tokens.create({ type: 'token', data: 'x', containers: ['/pii/'] })
      for (const name of ['Checkout', 'Support desk'])
        await owner.applications.create({ name, type: 'private', permissions: ['token:read'] })
    },
  })
  const readHash = () => page.evaluate(() => location.hash)
  const openScreen = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) }).click()
  const find = page.getByRole('searchbox', { name: 'Search name, ID and type' })

  await goTo(page, '#/tokens?container=%2Fpci%2F&sort=newest')
  await waitForFoot(page, '1 token')
  await page.keyboard.press('Control+4')
  await find.fill('check')
  await waitForFoot(page, '1 of 5 applications')
  await page.keyboard.press('Control+8')
  await page.getByText('Refused', { exact: true }).click()
  await page.keyboard.press('Control+1')

  await page.keyboard.press('Control+2')
  await waitForFoot(page, '1 token')
  expect(await readHash()).toBe('#/tokens?container=%2Fpci%2F&sort=newest')
  await openScreen('Applications')
  await waitForFoot(page, '1 of 5 applications')
  expect(await find.inputValue()).toBe('check')
  await page.keyboard.press('Control+8')
  expect(await readHash()).toBe('#/requests?q=status%3A4xx')
  await page.getByText('Send a request', { exact: true }).click()
  await page.keyboard.press('Escape')
  expect(await readHash()).toBe('#/requests?q=status%3A4xx')

  // The name of a screen opens what it names, not the view that was open last.
  await page.keyboard.press('Control+4')
  await page.getByText('Checkouts', { exact: true }).click()
  await page.getByText('No checkouts yet').waitFor()
  await page.keyboard.press('Control+4')
  await waitForFoot(page, '1 of 5 applications')
  await goTo(page, '#/proxies')
  await page.getByText('Saved calls', { exact: true }).click()
  await page.getByText('No saved calls yet').waitFor()
  await page.keyboard.press('Control+6')
  await page.getByText('Gallery', { exact: true }).click()
  await page.getByText('Starting points').waitFor()
  await openScreen('Proxies')
  await page.getByText('No proxies yet').waitFor()
  expect(await readHash()).toBe('#/proxies')
  await page.keyboard.press('Control+6')
  await page.getByText('No reactors yet').waitFor()
  expect(await readHash()).toBe('#/reactors')

  // A link to an item opens it even if the last search excludes it.
  const { data } = await vault.owner.applications.list({})
  await goTo(page, `#/applications/${data.find(({ name }) => name === 'Support desk')?.id}`)
  await page.getByRole('row', { name: 'Support desk' }).waitFor()

  // A click on the rail item of the open screen clears the screen's filters.
  await openScreen('Tokens')
  await waitForFoot(page, '1 token')
  await openScreen('Tokens')
  await waitForFoot(page, '2 tokens')
  await page.keyboard.press('Control+1')
  await openScreen('Tokens')
  expect(await readHash()).toBe('#/tokens')
})
