import { expect, onTestFinished, test } from 'vitest'
import { openWindow, type StartedWindow } from './window-fixture.ts'

test('the window switches vaults, and asks before it deletes an in-memory vault', {
  tags: 'thorough',
}, async () => {
  const passphrase = 'correct horse battery'
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    await owner.tenants.update({ name: 'The shop' })
    await owner.host.createVault({ name: 'work', protection: { passphrase } })
  }
  const {
    vault: { owner },
    page,
  } = await openWindow({ prepareVault })
  const dialog = page.getByRole('dialog')
  const getButton = (name: string) => page.getByRole('button', { name, exact: true })

  await getButton('Vault work').click()
  await page.getByRole('menuitem', { name: 'Vault settings' }).click()
  await page.getByRole('region', { name: 'Vaults' }).waitFor()
  await getButton('Open the vault shop').click()
  await dialog.getByText('This locks work.').waitFor()
  await dialog.getByLabel('Passphrase').fill('wrong horse battery')
  await page.keyboard.press('Enter')
  await dialog.getByText('The passphrase is wrong').waitFor()
  await getButton('Vault work').waitFor()
  await dialog.getByLabel('Passphrase').fill(passphrase)
  await page.keyboard.press('Enter')
  await getButton('Vault shop').waitFor()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await dialog.count()).toBe(0)
  expect((await owner.tenants.get()).name).toBe('The shop')

  await getButton('Vault shop').click()
  await page.getByRole('menuitem', { name: 'New vault' }).click()
  await getButton('Back to the vault').click()
  await getButton('Vault shop').click()
  await page.getByRole('menuitem', { name: 'New vault' }).click()
  await page.getByLabel(/None, in memory only/).check()
  await getButton('Create vault').click()
  await getButton('Go to the vault').click()
  await getButton('I have what I need').click()

  await getButton('Vault in-memory').waitFor()
  await page.keyboard.press('Control+l')
  await dialog.getByText('Locking it deletes everything in it').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect((await owner.host.status()).vault?.protection).toBe('memory')
  await page.keyboard.press('Control+l')
  await getButton('Lock and delete').click()
  await page.getByRole('heading', { name: 'Unlock shop' }).waitFor()
})

test('X-35 a response that arrives after locking is not shown in the next vault', {
  tags: 'thorough',
}, async () => {
  const passphrase = 'correct horse battery'
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    await owner.host.createVault({ name: 'work', protection: { passphrase } })
  }
  const {
    vault: { owner },
    page,
  } = await openWindow({ prepareVault })
  const { id } = await owner.tokens.create({ type: 'token', data: 'of work' })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()

  const late = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await page.route('**/call', async (route) => {
    if (!route.request().postData()?.includes('"tokens.find"')) return route.continue()
    const response = await route.fetch()
    answered.resolve()
    await late.promise
    await route.fulfill({ response })
  })
  await page.evaluate(() => {
    location.hash = '#/tokens'
  })
  await answered.promise
  await owner.host.lock()
  await page.getByRole('heading', { name: 'Unlock work' }).waitFor()
  const arrived = page.waitForResponse(
    (response) => !!response.request().postData()?.includes('"tokens.find"'),
  )
  late.resolve()
  await arrived
  await page.unroute('**/call')

  // The other vault's list is still loading.
  const held = Promise.withResolvers<void>()
  onTestFinished(() => held.resolve())
  const asked = Promise.withResolvers<void>()
  await page.route('**/call', async (route) => {
    if (route.request().postData()?.includes('"tokens.find"')) {
      asked.resolve()
      await held.promise
    }
    await route.continue()
  })
  await owner.host.unlock({ name: 'shop', with: { passphrase } })
  await asked.promise
  await page.getByRole('grid', { name: /^Tokens/ }).waitFor()
  expect(await page.getByText(id).count()).toBe(0)
})
