import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { readHeader } from '../../electron/host/files/header.ts'
import { getPermissionWarning } from '../../shared/permissions.ts'
import { waitFor } from '../wait-for.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'
const other = 'another horse battery'
const data = '4242424242424242'
let vault: StartedWindow
let page: Page
let recovery_key: string
let id: string

/** Opens the settings of a stored vault with one token. */
beforeEach(async () => {
  const prepareVault = async ({ owner }: StartedWindow) => {
    const created = await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    recovery_key = created.recovery_key ?? ''
    id = (await owner.tokens.create({ type: 'card', data: { number: data } })).id
  }
  ;({ vault, page } = await openWindow({ prepareVault }))
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('rotation')
  await page.getByText('Settings: Keys and rotation').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Keys and rotation' }).waitFor()
})

const getButton = (name: string | RegExp) => page.getByRole('button', { name })
const getDialog = (name: string) => page.getByRole('dialog', { name })

/** Locks the vault in the window and unlocks it with a secret; returns the outcome. */
async function lockAndUnlock(label: 'Passphrase' | 'Recovery key', typed: string): Promise<void> {
  await page.keyboard.press('Control+l')
  await page.getByRole('heading', { name: 'Unlock shop' }).waitFor()
  if (label === 'Recovery key') await getButton('Use the recovery key').click()
  await page.getByLabel(label).fill(typed)
  await page.keyboard.press('Enter')
}

const waitForScreens = () => page.getByRole('navigation', { name: 'Screens' }).waitFor()

/** Reads the new recovery key from the dialog and types the requested group. */
async function keepRecoveryKey(): Promise<string> {
  const recoveryDialog = getDialog('Save your recovery key')
  await recoveryDialog.waitFor()
  const groups = await recoveryDialog.locator('.recovery-key-group').allTextContents()
  expect(groups).toHaveLength(10)
  await page.keyboard.press('Escape')
  const question = recoveryDialog.getByLabel(/^Type group \d+/)
  await question.fill('0000')
  await page.keyboard.press('Enter')
  await recoveryDialog.getByText('Compare it with the key you saved').waitFor()
  const asked = /Type group (\d+)/.exec((await recoveryDialog.textContent()) ?? '')?.[1]
  await question.fill(groups[Number(asked) - 1] ?? '')
  await page.keyboard.press('Enter')
  await recoveryDialog.waitFor({ state: 'detached' })
  return groups.join('-')
}

async function revealToken(): Promise<unknown> {
  return (await vault.owner.tokens.reveal({ id })).data
}

test('only the new passphrase opens the vault after a change', async () => {
  const asking = getDialog('Change vault protection')
  const header = path.join(vault.dataDir, 'shop', 'vault.json')
  const { check } = readHeader(header)
  await getButton('Change…').click()
  await asking.getByLabel('New passphrase', { exact: true }).fill('P@ssw0rd2024')
  await asking.getByText('Too easy to guess: it is a well-known passphrase with small changes.').waitFor()
  await asking.getByLabel('New passphrase', { exact: true }).fill(other)
  await asking.getByText('Strong.').waitFor()
  await asking.getByLabel('Confirm new passphrase').fill(other)
  await asking.getByLabel('Vault passphrase').fill('wrong horse battery')
  await page.keyboard.press('Enter')
  await asking.getByText('The passphrase is wrong').waitFor()
  expect(readHeader(header).check).toBe(check)
  await asking.getByLabel('Vault passphrase').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByText('Passphrase changed').waitFor()
  expect(readHeader(header).check).not.toBe(check)

  await lockAndUnlock('Passphrase', passphrase)
  await page.getByText('The passphrase is wrong').waitFor()
  await page.getByLabel('Passphrase').fill(other)
  await page.keyboard.press('Enter')
  await waitForScreens()
  expect(await revealToken()).toEqual({ number: data })
})

test('a short, guessable, mismatched or wrong passphrase changes nothing', {
  tags: 'thorough',
}, async () => {
  const asking = getDialog('Change vault protection')
  const header = path.join(vault.dataDir, 'shop', 'vault.json')
  const { check } = readHeader(header)
  await getButton('Change…').click()
  await asking.waitFor()
  await page.keyboard.press('Escape')
  await waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Change…'),
  )
  await page.keyboard.press('Enter')
  await asking.getByLabel('New passphrase', { exact: true }).fill('short')
  await page.keyboard.press('Enter')
  await asking.getByText('Use at least 8 characters.').waitFor()
  await asking.getByText('Enter the current passphrase of the vault.').waitFor()
  await asking.getByLabel('Vault passphrase').fill(passphrase)
  await asking.getByLabel('New passphrase', { exact: true }).fill('P@ssw0rd2024')
  await asking.getByText('Too easy to guess: it is a well-known passphrase with small changes.').waitFor()
  await asking.getByLabel('Confirm new passphrase').fill('P@ssw0rd2024')
  await page.keyboard.press('Enter')
  await asking.getByText('Use four or five random words').last().waitFor()
  await asking.getByLabel('New passphrase', { exact: true }).fill('shop1234')
  await asking.getByText('the name of the vault').waitFor()
  await asking.getByLabel('New passphrase', { exact: true }).fill(other)
  await asking.getByText('Strong.').waitFor()
  await asking.getByLabel('Confirm new passphrase').fill(`${other}!`)
  await page.keyboard.press('Enter')
  await asking.getByText('The passphrases do not match.').waitFor()
  await asking.getByLabel('Confirm new passphrase').fill(other)
  await asking.getByLabel('Vault passphrase').fill('wrong horse battery')
  await page.keyboard.press('Enter')
  await asking.getByText('The passphrase is wrong').waitFor()
  expect(readHeader(header).check).toBe(check)
})

test('the data key is rotated, and a new recovery key takes effect once it is saved', {
  tags: 'thorough',
}, async () => {
  await getButton('Rotate data key').click()
  await page.getByText('Everything is encrypted under a new data key').waitFor()
  expect(await page.getByRole('progressbar').count()).toBe(0)
  expect(await revealToken()).toEqual({ number: data })

  await getButton('New recovery key…').click()
  await getDialog('New recovery key').getByText('will no longer open this vault').waitFor()
  await getDialog('New recovery key').getByLabel('Vault passphrase').fill(passphrase)
  await getButton('Create a new recovery key').click()
  const fresh = await keepRecoveryKey()
  await page.getByText('The new recovery key is in effect').waitFor()
  expect(await page.content()).not.toContain(fresh.slice(0, 9))

  await lockAndUnlock('Recovery key', recovery_key)
  await page.getByText('This recovery key belongs to another vault').waitFor()
  await page.getByLabel('Recovery key').fill(fresh)
  await page.keyboard.press('Enter')
  await waitForScreens()
  expect(await revealToken()).toEqual({ number: data })
})

test('a recovery key replaces the old one only once saved, and needs the passphrase', {
  tags: 'thorough',
}, async () => {
  await getButton('New recovery key…').click()
  const asking = getDialog('New recovery key')
  await asking.getByLabel('Vault passphrase').fill('wrong horse battery')
  await page.keyboard.press('Enter')
  await asking.getByText('The passphrase is wrong').waitFor()
  await asking.getByLabel('Vault passphrase').fill(passphrase)
  await page.keyboard.press('Enter')
  const recoveryDialog = getDialog('Save your recovery key')
  await recoveryDialog.waitFor()
  const fresh = (await recoveryDialog.locator('.recovery-key-group').allTextContents()).join('-')
  await recoveryDialog.getByRole('button', { name: 'Cancel' }).click()
  await asking.getByText('Nothing was changed').waitFor()
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await lockAndUnlock('Recovery key', fresh)
  await page.getByText('This recovery key belongs to another vault').waitFor()
  await page.getByLabel('Recovery key').fill(recovery_key)
  await page.keyboard.press('Enter')
  await waitForScreens()
})

test('changing the master secret shows a new recovery key', { tags: 'thorough' }, async () => {
  await getButton('Change master secret…').click()
  const asking = getDialog('Change the master secret')
  await asking.getByLabel('Vault passphrase').fill(passphrase)
  await page.keyboard.press('Enter')
  const fresh = await keepRecoveryKey()
  await page.getByText('The vault has a new master secret and recovery key').waitFor()
  expect(await revealToken()).toEqual({ number: data })

  await lockAndUnlock('Recovery key', fresh)
  await waitForScreens()
  expect(await revealToken()).toEqual({ number: data })
})

test('X-51 the window shows the data key’s uses, and the warning of a permission', {
  tags: 'thorough',
}, async () => {
  const section = page.getByRole('region', { name: 'Keys and rotation' })
  await section.getByText(/This key has encrypted (1 value|about \d+ values)\./).waitFor()
  const { id: app } = await vault.owner.applications.create({
    name: 'Page',
    type: 'public',
    permissions: ['token:update'],
  })
  await goTo(page, `#/applications/${app}`)
  await getButton('Edit').click()
  const editor = page.getByRole('complementary', { name: 'Edit application' })
  const warning = editor.getByText(getPermissionWarning('token:update') ?? 'none')
  await warning.waitFor()
  await editor.getByRole('button', { name: 'token:update' }).last().click()
  await warning.waitFor({ state: 'detached' })
})
