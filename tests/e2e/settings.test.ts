import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { findFreePort, takePort } from '../ports.ts'
import { waitFor } from '../wait-for.ts'
import { processorFiles } from '../wallets.ts'
import { openSettings } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page

beforeEach(async () => {
  const prepareVault = ({ owner }: StartedWindow) =>
    owner.host.createVault({ name: 'demo', protection: { memory: true } })
  ;({ vault, page } = await openWindow({ prepareVault }))
})

const getSection = (name: string) => page.getByRole('region', { name })
const getQuestion = () => page.getByRole('dialog', { name: 'Discard what you typed?' })

test('X-12 a port in use is refused at its field, and the listener keeps serving', async () => {
  const taken = await takePort()
  const state = await vault.owner.host.listenerOn()
  const url = state.state === 'on' ? state.url : ''
  await openSettings(page, 'listener')
  const port = getSection('Listener').getByLabel('Port')
  await port.fill(String(taken))
  await page.keyboard.press('Enter')
  await getSection('Listener').getByText(`Port ${taken} is taken`).waitFor()
  expect(await page.getByText('Saved').count()).toBe(0)
  await getSection('Listener').getByText(new URL(url).host).waitFor()
  expect((await fetch(`${url}/_coffer/health`)).status).toBe(200)
  expect((await vault.owner.host.status()).settings.port).toBe(0)

  await port.fill('')
  await getSection('Listener').getByText('Enter a port').waitFor()
  const free = await findFreePort()
  await port.fill(String(free))
  await getSection('Listener').getByRole('button', { name: 'Save' }).dblclick()
  await page.getByText('Saved').waitFor()
  expect(await page.getByText('Saved').count()).toBe(1)
  await getSection('Listener').getByText(`127.0.0.1:${free}`).waitFor()
  expect((await fetch(`http://127.0.0.1:${free}/_coffer/health`)).status).toBe(200)
})

test('undo of saved tenant settings reverts only the edited ones', async () => {
  await openSettings(page, 'tenant')
  const { name, settings } = await vault.owner.tenants.get()
  await getSection('Tenant').getByLabel('Name', { exact: true }).fill('Shop')
  await getSection('Tenant').getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: tenant settings').waitFor()
  await vault.owner.tenants.update({ name: 'Shop', settings: { ...settings, log_retention_days: '7' } })
  await page.getByRole('button', { name: /^Undo/ }).click()
  await waitFor(async () => expect((await vault.owner.tenants.get()).name).toBe(name))
  expect((await vault.owner.tenants.get()).settings.log_retention_days).toBe('7')
})

test('a section asks before it discards unsaved input, and cannot be saved unchanged', {
  tags: 'thorough',
}, async () => {
  await openSettings(page, 'tenant')
  const name = getSection('Tenant').getByLabel('Name', { exact: true })
  const before = await name.inputValue()
  const save = getSection('Tenant').getByRole('button', { name: 'Save' })
  expect(await save.isDisabled()).toBe(true)
  await name.fill('Another')
  await page.getByRole('link', { name: 'Home' }).click()
  await getQuestion().waitFor()
  await page.keyboard.press('Escape')
  await getQuestion().waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Another')
  await name.fill(before)
  expect(await save.isDisabled()).toBe(true)
  await name.fill('Another')
  await save.click()
  await page.getByText('Saved').waitFor()
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect((await vault.owner.tenants.get()).name).toBe('Another')

  for (const [to, label, typed] of [
    ['listener', 'Port', '4999'],
    ['banks', 'Account number', '123'],
  ] as const) {
    await openSettings(page, to)
    await page.getByLabel(label).fill(typed)
    await openSettings(page, 'window')
    await getQuestion().waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await getSection('Appearance and locking').waitFor()
  }

  await openSettings(page, 'faults')
  await page.getByRole('button', { name: 'Custom fault…' }).click()
  const fault = page.getByRole('dialog', { name: 'Fault' })
  await fault.getByRole('textbox', { name: 'Name' }).fill('mine')
  await page.keyboard.press('Escape')
  await getQuestion().waitFor()
  await page.keyboard.press('Escape')
  await getQuestion().waitFor({ state: 'detached' })
  expect(await fault.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('mine')
})

test('Home says when an in-memory vault is deleted, and how to save its tokens', {
  tags: 'thorough',
}, async () => {
  const card = page.getByRole('region', { name: 'This vault is in memory only' })
  await card.getByText('deleted when Coffer stops').waitFor()
  await card.getByRole('button', { name: 'Export tokens…' }).click()
  await getSection('Import and export').waitFor()
  await page.keyboard.press('Control+1')
  await card.getByRole('button', { name: 'New vault…' }).click()
  await page.getByRole('heading', { name: 'New vault' }).waitFor()
  await page.getByRole('button', { name: 'Back to the vault' }).click()
  await card.waitFor()
})

test('arrow keys keep the selected token in view, and Enter opens it', { tags: 'thorough' }, async () => {
  for (let at = 0; at < 60; at++) {
    await vault.owner.tokens.create({ id: `row-${at}`, type: 'token', data: 'x', mask: 'x' })
  }
  const isRowInView = () =>
    page.evaluate(() => {
      const row = document.querySelector('.grid-row[aria-selected="true"]')?.getBoundingClientRect()
      const grid = document.querySelector('.grid')?.getBoundingClientRect()
      const head = document.querySelector('.grid-head')?.getBoundingClientRect()
      return !!row && !!grid && !!head && row.top >= head.bottom - 0.5 && row.bottom <= grid.bottom + 0.5
    })
  for (const [width, height] of [
    [900, 700],
    [1280, 800],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.keyboard.press('Control+1')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.keyboard.press('Control+2')
    await page.getByRole('row', { name: 'row-59' }).waitFor()
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('ArrowDown')
      expect([width, presses, await isRowInView()]).toEqual([width, presses, true])
    }
    await page.keyboard.press('Enter')
    await page
      .getByRole('complementary', { name: 'Token', exact: true })
      .getByText('row-20')
      .first()
      .waitFor()
    await waitFor(async () => expect(await isRowInView()).toBe(true))
    for (const key of ['End', 'Home', 'PageDown', 'ArrowUp']) {
      await page.keyboard.press(key)
      await waitFor(async () => expect([key, await isRowInView()]).toEqual([key, true]))
    }
    await page.keyboard.press('Escape')
  }
  // The list's shortcuts do nothing while the focus is outside the list.
  await page.getByRole('button', { name: 'New token' }).focus()
  await page.keyboard.press('Backspace')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Backspace')
  await page.getByRole('dialog').waitFor()
})

test('an added metadata pair gets the focus, and typing triggers no shortcut', {
  tags: 'thorough',
}, async () => {
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await goTo(page, `#/tokens/${id}?edit=1`)
  await page.getByRole('button', { name: 'Add a pair' }).click()
  await page.keyboard.type('note')
  expect(await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('note')
  await page.getByRole('button', { name: 'Remove the pair' }).focus()
  await page.keyboard.press('n')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  for (const key of ['n', 'r', 'Backspace', 'e', 'ArrowDown']) await page.keyboard.press(key)
  expect(await getQuestion().count()).toBe(0)
  expect(page.url()).toContain('edit=1')
  await page.getByRole('complementary', { name: 'Edit token' }).waitFor()
})

test('X-23 copied diagnostics contain an error of the page without its message', {
  tags: 'thorough',
}, async () => {
  const protection = { passphrase: 'correct horse battery' }
  await vault.owner.host.createVault({ name: 'work', protection })
  await openSettings(page, 'vaults')
  await getSection('Vaults').getByText('Data folder').waitFor()
  const copy = getSection('Vaults').getByRole('button', { name: 'Copy diagnostics' })
  expect(await copy.count()).toBe(0)
  await page.evaluate(() => {
    const error = new TypeError('4242424242424242\n    at canary (app://coffer/canary.js:1:1)')
    window.dispatchEvent(new ErrorEvent('error', { error }))
  })
  await waitFor(async () => expect((await vault.owner.host.incidents()).count).toBe(1))
  await openSettings(page, 'window')
  await getSection('Appearance and locking').waitFor()
  await openSettings(page, 'vaults')
  await getSection('Vaults').getByText('1 internal error was recorded').waitFor()
  await copy.click()
  await getSection('Vaults').getByText('Copied').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(JSON.parse(copied)).toMatchObject({
    version: expect.stringMatching(/^\d/),
    shell: 'console',
    count: 1,
    incidents: [{ class: 'TypeError', where: 'window: page' }],
  })
  expect(copied).not.toMatch(/4242|canary/)
})

test('G-02 G-03 destinations are validated, added, removed and restored without a listener', {
  tags: 'thorough',
}, async () => {
  await openSettings(page, 'destinations')
  const shown = getSection('Destinations')
  const readDestinations = async () => (await vault.owner.host.status()).settings.destinations
  await shown.getByText('No hosts are allowed.').waitFor()
  const allow = shown.getByRole('button', { name: 'Allow' })
  const host = shown.getByLabel('Host, IP address or network')
  await host.fill('https://api.example.com')
  await shown.getByText('Enter a host without https://').waitFor()
  expect(await allow.isDisabled()).toBe(true)
  await host.fill(' API.example.com')
  await page.keyboard.press('Enter')
  await shown.getByRole('button', { name: 'Remove api.example.com' }).waitFor()
  await host.fill('api.example.com')
  await shown.getByText('This is already in the list.').waitFor()
  await host.fill('10.0.0.0/8')
  await allow.click()
  await shown.getByRole('button', { name: 'Remove 10.0.0.0/8' }).waitFor()
  await shown.getByLabel('Origin', { exact: true }).fill('https://api.example.com/v1')
  await shown.getByText('Enter a scheme, host and port without a path.').waitFor()
  await shown.getByLabel('Origin', { exact: true }).fill('https://api.example.com')
  await shown.getByLabel('Redirect to').fill('http://127.0.0.1:12111')
  await shown.getByRole('button', { name: 'Redirect', exact: true }).click()
  await shown.getByRole('button', { name: 'Remove https://api.example.com' }).waitFor()
  const map = { 'https://api.example.com': 'http://127.0.0.1:12111' }
  expect(await readDestinations()).toEqual({ allow: ['api.example.com', '10.0.0.0/8'], map })

  // Every change can be undone; this one undoes the removal.
  const undo = page.getByRole('button', { name: 'Undo' })
  await waitFor(async () => expect(await undo.count()).toBe(0))
  await shown.getByRole('button', { name: 'Remove api.example.com' }).click()
  await waitFor(async () => expect((await readDestinations()).allow).toEqual(['10.0.0.0/8']))
  await undo.click()
  await shown.getByRole('button', { name: 'Remove api.example.com' }).waitFor()
  expect(await readDestinations()).toEqual({ allow: ['api.example.com', '10.0.0.0/8'], map })
  expect((await vault.owner.host.status()).listener.state).toBe('off')

  await host.fill('half')
  await openSettings(page, 'window')
  await getQuestion().waitFor()
})

test('a setting is found by its words, shown and focused', async () => {
  await openSettings(page, 'vaults')
  await page.getByRole('searchbox', { name: 'Find a setting' }).fill('rate limits')
  const found = page.getByRole('link', { name: /Rate limits/ })
  await found.waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => found.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  const field = getSection('Tenant').getByRole('combobox', { name: 'Rate limits' })
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('Settings shows the tenant’s members and deletes an invitation', {
  tags: 'thorough',
}, async () => {
  const { owner } = vault
  await owner.invitations.create({ email: 'somebody@example.com' })
  await openSettings(page, 'members')
  const members = getSection('Members')
  await members.getByText((await owner.tenants.get()).owner_id).waitFor()
  await members.getByText('PENDING').waitFor()
  await members.getByLabel('Security contact').fill('nobody')
  await members.getByRole('button', { name: 'Save' }).click()
  await members.getByText('must be an email address').waitFor()
  await members.getByLabel('Security contact').fill('security@example.com')
  await members.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  expect(await owner.tenants.getSecurityContact()).toEqual({ email: 'security@example.com' })
  await members.getByRole('button', { name: 'Delete the invitation for somebody@example.com' }).click()
  expect((await owner.invitations.list({})).data).toHaveLength(1)
  await page
    .getByRole('dialog', { name: 'Delete this invitation?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await members.getByText('No invitations yet.').waitFor()
  expect((await owner.invitations.list({})).data).toEqual([])
})

test('Z-02 Merchants lists registrations with their certificates, and domains, and deletes a registration', {
  tags: 'thorough',
}, async () => {
  const { owner } = vault
  await goTo(page, '#/merchants?view=wallets')
  const members = page.getByRole('main')
  await members.getByText('No registrations yet').waitFor()
  const { id: merchantId } = await owner.applePay.createMerchant({
    merchant_identifier: 'merchant.com.example.shop',
  })
  await owner.applePay.createCertificates({ merchantId, ...processorFiles })
  await owner.applePay.createDomain({ domain: 'shop.example.com' })
  await members.getByText(merchantId).waitFor()
  await members.getByText('1a7c39c36baacb57…').waitFor()
  await members.getByText('shop.example.com', { exact: true }).waitFor()
  await members
    .getByRole('button', { name: 'Delete the registration merchant.com.example.shop and its certificates' })
    .click()
  const question = page.getByRole('dialog', { name: 'Delete this registration?' })
  await question.getByRole('textbox').fill('merchant.com.example.shop')
  await question.getByRole('button', { name: 'Delete' }).click()
  await members.getByText('No registrations yet').waitFor()
  await owner.applePay.removeDomain({ domain: 'shop.example.com' })
})

test('Z-03 Merchants follows the merchants of the tenant and deletes one', {
  tags: 'thorough',
}, async () => {
  const { owner } = vault
  await goTo(page, '#/merchants')
  const members = page.getByRole('main')
  await members.getByText('No merchants yet').waitFor()
  const { id } = await owner.merchants.create({ tenant_id: 'self', name: 'Shop' })
  await members.getByText(id).waitFor()
  await owner.merchants.requestOnboarding({ tenant_id: 'self', id, network_token: ['visa'] })
  await members.getByText('network_token', { exact: true }).waitFor()
  await members.getByRole('button', { name: 'Delete the merchant Shop' }).click()
  const question = page.getByRole('dialog', { name: 'Delete this merchant?' })
  await question.getByRole('textbox').fill('Shop')
  await question.getByRole('button', { name: 'Delete' }).click()
  await members.getByText('No merchants yet').waitFor()
  expect((await owner.merchants.list({ tenant_id: 'self' })).data).toEqual([])
})

test('Settings changes deduplication and ephemeral proxy calls', {
  tags: 'thorough',
}, async () => {
  await openSettings(page, 'tenant')
  const tenant = getSection('Tenant')
  await tenant.getByRole('combobox', { name: 'When the token already exists' }).click()
  await page.getByRole('option', { name: 'Update it' }).click()
  await tenant.getByLabel('Refuse ephemeral proxy calls').check()
  await tenant.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  expect((await vault.owner.tenants.get()).settings).toMatchObject({
    token_deduplication_behavior: 'update_existing',
    disable_ephemeral_proxy: 'true',
  })
})
