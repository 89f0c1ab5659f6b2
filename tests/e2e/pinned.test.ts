import { expect, test } from 'vitest'
import { pressKeys } from './page-steps.ts'
import { goTo, openWindow } from './window-fixture.ts'

test('a panel is pinned in a wide window, and another one opens beside it', async () => {
  const { vault, page } = await openWindow({
    page: { viewport: { width: 1600, height: 900 } },
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'demo', protection: { memory: true } })
      for (const data of ['first', 'second']) await owner.tokens.create({ type: 'token', data, id: data })
      for (const name of ['Payouts', 'Jobs'])
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
  await page.getByRole('row', { name: /Payouts/ }).click()
  await panels.getByRole('heading', { name: 'Payouts' }).waitFor()
  await pressKeys(page, 'p', 'ArrowDown')
  await expect.poll(() => panels.count()).toBe(2)
  await page.setViewportSize({ width: 1280, height: 900 })
  await expect.poll(() => panels.count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Pin' }).count()).toBe(0)
})
