import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { viewAs } from './page-steps.ts'
import { openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page

/** A vault with a backend that reads masked cards, and a management application. */
const prepareVault = async ({ owner: { host, applications } }: StartedWindow) => {
  await host.createVault({ name: 'shop', protection: { memory: true } })
  await applications.create({
    name: 'Support desk',
    type: 'private',
    rules: [
      { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read', 'token:search'] },
    ],
  })
  await applications.create({ name: 'Collector', type: 'public', permissions: ['token:create'] })
  await applications.create({
    name: 'Provisioning',
    type: 'management',
    permissions: ['application:read', 'application:create'],
  })
}

beforeEach(async () => {
  ;({ vault, page } = await openWindow({ prepareVault }))
})

const openScreen = (screen: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click()
const waitForText = (text: string) => page.getByText(text).first().waitFor()
const getButton = (name: string) => page.getByRole('button', { name, exact: true })
async function startViewingAs(name: string): Promise<void> {
  await viewAs(page, name)
  await waitForText(`Viewing as ${name}.`)
}
/** Returns the refusals that the log records for an application. */
async function listRejections(): Promise<string[]> {
  const { data } = await vault.owner.logs.list({ size: 100 })
  return data
    .filter(({ status, actor_id }) => (status ?? 0) >= 400 && actor_id !== undefined)
    .map(({ action }) => String(action))
}

test('viewing as a key shows its list, names missing permissions and logs no refusals', async () => {
  const created = await vault.owner.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  const hidden = await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await openScreen('Tokens')
  await startViewingAs('Support desk')
  await page.getByRole('row', { name: created.id }).waitFor()
  await waitForText('1 token')
  const second = await vault.owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await page.getByRole('row', { name: second.id }).waitFor()
  expect(await page.getByRole('row', { name: hidden.id }).count()).toBe(0)
  await openScreen('Applications')
  await waitForText('Its key would get 403: this requires the permission application:read.')
  expect(await getButton('New application').count()).toBe(0)
  await openScreen('Home')
  await waitForText('Home shows the owner’s view, not the application’s.')
  expect(await listRejections()).toEqual([])
})

test('every screen shows either the key’s or the owner’s view, and no refusal is logged', {
  tags: 'thorough',
}, async () => {
  const made = await vault.owner.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  await openScreen('Tokens')
  await startViewingAs('Support desk')
  await page.getByRole('row', { name: made.id }).waitFor()
  await waitForText('1 token')
  await page.getByRole('search').getByRole('button', { name: 'Container', exact: true }).click()
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['All containers', '/pci', '/pci/high'])
  await page.keyboard.press('Escape')
  // Changes of hidden tokens must not cause requests in the key's name.
  const hidden = await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await vault.owner.tokens.update({ id: hidden.id, metadata: { a: 'b' } })
  const second = await vault.owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await page.getByRole('row', { name: second.id }).waitFor()
  expect(await page.getByRole('row', { name: hidden.id }).count()).toBe(0)

  for (const searched of [hidden.id, 'no-such-token']) {
    await page.getByRole('combobox', { name: /^Find by/ }).fill(searched)
    await waitForText('No matching tokens')
  }

  await openScreen('Applications')
  await waitForText('Its key would get 403: this requires the permission application:read.')
  await waitForText('Support desk needs application:read, but nothing grants it.')
  expect(await getButton('New application').count()).toBe(0)
  expect(await page.getByRole('grid').count()).toBe(0)
  await page.keyboard.press('n')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('application')
  await page.getByRole('dialog').getByText('Applications', { exact: true }).first().waitFor()
  for (const ownersOwn of ['New application', 'Rotate a key of Backend…']) {
    expect(await page.getByRole('dialog').getByText(ownersOwn).count()).toBe(0)
  }
  await page.keyboard.press('Escape')
  await openScreen('Requests')
  await waitForText('Its key would get 403: this requires the permission log:read.')
  await openScreen('Home')
  await waitForText('Home shows the owner’s view, not the application’s.')
  await openScreen('Settings')
  await waitForText('Settings show the owner’s view, not the application’s.')
  expect(await listRejections()).toEqual([])

  await openScreen('Applications')
  // No rule can help, so the screen suggests an application of another type.
  await waitForText('A private key can never have application:read, and no rule can grant it.')
  expect(await getButton('Edit rules as the owner').count()).toBe(0)
  await getButton('Provisioning').click()
  await page.getByRole('complementary', { name: 'Application', exact: true }).waitFor()
  expect(await page.getByText('Viewing as Support desk.').count()).toBe(0)
})

test('viewing as a key shows exactly the lists that the key may read', {
  tags: 'thorough',
}, async () => {
  await openScreen('Tokens')
  await startViewingAs('Collector')
  await waitForText('Its key would get 403: this requires the permission token:read.')
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await openScreen('Applications')
  await startViewingAs('Provisioning')
  await page.getByRole('row', { name: /Support desk/ }).click()
  const drawer = page.getByRole('complementary', { name: 'Application', exact: true })
  await waitForText('Only the owner can change applications and keys here.')
  expect(await page.getByRole('columnheader').allTextContents()).not.toContain('Last used')
  for (const name of ['New application', 'New key', 'Rotate key', 'Delete']) {
    expect([name, await getButton(name).count()]).toEqual([name, 0])
  }
  expect(await drawer.textContent()).not.toContain('key_local_pvt_…')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('e')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await listRejections()).toEqual([])

  const { data } = await vault.owner.applications.list({})
  const gone = data.find(({ name }) => name === 'Provisioning')?.id ?? ''
  await vault.owner.applications.remove({ id: gone })
  await waitForText('Provisioning no longer exists. You are viewing as the owner again.')
  await getButton('New application').waitFor()
})
