import { expect, test } from 'vitest'
import { pressKeys } from './page-steps.ts'
import { goTo, openWindow } from './window-fixture.ts'

const longNames = [2, 1].map((n) => `The checkout of the large bookshop behind the market, number ${n}`)

test('a panel is pinned in a wide window, and another one opens beside it', async () => {
  const { vault, page } = await openWindow({
    page: { viewport: { width: 1600, height: 900 } },
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'demo', protection: { memory: true } })
      for (const data of ['first', 'second']) await owner.tokens.create({ type: 'token', data, id: data })
      for (const name of longNames)
        await owner.applications.create({ name, type: 'private', permissions: ['token:read'] })
    },
  })
  const panels = page.getByRole('complementary')
  await goTo(page, '#/tokens/first')
  await panels.getByRole('button', { name: /Reveal/ }).click()
  await panels.getByText('first', { exact: true }).last().waitFor()
  await panels.getByRole('button', { name: 'Pin' }).click()
  await goTo(page, '#/tokens/second')
  await expect.poll(() => panels.count()).toBe(2)
  // The pinned token is masked, and has no buttons that change it.
  expect(await page.getByRole('button', { name: /Reveal/ }).count()).toBe(1)
  expect(await panels.first().getByText('first', { exact: true }).count()).toBe(1)
  await vault.owner.tokens.remove({ id: 'first' })
  await panels.first().getByRole('alert').waitFor()
  await pressKeys(page, 'Escape')
  await expect.poll(() => panels.count()).toBe(1)
  await pressKeys(page, 'Escape')
  await expect.poll(() => panels.count()).toBe(0)

  await goTo(page, '#/applications')
  await page.getByRole('row', { name: /number 1$|number 1 / }).click()
  await panels.getByRole('heading', { name: /number 1/ }).waitFor()
  await pressKeys(page, 'p', 'ArrowDown')
  await expect.poll(() => panels.count()).toBe(2)
  // They differ by more than the ends of their names, which are not cut off.
  await page.getByRole('complementary', { name: 'Application, pinned', exact: true }).waitFor()
  await page.getByRole('complementary', { name: 'Application', exact: true }).waitFor()
  const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element) =>
    scrollWidth > clientWidth || scrollHeight > clientHeight
  for (const title of await panels.locator('h2 > .panel-name').all())
    expect(await title.evaluate(isCut)).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
  await expect.poll(() => panels.count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Pin' }).count()).toBe(0)
})
