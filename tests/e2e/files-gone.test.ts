import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'
let id = ''
const prepareVault = async ({ owner }: StartedWindow) => {
  await owner.host.createVault({ name: 'shop', protection: { passphrase } })
  id = (await owner.tokens.create({ type: 'token', data: 'x' })).id
}

test('X-46 the window unlocks a vault whose folder was removed, and shows its path', async () => {
  const { vault, page } = await openWindow({ prepareVault, expected: /503/ })
  fs.rmSync(path.join(vault.dataDir, 'shop'), { recursive: true })
  await page.getByRole('heading', { name: 'Unlock shop' }).waitFor()
  const notice = page.getByText(/^The files of the vault shop were removed or replaced/)
  expect(await notice.textContent()).toContain(`to ${path.join(vault.dataDir, 'shop')}.`)
  if (isThorough) expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  expect(await vault.owner.tokens.get({ id })).toMatchObject({ id })
})

test('X-46 the first-run screen says that the vault is missing, and where it was moved', {
  tags: 'thorough',
}, async () => {
  const { vault, page } = await openWindow({ prepareVault, expected: /503/ })
  const elsewhere = path.join(vault.dataDir, '..', 'elsewhere')
  fs.renameSync(path.join(vault.dataDir, 'shop'), elsewhere)
  if (process.platform === 'linux') await page.getByText(`was moved to ${elsewhere}`).waitFor()
  else return page.getByText(/^The files of the vault shop were removed or replaced/).waitFor()
  await page.getByRole('heading', { name: 'Welcome to Coffer' }).waitFor()
  await page.getByText(`The vault shop is missing from ${path.join(vault.dataDir, 'shop')}`).waitFor()
  expect(await findAxeViolationsInBothSchemes(page)).toEqual([])
  expect(fs.existsSync(path.join(vault.dataDir, 'shop'))).toBe(false)
})
