import fs from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { pressKeys, viewAs } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'
let vault: StartedWindow
let page: Page
/** The confirmation that is shown before unsaved input is discarded. */
let discarding: Locator

/** Opens a window on an empty machine. */
beforeEach(async () => {
  ;({ vault, page } = await openWindow())
  discarding = page.getByRole('dialog', { name: 'Discard what you typed?' })
})

/** Creates a vault with sample data and a listener; returns its keys. */
async function openDemo() {
  const { keys } = await vault.owner.host.createVault({
    name: 'demo',
    protection: { memory: true },
    sample_data: true,
  })
  const listener = await vault.owner.host.listenerOn()
  const url = listener.state === 'on' ? listener.url : ''
  const callVault = (method: string, to: string, key: string, body?: object) =>
    fetch(url + to, {
      method,
      headers: { 'SVC-API-KEY': key, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return { keys, url, callVault }
}

const typeText = (text: string) => page.keyboard.type(text)
/** Presses Tab until the element with this name has the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement
      if (element === document.body) return ''
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null
      return `${element?.getAttribute('aria-label') ?? ''} ${label ?? ''} ${element?.textContent ?? ''}`
    })
    if (typeof name === 'string' ? focused.includes(name) : name.test(focused)) return
    await pressKeys(page, 'Tab')
  }
  throw new Error(`Tab does not reach ${name}.`)
}
const card = {
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 },
}

test('journey 1: a keyboard user creates a vault and opens a first token sent by curl', {
  tags: 'thorough',
}, async () => {
  await page.getByText('Welcome to Coffer').waitFor()
  await tabTo('Name')
  await pressKeys(page, 'Control+a')
  await typeText('shop')
  await tabTo('Passphrase')
  await pressKeys(page, 'Space')
  await page.locator('input[type=password]').first().waitFor()
  await tabTo(/^ Passphrase $/)
  await typeText('correct horse battery')
  await tabTo('Confirm passphrase')
  await typeText('correct horse battery')
  await pressKeys(page, 'Enter')

  await page.getByText('Save your recovery key').waitFor()
  const groups = await page.locator('.recovery-key-group').allTextContents()
  expect(groups).toHaveLength(10)
  const question = await page.getByText(/^Type group \d+/).textContent()
  const asked = Number(/\d+/.exec(question ?? '')?.[0])
  const asksToStay = page.waitForEvent('dialog')
  await page.evaluate(() => {
    setTimeout(() => location.reload())
  })
  const dialog = await asksToStay
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await tabTo('Type group')
  await typeText('0000')
  await pressKeys(page, 'Enter')
  await page.getByText('Compare it with the key you saved').waitFor()
  await pressKeys(page, 'Control+a')
  await typeText((groups[asked - 1] ?? '').toLowerCase())
  await pressKeys(page, 'Enter')

  await page.getByText('Your first request').waitFor()
  await tabTo('Start listener')
  await pressKeys(page, 'Enter')
  await page.getByText('Waiting for a request').waitFor()
  await tabTo('Copy curl command')
  await pressKeys(page, 'Enter')
  const line = await waitFor(async () => {
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(text).not.toBe('')
    return text
  })
  const [, url = '', key = '', body = ''] =
    /curl (\S+) [\s\S]*SVC-API-KEY: (\S+)'[\s\S]*-d '(.*)'/.exec(line) ?? []
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
    body,
  })
  expect(response.status).toBe(201)
  const { id } = (await response.json()) as { id: string }
  await page.getByText('A token has arrived').waitFor()
  await tabTo('Open the token')
  await pressKeys(page, 'Enter')
  const copied = page.getByRole('dialog', { name: 'Have you copied these keys?' })
  await copied.waitFor()
  expect(await copied.getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(/^key_local_mgt_…\w{4}$/),
    expect.stringMatching(/^key_local_pub_…\w{4}$/),
  ])
  await tabTo('I have what I need')
  await pressKeys(page, 'Enter')
  await page
    .getByRole('complementary', { name: 'Token', exact: true })
    .getByText('XXXXXXXXXXXX4242')
    .first()
    .waitFor()
  expect(page.url()).toContain(id)
})

test('journey 1: “Run it here” stores the first card, and its token can be opened', {
  tags: 'thorough',
}, async () => {
  await page.getByLabel('None, in memory only').check()
  await page.getByLabel('Add sample tokens').uncheck()
  await page.getByRole('button', { name: 'Create vault' }).click()
  await page.getByRole('button', { name: 'Start listener' }).click()
  await page.getByText('Waiting for a request').waitFor()
  await page.getByRole('button', { name: 'Run it here' }).dblclick()
  await page.getByText('The token is in the vault').waitFor()
  expect(await page.getByText('Waiting for a request').count()).toBe(0)
  const { data } = await vault.owner.tokens.list()
  expect(data).toHaveLength(1)
  const { listener } = await vault.owner.host.status()
  const url = listener.state === 'on' ? listener.url : ''
  await fetch(`${url}/tokens`, { method: 'POST', headers: { 'SVC-API-KEY': 'wrong' } })
  await page.getByText('A request arrived and was refused').waitFor()
  await page.getByRole('button', { name: 'Run it here' }).click()
  await page.getByRole('button', { name: 'Open the token' }).click()
  await page.getByRole('button', { name: 'I have what I need' }).click()
  await page.getByRole('complementary', { name: 'Token', exact: true }).waitFor()
})

test('journey 1: a new token appears in the list, highlighted briefly', {
  tags: 'thorough',
}, async () => {
  const { keys, callVault } = await openDemo()
  await pressKeys(page, 'Control+2')
  await page.getByRole('row').nth(3).waitFor()
  const { id } = (await (await callVault('POST', '/tokens', keys.private, card)).json()) as { id: string }
  const row = page.getByRole('row', { name: id })
  await row.waitFor()
  expect(await row.getAttribute('class')).toContain('grid-fresh')
  await page.locator('.grid-fresh').waitFor({ state: 'detached' })
  await callVault('DELETE', `/tokens/${id}`, keys.private)
  await row.waitFor({ state: 'detached' })
})

test('journey 2: a 403 shows the rules considered, and the request can be sent again', {
  tags: 'thorough',
}, async () => {
  await openDemo()
  const { owner } = vault
  const apps = await owner.applications.list({ size: 100 })
  const payments = apps.data.find(({ name }) => name === 'Payments')
  const token = await owner.tokens.create({ type: 'social_security_number', data: '987-65-4321' })
  const { key = '' } = await owner.keys.create({ id: payments?.id ?? '' })
  const state = await owner.host.status()
  const url = state.listener.state === 'on' ? state.listener.url : ''
  const refused = await fetch(`${url}/tokens/${token.id}`, { headers: { 'SVC-API-KEY': key } })
  expect(refused.status).toBe(403)

  await pressKeys(page, 'Control+8')
  await page.getByText('Refused', { exact: true }).click()
  await page.getByRole('row', { name: /403.*GET.*Payments/ }).click()
  const drawer = page.getByRole('complementary', { name: 'Record' })
  await drawer.getByText('Payments needs token:read on /pii/high/').waitFor()
  await drawer.locator('.rule-card').nth(2).waitFor()
  expect(await drawer.locator('.rule-card').count()).toBe(3)
  await drawer.getByRole('button', { name: 'Edit rules' }).click()

  // A new rule grants what the refused request needed.
  await page.getByRole('button', { name: 'Add a rule for token:read on /pii/high/' }).click()
  const container = page.getByRole('group', { name: 'Rule 4' }).getByRole('combobox', { name: 'Container' })
  expect(await container.inputValue()).toBe('/pii/high/')
  await page.getByRole('button', { name: 'Add a rule' }).focus()
  await pressKeys(page, 'Enter')
  await page.getByRole('group', { name: 'Rule 4' }).getByRole('button', { name: 'Remove the rule' }).focus()
  await pressKeys(page, 'Enter')
  await page.getByRole('group', { name: 'Rule 5' }).waitFor({ state: 'detached' })
  await pressKeys(page, 'Enter')
  await page.getByRole('group', { name: 'Rule 4' }).waitFor({ state: 'detached' })
  await pressKeys(page, 'Enter', 'Escape')
  await discarding.waitFor()
  await pressKeys(page, 'Escape')
  const rule = page.getByRole('group', { name: 'Rule 4' })
  await rule.getByRole('combobox', { name: 'Container' }).fill('/pii/')
  await page.locator('.rules-example').filter({ hasText: 'rule 4' }).first().waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Application saved').waitFor()

  await page.goBack()
  await drawer.getByText('It would be granted now: mask, by rule 4 on /pii/').waitFor()
  await drawer.getByRole('button', { name: 'Send again' }).click()
  expect(await page.getByLabel('id', { exact: false }).first().inputValue()).toBe(token.id)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('XXX-XX-4321').waitFor()
})

test('journey 3: a browser key made by keyboard can create tokens but not read them', {
  tags: 'thorough',
}, async () => {
  await openDemo()
  await pressKeys(page, 'Control+4')
  await page.getByRole('row', { name: /Payments/ }).waitFor()
  await pressKeys(page, 'n')
  await page.getByText('What is it for?').waitFor()
  await tabTo('Browser or mobile app')
  await pressKeys(page, 'Enter')
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await typeText('Shop page')
  await tabTo('Web origins to allow')
  await typeText('http://localhost:3000')
  await pressKeys(page, 'Enter')
  await tabTo('Create application')
  await pressKeys(page, 'Escape')
  await discarding.getByRole('button', { name: 'Keep editing' }).and(page.locator(':focus')).waitFor()
  await pressKeys(page, 'Enter')
  await discarding.waitFor({ state: 'detached' })
  const readOrigins = async () => (await vault.owner.host.status()).settings.origins
  const before = await readOrigins()
  const expires = page.getByRole('textbox', { name: 'Expires', exact: true })
  await expires.fill('soon')
  await tabTo('Create application')
  await pressKeys(page, 'Enter')
  await expires.and(page.locator('[aria-invalid="true"]')).waitFor()
  expect(await readOrigins()).toEqual(before)
  await expires.fill('')
  const elsewhere = [...before, 'http://localhost:5000']
  await vault.owner.host.updateSettings({ origins: elsewhere })
  await tabTo('Create application')
  await pressKeys(page, 'Enter')
  await page.getByText('Shop page is ready').waitFor()
  expect(await readOrigins()).toEqual([...elsewhere, 'http://localhost:3000'])
  const key = (await page.locator('.applications-key-once code').textContent()) ?? ''
  expect(key).toMatch(/^key_local_pub_/)
  const { listener } = await vault.owner.host.status()
  const url = listener.state === 'on' ? listener.url : ''
  const createCardFrom = (origin: string) =>
    fetch(`${url}/tokens`, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json', Origin: origin },
      body: JSON.stringify(card),
    })
  expect((await createCardFrom('http://localhost:3000')).status).toBe(201)
  expect((await createCardFrom('http://localhost:4000')).status).toBe(403)
  const read = await fetch(`${url}/v2/tokens`, { headers: { 'SVC-API-KEY': key } })
  expect(read.status).toBe(403)
})

test('journey 4: two applications see different tokens, and a deleted key gets 401', {
  tags: 'thorough',
}, async () => {
  const { callVault } = await openDemo()
  await pressKeys(page, 'Control+2')
  await page.getByRole('row', { name: /SSN/ }).first().waitFor()
  const startViewingAs = async (name: string) => {
    await viewAs(page, name)
    await page.getByText(`Viewing as ${name}.`).waitFor()
  }
  await startViewingAs('Support desk')
  await page.getByRole('row', { name: /XXXXXXXXXXXX3222/ }).click()
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText('mask, by rule 1 on /pci/ (token:read)').waitFor()
  expect(await drawer.getByRole('button', { name: /Reveal/ }).count()).toBe(0)
  await pressKeys(page, 'Escape')
  await startViewingAs('Payments')
  await page.getByRole('row', { name: /2223003122003222/ }).waitFor()
  expect(await page.getByRole('row', { name: /SSN/ }).count()).toBe(0)
  const number = await vault.owner.tokens.create({ type: 'social_security_number', data: '987-65-4321' })
  await page.evaluate((id) => {
    location.hash = `#/tokens/${id}`
  }, number.id)
  await drawer.getByText('Payments needs token:read on /pii/high/').waitFor()
  expect(await drawer.locator('.rule-card').filter({ hasText: 'another container' }).count()).toBe(3)
  await pressKeys(page, 'Escape')
  await page.getByRole('button', { name: 'Return to owner view' }).click()
  await page.getByRole('row', { name: /XXXXXXXXXXXX3222/ }).waitFor()

  await pressKeys(page, 'Control+4')
  await page.getByRole('row', { name: /Payments/ }).click()
  const application = page.getByRole('complementary', { name: 'Application' })
  await application.getByRole('button', { name: 'New key' }).click()
  const key = (await page.locator('.applications-key-once code').textContent()) ?? ''
  expect((await callVault('GET', '/v2/tokens?container=/pci/', key)).status).toBe(200)
  await application.getByRole('button', { name: `Delete the key key_local_pvt_…${key.slice(-4)}` }).click()
  await page.getByLabel('Type delete to confirm').fill('delete')
  await pressKeys(page, 'Enter')
  await page.getByText('Requests that use it now get 401').waitFor()
  expect((await callVault('GET', '/v2/tokens?container=/pci/', key)).status).toBe(401)
})

test('journey 5: a key is rotated while both keys work', { tags: 'thorough' }, async () => {
  const { keys, callVault } = await openDemo()
  await pressKeys(page, 'Control+4')
  await page.getByRole('row', { name: /Backend/ }).click()
  await page.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('button', { name: 'Create a new key' }).click()
  const fresh = (await page.locator('.applications-key-once code').textContent()) ?? ''
  await page.getByRole('button', { name: 'My programs have the new key' }).click()
  const dialog = page.getByRole('dialog')
  const quiet = dialog.getByRole('button', { name: 'The old key is no longer used' })
  expect(await dialog.getByText('never used').count()).toBe(2)
  expect((await callVault('GET', '/v2/tokens', keys.private)).status).toBe(200)
  await dialog.getByText('last used just now').waitFor()
  expect(await quiet.isDisabled()).toBe(true)
  expect((await callVault('GET', '/v2/tokens', fresh)).status).toBe(200)
  await dialog.getByText('the old one has not been used since').waitFor()
  await quiet.click()
  await page.getByRole('button', { name: 'Delete old key' }).click()
  await page.getByText('Key rotated').waitFor()
  expect((await callVault('GET', '/v2/tokens', keys.private)).status).toBe(401)
  expect((await callVault('GET', '/v2/tokens', fresh)).status).toBe(200)
})

test('journey 6: a copied backup of a deleted vault is restored with the recovery key', async () => {
  const { owner } = vault
  const { recovery_key = '' } = await owner.host.createVault({
    name: 'shop',
    protection: { passphrase },
  })
  const { id } = await owner.tokens.create(card)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await pressKeys(page, 'Control+,')
  await page.getByRole('link', { name: 'Backups' }).click()
  await page.getByRole('button', { name: 'Back up now' }).click()
  await page.getByText('Backed up').waitFor()
  const [backup] = (await owner.host.listBackups({})).backups
  const copy = path.join(createTempFolder(), 'copy.coffer-backup')
  fs.copyFileSync(path.resolve(backup?.file ?? ''), copy)

  const section = page.getByRole('region', { name: 'Backups' })
  await section.getByText(/manual, \d+ KiB/).waitFor()
  await section.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete this backup?' })
  await question.getByLabel('Vault passphrase').fill('not this one')
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('The passphrase is wrong').waitFor()
  await question.getByLabel('Vault passphrase').fill(passphrase)
  await question.getByRole('button', { name: 'Delete' }).click()
  await section.getByText('No backups yet.').waitFor()
  await goTo(page, '#/settings/vaults')
  await page.getByRole('button', { name: 'Delete the vault shop' }).click()
  const gone = page.getByRole('dialog', { name: 'Delete this vault?' })
  await gone.getByLabel('Vault passphrase').fill(passphrase)
  await gone.getByRole('button', { name: 'Delete the vault' }).click()
  await page.getByRole('heading', { name: 'Welcome to Coffer' }).waitFor()
  expect((await owner.host.status()).vaults).toEqual([])

  await page.getByRole('button', { name: 'Restore a backup' }).click()
  await page.getByLabel('Backup file').fill(copy)
  await page.getByLabel('Recovery key').last().fill(recovery_key)
  await page.getByLabel('Name of the new vault').fill('moved')
  await page.getByLabel('New passphrase', { exact: true }).fill('another horse battery')
  await page.getByLabel('Confirm new passphrase').fill('another horse battery')
  await page.getByRole('button', { name: 'Restore and open' }).click()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.keyboard.press('Control+2')
  await page.getByRole('row', { name: id }).waitFor()
})

test('journey 7: a keyboard user creates a token and rules, and views a refusal', {
  tags: 'thorough',
}, async () => {
  await page.getByText('Welcome to Coffer').waitFor()
  await tabTo('Passphrase')
  await pressKeys(page, 'ArrowDown')
  await page.getByRole('radio', { name: 'None, in memory only', checked: true }).waitFor()
  await tabTo('Create vault')
  await pressKeys(page, 'Enter')
  await tabTo('Start listener')
  await pressKeys(page, 'Enter')
  await page.getByText('Waiting for a request').waitFor()
  await tabTo('Go to the vault')
  await pressKeys(page, 'Enter')
  await page.getByRole('dialog', { name: 'Have you copied these keys?' }).waitFor()
  await tabTo('I have what I need')
  await pressKeys(page, 'Enter')
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()

  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await pressKeys(page, 'Control+2')
  await page.getByRole('button', { name: 'New token' }).first().waitFor()
  await pressKeys(page, 'n')
  const newToken = page.getByRole('complementary', { name: 'New token' })
  await newToken.waitFor()
  await tabTo('Number')
  await typeText('4242424242424242')
  await tabTo('Month')
  await typeText('12')
  await pressKeys(page, 'Tab')
  await typeText('2030')
  await pressKeys(page, 'Enter')
  await page.getByRole('complementary', { name: 'Token', exact: true }).waitFor()
  await pressKeys(page, 'Escape')

  await pressKeys(page, 'Control+4')
  await page.getByRole('button', { name: 'New application' }).waitFor()
  await pressKeys(page, 'n')
  await page.getByText('What is it for?').waitFor()
  await tabTo('A server that stores and reads tokens.')
  await pressKeys(page, 'Enter')
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await typeText('Reports')
  await pressKeys(page, 'Enter')
  await page.getByText('Reports is ready').waitFor()
  const key = (await page.locator('.applications-key-once code').textContent()) ?? ''
  await tabTo('Copy key')
  await pressKeys(page, 'Enter')
  await page.getByText('Copied. It will not be shown again.').waitFor()
  await tabTo('Done')
  await pressKeys(page, 'Enter')
  const drawer = page.getByRole('complementary', { name: 'Application', exact: true })
  await drawer.getByText('Reports').first().waitFor()
  await pressKeys(page, 'e')
  await page.getByRole('complementary', { name: 'Edit application' }).waitFor()
  await tabTo(/^\s*1/)
  await pressKeys(page, 'Enter')
  await tabTo('Container')
  await pressKeys(page, 'Control+a')
  await typeText('/pci/')
  await tabTo('Save changes')
  await pressKeys(page, 'Enter')
  await drawer.getByText('/pci/').first().waitFor()

  const { listener } = await vault.owner.host.status()
  const url = listener.state === 'on' ? listener.url : ''
  const answer = await fetch(`${url}/applications`, { headers: { 'SVC-API-KEY': key } })
  expect(answer.status).toBe(403)
  await pressKeys(page, 'Control+8')
  await page.getByRole('row', { name: /403.*Reports/ }).waitFor()
  await pressKeys(page, 'ArrowDown', 'Enter')
  await page.getByText('Why it was refused').waitFor()

  await pressKeys(page, 'Control+l')
  const question = page.getByRole('dialog', { name: 'Lock this in-memory vault?' })
  await question.waitFor()
  await tabTo('Lock and delete')
  await pressKeys(page, 'Enter')
  await page.getByText('Welcome to Coffer').waitFor()
})
