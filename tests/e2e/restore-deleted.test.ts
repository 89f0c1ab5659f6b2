import path from 'node:path'
import { expect, test } from 'vitest'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { openWindow, type StartedWindow } from './window-fixture.ts'

test('a restore asks before it brings back deleted data, and shows how much', {
  tags: 'thorough',
}, async () => {
  let recovery_key = ''
  let file = ''
  const prepareVault = async ({ owner, dataDir }: StartedWindow) => {
    const passphrase = 'correct horse battery'
    const created = await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    recovery_key = created.recovery_key ?? ''
    const { id } = await owner.tokens.create({ type: 'token', data: 'x' })
    file = path.join(dataDir, 'shop.coffer-backup')
    await owner.host.backup({ file })
    await owner.tokens.remove({ id })
  }
  const { vault, page } = await openWindow({ prepareVault, page: { viewport: { width: 900, height: 600 } } })
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('restore')
  await page.getByText('Restore a backup…').waitFor()
  await page.keyboard.press('Enter')
  const asking = page.getByRole('dialog', { name: 'Restore a backup' })
  await asking.getByLabel('Backup file').fill(file)
  await asking.getByRole('textbox', { name: 'Recovery key' }).fill(recovery_key)
  await asking.getByLabel('New passphrase', { exact: true }).fill('another horse battery')
  await asking.getByLabel('Confirm new passphrase').fill('another horse battery')
  await page.keyboard.press('Enter')
  const caution = asking.getByRole('alert').filter({ hasText: 'A restore brings back' })
  await caution.waitFor()
  expect(await caution.textContent()).toBe(
    'A restore brings back what was deleted from shop since this backup: 1 token.',
  )
  const { y = 0, height = 0 } = (await caution.boundingBox()) ?? {}
  expect(y + height).toBeLessThanOrEqual(600)
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  expect((await vault.owner.host.status()).vaults.map(({ name }) => name)).toEqual(['shop'])
  await asking.getByRole('button', { name: 'Restore anyway' }).click()
  await page.getByRole('button', { name: 'Vault restored' }).waitFor()
  expect((await vault.owner.tokens.list({})).data).toHaveLength(1)
})
