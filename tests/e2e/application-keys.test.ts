import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page
let id: string
let key: string

/** Opens the drawer of an application with one key. */
beforeEach(async () => {
  const prepare = async ({ owner: { host, applications } }: StartedWindow) => {
    await host.createVault({ name: 'other', protection: { passphrase: 'correct horse battery' } })
    await host.createVault({ name: 'shop', protection: { memory: true } })
    const created = await applications.create({
      name: 'Checkout',
      type: 'private',
      permissions: ['token:read'],
    })
    ;[id, key] = [created.id, created.key ?? '']
    await applications.create({ name: 'Newer', type: 'public', permissions: ['token:create'] })
  }
  ;({ vault, page } = await openWindow({ prepare }))
  await goTo(page, `#/applications/${id}`)
  await drawer().getByText('never used').waitFor()
})

const drawer = () => page.getByRole('complementary', { name: 'Application', exact: true })
const button = (name: string | RegExp) => page.getByRole('button', { name })
const question = () => page.getByRole('dialog', { name: 'Have you copied this key?' })
const shown = async () => (await page.locator('.key-once code').textContent()) ?? ''
const formatHint = (of: string) => `key_local_pvt_…${of.slice(-4)}`
/** Calls the API with a key, like a program. */
const use = (of: string) => vault.host.getEngine()?.call('tokens.list', {}, { kind: 'key', key: of })
const keysNow = () => vault.owner.stats.keys({ application_id: id })

async function stays(): Promise<void> {
  await question().waitFor()
  await waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Back to the key'),
  )
  await page.keyboard.press('Escape')
  await question().waitFor({ state: 'detached' })
}

test('A-03 K-03 the window asks before it hides an uncopied key, also in a rotation', async () => {
  await button('New key').click()
  const createdKey = await shown()
  const ways = [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('ArrowUp'),
    () => page.keyboard.press('e'),
    () => page.keyboard.press('Control+2'),
    () => page.getByRole('link', { name: 'Home' }).click(),
    () => drawer().getByRole('button', { name: 'Close' }).click(),
    () => page.getByRole('row', { name: /Newer/ }).click(),
    () => button('New application').click(),
    () => button('New key').click(),
    () => button('Rotate key').click(),
    () => page.goBack(),
    async () => {
      await button(/Viewing as/).click()
      await page.getByRole('menuitem', { name: 'Newer' }).click()
    },
    () => drawer().getByRole('button', { name: 'View as' }).click(),
    ...['New vault…', 'other'].map((name) => async () => {
      await button('Vault in-memory').click()
      await page.getByRole('menuitem', { name }).click()
    }),
    async () => {
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('switch to vault other')
      await page.keyboard.press('Enter')
      await page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
    },
    async () => {
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('playground')
      await page.keyboard.press('Enter')
    },
  ]
  for (const way of pickSome(ways, 3)) {
    await way()
    await stays()
    expect(await shown()).toBe(createdKey)
  }
  expect(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(
    false,
  )
  expect(await page.content()).toContain(formatHint(createdKey))
  await button('Copy key').click()
  await page.getByText('Copied. It will not be shown again.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(createdKey)
  await page.keyboard.press('Escape')
  await drawer().waitFor({ state: 'detached' })
  expect(await question().count()).toBe(0)
  expect(await page.content()).not.toContain(createdKey)

  await vault.owner.keys.remove({ id, keyId: (await keysNow())[0]?.id ?? '' })
  await goTo(page, `#/applications/${id}`)
  await button('Rotate key').click()
  await button('Create a new key').click()
  const fresh = await shown()
  await button('My programs have the new key').click()
  const guide = page.getByRole('dialog')
  const quiet = guide.getByRole('button', { name: 'The old key is no longer used' })
  await use(key)
  await guide.getByText('last used just now').waitFor()
  expect(await quiet.isDisabled()).toBe(true)
  await use(fresh)
  await guide.getByText('the old one has not been used since').waitFor()
  await quiet.click()
  await button('Delete old key').click()
  await page.getByText('Key rotated').waitFor()
  await expect(use(key)).rejects.toMatchObject({ status: 401 })
  await use(fresh)
})

test('A-03 Done asks unless the new key or a snippet with it was copied', {
  tags: 'thorough',
}, async () => {
  const create = async () => {
    await button('New application').click()
    await button(/^Backend/).click()
    await button('Create application').click()
    await page.locator('.key-once').waitFor()
  }
  await create()
  await button('Done').click()
  await stays()
  await page.locator('.key-once code').evaluate((code) => getSelection()?.selectAllChildren(code))
  await page.keyboard.press('Control+c')
  await page.getByText('Copied. It will not be shown again.').waitFor()
  await button('Done').click()
  await drawer().getByText('Backend').first().waitFor()
  await create()
  await button('Copy .env').click()
  await button('Done').click()
  await page.locator('.key-once').waitFor({ state: 'detached' })
  await create()
  await page.keyboard.press('Escape')
  await question().getByRole('button', { name: 'I have copied it' }).click()
  await page.locator('.key-once').waitFor({ state: 'detached' })
  expect((await vault.owner.applications.list({})).data).toHaveLength(8)
})

test('K-03 a rotation resumes after a reload, and replaces a lost key', {
  tags: 'thorough',
}, async () => {
  await button('Rotate key').click()
  await button('Create a new key').click()
  const lostKey = await shown()
  const guide = page.getByRole('dialog', { name: 'Rotate the key of Checkout' })
  for (const way of [
    () => page.keyboard.press('Escape'),
    () => guide.getByRole('button', { name: 'Close' }).click(),
    () => page.mouse.click(5, 400),
  ]) {
    await way()
    await stays()
    expect(await shown()).toBe(lostKey)
  }
  await page.keyboard.press('Escape')
  await question().getByRole('button', { name: 'I have copied it' }).click()
  await guide.waitFor({ state: 'detached' })
  const notice = page.locator('.rotation')
  expect(await notice.textContent()).toMatch(
    `Rotation in progress. The new key ${formatHint(lostKey)} was created just now. The old key ${formatHint(key)} still works.`,
  )
  await page.reload()
  await notice.getByRole('button', { name: 'Continue' }).click()
  await guide.getByText('The new key has not been used yet.').waitFor()
  await guide.getByRole('button', { name: 'I don’t have the new key' }).click()
  await waitFor(async () => expect([lostKey, '']).not.toContain(await shown()))
  const fresh = await shown()
  expect((await keysNow()).map(({ hint }) => hint)).toEqual([formatHint(fresh), formatHint(key)])
  await expect(use(lostKey)).rejects.toMatchObject({ status: 401 })
  await button('My programs have the new key').click()
  await guide.getByRole('button', { name: 'Keep both keys' }).click()
  await page.getByText('Both keys are kept').waitFor()
  expect(await notice.count()).toBe(0)

  await button('Rotate key').click()
  await guide.getByRole('radio', { name: new RegExp(formatHint(key)) }).check()
  await button('Create a new key').click()
  await button('My programs have the new key').click()
  await guide.getByText(formatHint(key)).waitFor()
  await page.keyboard.press('Escape')
  await guide.waitFor({ state: 'detached' })
  await vault.owner.keys.remove({ id, keyId: (await keysNow())[0]?.id ?? '' })
  await notice.waitFor({ state: 'detached' })
  await vault.owner.keys.create({ id })
  await page.locator('.key-list li').nth(2).waitFor()
  await button('Rotate key').click()
  await guide.getByText('has three keys, the maximum').waitFor()
  expect(await button('Create a new key').isDisabled()).toBe(true)
})

test('K-03 a rotation warns before it deletes an old key that is still used', {
  tags: 'thorough',
}, async () => {
  await button('Rotate key').click()
  await button('Create a new key').click()
  const fresh = await shown()
  await button('My programs have the new key').click()
  const guide = page.getByRole('dialog')
  const quiet = guide.getByRole('button', { name: 'The old key is no longer used' })
  const says = (text: string) => guide.getByText(text).waitFor()
  await says('The new key has not been used yet.')
  expect(await quiet.isDisabled()).toBe(true)
  await use(fresh)
  await says('the old one has not been used since')
  expect(await quiet.isEnabled()).toBe(true)
  await use(key)
  await says('The old key was used after the new one')
  expect(await quiet.isDisabled()).toBe(true)
  await guide.getByRole('button', { name: 'Delete it anyway…' }).click()
  await says('The program that used it will stop working.')
  await guide.getByRole('button', { name: 'Back' }).click()
  await use(fresh)
  await quiet.click()
  await guide.getByText('Delete the old key.').waitFor()
  expect(await guide.locator('.caution').count()).toBe(0)
  await use(key)
  await says('The program that used it will stop working.')
  await guide.getByRole('button', { name: 'Delete old key' }).click()
  await page.getByText('Key rotated').waitFor()
  expect((await keysNow()).map(({ hint }) => hint)).toEqual([formatHint(fresh)])
})

test('K-03 deleting a key shows its application and last use, which remains shown', {
  tags: 'thorough',
}, async () => {
  await vault.owner.keys.create({ id })
  await use(key)
  const row = page.getByRole('listitem').filter({ hasText: formatHint(key) })
  await row.getByText('last used just now').waitFor()
  await button(`Delete the key ${formatHint(key)}`).click()
  const question = page.getByRole('dialog', { name: 'Delete this key?' })
  expect(await question.textContent()).toMatch(
    /key_local_pvt_….{4} of Checkout, created (just now|\d+ s ago), last used (just now|\d+ s ago)\./,
  )
  expect(await question.textContent()).toContain(formatHint(key))
  await question.getByLabel('Type delete to confirm').fill('delete')
  await page.keyboard.press('Enter')
  await page.getByText(`${formatHint(key)} was deleted. Requests that use it now get 401.`).waitFor()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Checkout.*masked ?1 ?just now/ }).waitFor()
  expect(await drawer().getByText('never used').count()).toBe(1)
})

test('no keys or last uses appear before they are loaded', { tags: 'thorough' }, async () => {
  let answer = () => {}
  const released = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/console\/call$/, async (route) => {
    const { name } = route.request().postDataJSON()
    if (['applications.list', 'stats.keys', 'stats.applications'].includes(name)) await released
    await route.continue()
  })
  await page.reload()
  await page.locator('.grid-waiting').first().waitFor()
  const screen = page.getByRole('main')
  expect(await screen.textContent()).not.toMatch(/never|\d/)
  answer()
  await drawer().getByText('never used').waitFor()
  await page.getByText('5 applications').waitFor()
})

test('both pending actions run once the question about the new key is answered', {
  tags: 'thorough',
}, async () => {
  await button('New key').click()
  await shown()
  await drawer().getByRole('button', { name: 'View as' }).click()
  await question().getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('Viewing as Checkout.').waitFor()
  await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor()
})

test('Elements: the drawer lists pages that used the application, live', {
  tags: 'thorough',
}, async () => {
  const engine = vault.host.getEngine()
  const origin = 'http://shop.localhost:3000'
  const row = drawer().locator('dt', { hasText: origin }).locator('+ dd')
  expect(await drawer().getByText('Used in pages').count()).toBe(0)
  engine?.recordElementUse(engine.identifyKey(key), origin)
  await row.getByText(formatHint(key)).waitFor()
  await row.locator('time').waitFor()
  await vault.owner.keys.remove({ id, keyId: (await keysNow())[0]?.id ?? '' })
  await row.getByText('a deleted key').waitFor()
  await goTo(page, `#/applications/${(await vault.owner.applications.list({})).data[0]?.id}`)
  await drawer().getByText('Newer', { exact: true }).waitFor()
  const line = /<script src="http:\/\/127\.0\.0\.1:\d+\/elements\.js"><\/script>/
  expect(await drawer().locator('.connect').textContent()).toMatch(line)
  expect(await drawer().getByText('Used in pages').count()).toBe(0)
})
