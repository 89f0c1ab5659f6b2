import { expect, test } from 'vitest'
import { openWindow, type StartedWindow } from './window-fixture.ts'

test('opens another vault in place of this one, makes one beside it, and asks before the one in memory goes', async () => {
  const passphrase = 'correct horse battery'
  const prepare = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    await owner.tenants.update({ name: 'The shop' })
    await owner.host.createVault({ name: 'work', protection: { passphrase } })
  }
  const {
    vault: { owner },
    page,
  } = await openWindow({ prepare })
  const dialog = page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name })

  await button('Vault work').click()
  await page.getByRole('menuitem', { name: 'Vault settings' }).click()
  await page.getByRole('region', { name: 'Vaults' }).waitFor()
  await button('Open the vault shop').click()
  await dialog.getByText('work is locked then').waitFor()
  await dialog.getByLabel('Passphrase').fill('wrong horse battery')
  await page.keyboard.press('Enter')
  await dialog.getByText('The passphrase is wrong').waitFor()
  await button('Vault work').waitFor()
  await dialog.getByLabel('Passphrase').fill(passphrase)
  await page.keyboard.press('Enter')
  await button('Vault shop').waitFor()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await dialog.count()).toBe(0)
  expect((await owner.tenants.get()).name).toBe('The shop')

  await button('Vault shop').click()
  await page.getByRole('menuitem', { name: 'New vault' }).click()
  await button('Back to the vault').click()
  await button('Vault shop').click()
  await page.getByRole('menuitem', { name: 'New vault' }).click()
  await page.getByLabel(/Nothing, in memory only/).check()
  await button('Create vault').click()
  await button('Go to the vault').click()
  await button('I have what I need').click()

  await button('Vault in-memory').waitFor()
  await page.keyboard.press('Control+l')
  await dialog.getByText('locking it deletes it').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect((await owner.host.status()).vault?.protection).toBe('memory')
  await page.keyboard.press('Control+l')
  await button('Delete it').click()
  await page.getByRole('heading', { name: 'Unlock shop' }).waitFor()
})
