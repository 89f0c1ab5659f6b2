import { expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { runFromPalette, waitForFoot } from './page-steps.ts'
import { goTo, openWindow } from './window-fixture.ts'

test('a time has the same age everywhere on the page, and is never in the future', async () => {
  let id = ''
  const { page, vault } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const toIsoDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
      id = (await owner.tokens.create({ type: 'token', data: 'x', expires_at: toIsoDay(30) })).id
    },
  })
  const moveClock = async (seconds: number) => {
    const testControls = vault.host.openVault?.controls
    await testControls?.setNow(testControls.now() + seconds * 1000)
  }
  const token = await vault.owner.tokens.get({ id })
  await goTo(page, `#/tokens/${id}`)
  const ages = page.locator(`time[datetime="${token.created_at}"]`)
  await ages.nth(2).waitFor()
  /** Returns the distinct ages that the page shows for the same moment. */
  const readAges = () =>
    ages.evaluateAll((all) => [...new Set(all.map((each) => each.textContent.replace(' ago', '')))])
  // However long the page took to open.
  await vault.host.openVault?.controls?.setNow(Date.parse(token.created_at) + 55_000)
  const shortAges = new Set<string>()
  await expect
    .poll(async () => {
      const texts = await readAges()
      expect(texts).toHaveLength(1)
      shortAges.add(texts[0] ?? '')
      return texts[0]
    })
    .toBe('1 min')
  // Set the clock forward a minute: ages below that are shown in seconds, which pass while the test runs.
  expect([...shortAges].filter((text) => / s$/.test(text)).length).toBeGreaterThan(1)

  await moveClock(86_400)
  await expect.poll(readAges).toEqual(['1 d'])
  await vault.owner.tokens.create({ type: 'token', data: 'y' })
  await page.getByRole('row', { name: /just now/ }).waitFor()
  expect(await page.locator('.grid time').allTextContents()).not.toContainEqual(expect.stringMatching(/^in /))
})

test('the header says that the clock of an in-memory vault was moved, and moves it', async () => {
  const { page, vault } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const expires_at = new Date(Date.now() + 9 * 86_400_000).toISOString()
      await owner.tokens.create({ id: 'goes', type: 'token', data: 'x', expires_at })
    },
  })
  await goTo(page, '#/tokens')
  await page.getByRole('row', { name: 'goes' }).waitFor()
  await page.getByRole('button', { name: 'Move the vault’s clock' }).click()
  await page.getByRole('menuitem', { name: '+1 day' }).click()
  const moved = page.getByRole('banner').getByRole('button', { name: /^Clock \+/ })
  await moved.getByText('Clock +1 d', { exact: true }).waitFor()
  if (isThorough) expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  await page.getByRole('row', { name: '1 d' }).waitFor()
  await page.getByRole('menuitem', { name: '+1 hour' }).click()
  await moved.getByText('Clock +1 d 1 h', { exact: true }).waitFor()
  await page.getByRole('menuitem', { name: 'To the next expiry' }).click()
  await page.getByRole('row', { name: 'goes' }).waitFor({ state: 'detached' })
  await runFromPalette(page, 'next expiry')
  await page.getByText('Nothing in this vault is going to expire.').waitFor()
  await runFromPalette(page, 'back to this computer')
  await page.getByRole('button', { name: 'Move the vault’s clock' }).waitFor()
  const { vault: open } = await vault.owner.host.status()
  expect(open).not.toHaveProperty('clock_moved_ms')
})

test('after the clock was set back, new requests come first, and the chart says what it leaves out', async () => {
  const { page, vault } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
    },
  })
  const { owner } = vault
  const createTokens = async (...ids: string[]) => {
    for (const id of ids) await owner.tokens.create({ id, type: 'token', data: 'x' })
  }
  await createTokens('before')
  await owner.host.moveClock({ advance: 86_400 })
  await createTokens('ahead-1', 'ahead-2')
  await owner.host.moveClock({ to: 'this computer' })
  await goTo(page, '#/requests?q=action:tokens.create')
  await waitForFoot(page, '3 records')
  await page.getByText('and 2 records with a later time').waitFor()
  await goTo(page, '#/requests')
  const first = page.getByRole('grid', { name: 'Requests' }).getByRole('row').nth(1)
  await createTokens('after')
  await first.getByText('after', { exact: true }).waitFor()
})
