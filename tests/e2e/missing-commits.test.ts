import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { owner } from '../../electron/engine/pipeline/call.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { findAxeViolationsInBothSchemes } from './axe.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'

/** Creates a vault as a killed process leaves it, with the end of its log missing. */
async function prepareVault({ dataDir }: Pick<StartedWindow, 'dataDir'>): Promise<void> {
  const from = path.join(createTempFolder(), 'data')
  const { vault } = await createVault({ dataDir: from, name: 'shop', protection: { passphrase } })
  const { tokens } = vault.engine.as(owner)
  for (let made = 0; made < 10; made++) await tokens.create({ type: 'token', data: 'x' })
  fs.cpSync(from, dataDir, { recursive: true })
  vault.lock()
  const log = `${getVaultFiles(dataDir, 'shop').database}-wal`
  fs.truncateSync(log, Math.floor(fs.statSync(log).size * 0.9))
}

test('X-41 the unlock screen shows the lost commits, and opens after consent', async () => {
  const { vault, page } = await openWindow()
  await prepareVault(vault)
  await page.reload()
  const field = page.getByLabel('Passphrase', { exact: true })
  const accept = page.getByRole('checkbox', { name: /^I accept the loss of \d+ commits?\./ })
  await field.fill(passphrase)
  await page.keyboard.press('Enter')
  const reason = page.getByText(/Opening the vault would lose \d+ commits? that had been confirmed/)
  await reason.waitFor()
  expect(await page.getByText('--accept-loss').count()).toBe(0)
  if (isThorough) expect(await findAxeViolationsInBothSchemes(page)).toEqual([])

  // The vault opens only with consent, which must be given again after each refusal.
  await page.keyboard.press('Enter')
  await accept.waitFor()
  expect(await accept.isChecked()).toBe(false)
  await field.fill('wrong horse battery')
  await accept.focus()
  await page.keyboard.press('Space')
  await reason.waitFor()
  await page.getByRole('button', { name: /^Open it without \d+ commits?$/ }).click()
  await page.getByText('The passphrase is wrong').waitFor()
  await field.fill(passphrase)
  await page.keyboard.press('Enter')
  await accept.waitFor()
  expect(await accept.isChecked()).toBe(false)

  const [, named] = /lose (\d+) commit/.exec((await reason.textContent()) ?? '') ?? []
  expect(await accept.locator('xpath=../..').textContent()).toContain(`the loss of ${named} commit`)
  await accept.check()
  await page.getByRole('button', { name: `Open it without ${named} commit` }).click()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.getByText('Settings → Vaults shows where the copy is').waitFor()
  await goTo(page, '#/settings/vaults')
  const notice = await page.getByText(new RegExp(`${named} commits? (is|are) lost`)).textContent()
  const aside = /is in (\S+)\.$/.exec(notice ?? '')?.[1] ?? ''
  expect(fs.readdirSync(aside)).toContain('vault.db')
  expect(await vault.owner.tokens.list({})).toBeDefined()
})
