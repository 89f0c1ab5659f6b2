import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page

/** A vault with a backend that reads masked cards, and a management application. */
const prepare = async ({ owner: { host, applications } }: StartedWindow) => {
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
  ;({ vault, page } = await openWindow({ prepare }))
})

const to = (screen: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click()
const says = (text: string) => page.getByText(text).first().waitFor()
const button = (name: string) => page.getByRole('button', { name, exact: true })
async function viewAs(name: string): Promise<void> {
  await page.getByRole('button', { name: /Viewing as/ }).click()
  await page.getByRole('menuitem', { name }).click()
  await says(`Viewing as ${name}.`)
}
/** Returns the refusals that the log records for an application. */
async function refusals(): Promise<string[]> {
  const { data } = await vault.owner.logs.list({ size: 100 })
  return data
    .filter(({ status, actor_id }) => (status ?? 0) >= 400 && actor_id !== undefined)
    .map(({ operation }) => String(operation))
}

test('viewing as a key shows its list, names missing permissions and logs no refusals', async () => {
  const created = await vault.owner.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  const hidden = await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await to('Tokens')
  await viewAs('Support desk')
  await page.getByRole('row', { name: created.id }).waitFor()
  await says('1 token')
  const second = await vault.owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await page.getByRole('row', { name: second.id }).waitFor()
  expect(await page.getByRole('row', { name: hidden.id }).count()).toBe(0)
  await to('Applications')
  await says('Its key would get 403: this requires the permission application:read.')
  expect(await button('New application').count()).toBe(0)
  await to('Home')
  await says('Home shows the owner’s view, not the application’s.')
  expect(await refusals()).toEqual([])
})

test('every screen shows the key’s view or the owner’s, and logs no refusals', {
  tags: 'thorough',
}, async () => {
  const made = await vault.owner.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  await to('Tokens')
  await viewAs('Support desk')
  await page.getByRole('row', { name: made.id }).waitFor()
  await says('1 token')
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
    await says('No matching tokens')
  }

  await to('Applications')
  await says('Its key would get 403: this requires the permission application:read.')
  await says('Support desk needs application:read, but nothing grants it.')
  expect(await button('New application').count()).toBe(0)
  expect(await page.getByRole('grid').count()).toBe(0)
  await page.keyboard.press('n')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('application')
  await page.getByRole('dialog').getByText('Applications', { exact: true }).first().waitFor()
  for (const ownersOwn of ['New application', 'Rotate a key of Backend…']) {
    expect(await page.getByRole('dialog').getByText(ownersOwn).count()).toBe(0)
  }
  await page.keyboard.press('Escape')
  await to('Requests')
  await says('Its key would get 403: this requires the permission log:read.')
  await to('Home')
  await says('Home shows the owner’s view, not the application’s.')
  await to('Settings')
  await says('Settings show the owner’s view, not the application’s.')
  expect(await refusals()).toEqual([])

  await to('Applications')
  // No rule can help, so the screen suggests an application of another type.
  await says('A private key can never have application:read, and no rule can grant it.')
  expect(await button('Edit rules as the owner').count()).toBe(0)
  await button('Provisioning').click()
  await page.getByRole('complementary', { name: 'Application', exact: true }).waitFor()
  expect(await page.getByText('Viewing as Support desk.').count()).toBe(0)
})

test('viewing as a key shows exactly the lists that the key may read', {
  tags: 'thorough',
}, async () => {
  await to('Tokens')
  await viewAs('Collector')
  await says('Its key would get 403: this requires the permission token:read.')
  await vault.owner.tokens.create({ type: 'token', data: 'x' })
  await to('Applications')
  await viewAs('Provisioning')
  await page.getByRole('row', { name: /Support desk/ }).click()
  const drawer = page.getByRole('complementary', { name: 'Application', exact: true })
  await says('Only the owner can change applications and keys here.')
  expect(await page.getByRole('columnheader').allTextContents()).not.toContain('Last used')
  for (const name of ['New application', 'New key', 'Rotate key', 'Delete']) {
    expect([name, await button(name).count()]).toEqual([name, 0])
  }
  expect(await drawer.textContent()).not.toContain('key_local_pvt_…')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('e')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await refusals()).toEqual([])

  const { data } = await vault.owner.applications.list({})
  const gone = data.find(({ name }) => name === 'Provisioning')?.id ?? ''
  await vault.owner.applications.remove({ id: gone })
  await says('Provisioning no longer exists. You are viewing as the owner again.')
  await button('New application').waitFor()
})
