import { expect, test } from 'vitest'
import { makePastVault, passphrase } from '../past-vault.ts'
import { isThorough } from '../thorough.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const prepareVault = async ({ owner: { host }, dataDir }: StartedWindow) => {
  await makePastVault(dataDir, 'shop')
  await host.unlock({ name: 'shop', with: { passphrase } })
}
const asked =
  'The clock is 731 days ahead of when this vault was last in use. 1 token and 2 log records would be deleted as expired. Expired data is not deleted until you confirm the date.'

test('X-45 the window asks about a clock far ahead before it deletes expired data', async () => {
  const { vault, page } = await openWindow({ prepareVault })
  const strip = page.getByRole('alert').filter({ hasText: 'clock' })
  await strip.getByText(asked).waitFor()
  if (isThorough) expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  const idle = await vault.owner.logs.list({ action: 'tokens.expire' })
  expect(idle.data).toEqual([])
  await strip.getByRole('button', { name: 'The date is right' }).click()
  await strip.waitFor({ state: 'detached' })
  await vault.host.getEngine()?.sweeper.sweep()
  const { data } = await vault.owner.logs.list({ action: 'tokens.expire' })
  expect(data.map(({ entity_id }) => entity_id)).toEqual(['goes'])
})

test('X-45 the answer "The date is wrong" shows what to do and deletes nothing', {
  tags: 'thorough',
}, async () => {
  const { vault, page } = await openWindow({ prepareVault })
  await page.getByRole('button', { name: 'The date is wrong' }).click()
  await page.getByText('Correct this computer’s date. Expired data is not deleted until you do.').waitFor()
  await vault.host.getEngine()?.sweeper.sweep()
  expect((await vault.owner.logs.list({ action: 'tokens.expire' })).data).toEqual([])
  await goTo(page, '#/settings')
  await page.getByRole('button', { name: 'The date is right' }).waitFor()
})
