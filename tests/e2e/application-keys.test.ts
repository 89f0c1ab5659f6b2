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
  const prepareVault = async ({ owner: { host, applications } }: StartedWindow) => {
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
  ;({ vault, page } = await openWindow({ prepareVault }))
  await goTo(page, `#/applications/${id}`)
  await getDrawer().getByText('never used').waitFor()
})

const getDrawer = () => page.getByRole('complementary', { name: 'Application', exact: true })
const getButton = (name: string | RegExp) => page.getByRole('button', { name })
const getQuestion = () => page.getByRole('dialog', { name: 'Have you copied this key?' })
const readShownKey = async () => (await page.locator('.applications-key-once code').textContent()) ?? ''
const formatHint = (key: string) => `key_local_pvt_…${key.slice(-4)}`
/** Calls the API with a key, like a program. */
const listTokensWith = (key: string) =>
  vault.host.getEngine()?.call('tokens.list', {}, { kind: 'key', key: key })
const readKeyStats = () => vault.owner.stats.keys({ application_id: id })

async function expectQuestionStays(): Promise<void> {
  await getQuestion().waitFor()
  await waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Back to the key'),
  )
  await page.keyboard.press('Escape')
  await getQuestion().waitFor({ state: 'detached' })
}

test('A-03 K-03 the window asks before it hides an uncopied key, also in a rotation', async () => {
  await getButton('New key').click()
  const createdKey = await readShownKey()
  const ways = [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('ArrowUp'),
    () => page.keyboard.press('e'),
    () => page.keyboard.press('Control+2'),
    () => page.getByRole('link', { name: 'Home' }).click(),
    () => getDrawer().getByRole('button', { name: 'Close' }).click(),
    () => page.getByRole('row', { name: /Newer/ }).click(),
    () => getButton('New application').click(),
    () => getButton('New key').click(),
    () => getButton('Rotate key').click(),
    () => page.goBack(),
    async () => {
      await getButton(/Viewing as/).click()
      await page.getByRole('menuitem', { name: 'Newer' }).click()
    },
    () => getDrawer().getByRole('button', { name: 'View as' }).click(),
    ...['New vault…', 'other'].map((name) => async () => {
      await getButton('Vault in-memory').click()
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
  for (const leave of pickSome(ways, 3)) {
    await leave()
    await expectQuestionStays()
    expect(await readShownKey()).toBe(createdKey)
  }
  expect(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(
    false,
  )
  expect(await page.content()).toContain(formatHint(createdKey))
  await getButton('Copy key').click()
  await page.getByText('Copied. It will not be shown again.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(createdKey)
  await page.keyboard.press('Escape')
  await getDrawer().waitFor({ state: 'detached' })
  expect(await getQuestion().count()).toBe(0)
  expect(await page.content()).not.toContain(createdKey)

  await vault.owner.keys.remove({ id, keyId: (await readKeyStats())[0]?.id ?? '' })
  await goTo(page, `#/applications/${id}`)
  await getButton('Rotate key').click()
  await getButton('Create a new key').click()
  const fresh = await readShownKey()
  await getButton('My programs have the new key').click()
  const guide = page.getByRole('dialog')
  const quiet = guide.getByRole('button', { name: 'The old key is no longer used' })
  await waitFor(async () =>
    expect(await guide.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true),
  )
  await listTokensWith(key)
  await guide.getByText('last used just now').waitFor()
  expect(await quiet.isDisabled()).toBe(true)
  await listTokensWith(fresh)
  await guide.getByText('the old one has not been used since').waitFor()
  await quiet.click()
  await getButton('Delete old key').click()
  await page.getByText('Key rotated').waitFor()
  await expect(listTokensWith(key)).rejects.toMatchObject({ status: 401 })
  await listTokensWith(fresh)
})

test('A-03 Done asks unless the new key or a snippet with it was copied', {
  tags: 'thorough',
}, async () => {
  const createApplication = async () => {
    await getButton('New application').click()
    await getButton(/^Backend/).click()
    await getButton('Create application').click()
    await page.locator('.applications-key-once').waitFor()
  }
  await createApplication()
  await getButton('Done').click()
  await expectQuestionStays()
  await page
    .locator('.applications-key-once code')
    .evaluate((code) => getSelection()?.selectAllChildren(code))
  await page.keyboard.press('Control+c')
  await page.getByText('Copied. It will not be shown again.').waitFor()
  await getButton('Done').click()
  await getDrawer().getByText('Backend').first().waitFor()
  await createApplication()
  await getButton('Copy .env').click()
  await getButton('Done').click()
  await page.locator('.applications-key-once').waitFor({ state: 'detached' })
  await createApplication()
  await page.keyboard.press('Escape')
  await getQuestion().getByRole('button', { name: 'I have copied it' }).click()
  await page.locator('.applications-key-once').waitFor({ state: 'detached' })
  expect((await vault.owner.applications.list({})).data).toHaveLength(8)
})

test('K-03 a rotation resumes after a reload, and replaces a lost key', {
  tags: 'thorough',
}, async () => {
  await getButton('Rotate key').click()
  await getButton('Create a new key').click()
  const lostKey = await readShownKey()
  const guide = page.getByRole('dialog', { name: 'Rotate the key of Checkout' })
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => guide.getByRole('button', { name: 'Close' }).click(),
    () => page.mouse.click(5, 400),
  ]) {
    await leave()
    await expectQuestionStays()
    expect(await readShownKey()).toBe(lostKey)
  }
  await page.keyboard.press('Escape')
  await getQuestion().getByRole('button', { name: 'I have copied it' }).click()
  await guide.waitFor({ state: 'detached' })
  const notice = page.locator('.applications-rotation')
  expect(await notice.textContent()).toMatch(
    `Rotation in progress. The new key ${formatHint(lostKey)} was created just now. The old key ${formatHint(key)} still works.`,
  )
  await page.reload()
  await notice.getByRole('button', { name: 'Continue' }).click()
  await guide.getByText('The new key has not been used yet.').waitFor()
  await guide.getByRole('button', { name: 'I don’t have the new key' }).click()
  await waitFor(async () => expect([lostKey, '']).not.toContain(await readShownKey()))
  const fresh = await readShownKey()
  expect((await readKeyStats()).map(({ hint }) => hint)).toEqual([formatHint(fresh), formatHint(key)])
  await expect(listTokensWith(lostKey)).rejects.toMatchObject({ status: 401 })
  await getButton('My programs have the new key').click()
  await guide.getByRole('button', { name: 'Keep both keys' }).click()
  await page.getByText('Both keys are kept').waitFor()
  expect(await notice.count()).toBe(0)

  await getButton('Rotate key').click()
  await guide.getByRole('radio', { name: new RegExp(formatHint(key)) }).check()
  await getButton('Create a new key').click()
  await getButton('My programs have the new key').click()
  await guide.getByText(formatHint(key)).waitFor()
  await page.keyboard.press('Escape')
  await guide.waitFor({ state: 'detached' })
  await vault.owner.keys.remove({ id, keyId: (await readKeyStats())[0]?.id ?? '' })
  await notice.waitFor({ state: 'detached' })
  await vault.owner.keys.create({ id })
  await page.locator('.applications-key-list li').nth(2).waitFor()
  await getButton('Rotate key').click()
  await guide.getByText('has three keys, the maximum').waitFor()
  expect(await getButton('Create a new key').isDisabled()).toBe(true)
})

test('K-03 a rotation warns before it deletes an old key that is still used', {
  tags: 'thorough',
}, async () => {
  await getButton('Rotate key').click()
  await getButton('Create a new key').click()
  const fresh = await readShownKey()
  await getButton('My programs have the new key').click()
  const guide = page.getByRole('dialog')
  const quiet = guide.getByRole('button', { name: 'The old key is no longer used' })
  const waitForGuideText = (text: string) => guide.getByText(text).waitFor()
  await waitForGuideText('The new key has not been used yet.')
  expect(await quiet.isDisabled()).toBe(true)
  await listTokensWith(fresh)
  await waitForGuideText('the old one has not been used since')
  expect(await quiet.isEnabled()).toBe(true)
  await listTokensWith(key)
  await waitForGuideText('The old key was used after the new one')
  expect(await quiet.isDisabled()).toBe(true)
  await guide.getByRole('button', { name: 'Delete it anyway…' }).click()
  await waitForGuideText('The program that used it will stop working.')
  await guide.getByRole('button', { name: 'Back' }).click()
  await listTokensWith(fresh)
  await quiet.click()
  await guide.getByText('Delete the old key.').waitFor()
  expect(await guide.locator('.failure-caution').count()).toBe(0)
  await listTokensWith(key)
  await waitForGuideText('The program that used it will stop working.')
  await guide.getByRole('button', { name: 'Delete old key' }).click()
  await page.getByText('Key rotated').waitFor()
  expect((await readKeyStats()).map(({ hint }) => hint)).toEqual([formatHint(fresh)])
})

test('K-03 deleting a key first shows its last use, which the application retains', {
  tags: 'thorough',
}, async () => {
  await vault.owner.keys.create({ id })
  await listTokensWith(key)
  const row = page.getByRole('listitem').filter({ hasText: formatHint(key) })
  await row.getByText('last used just now').waitFor()
  await getButton(`Delete the key ${formatHint(key)}`).click()
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
  expect(await getDrawer().getByText('never used').count()).toBe(1)
})

test('Applications shows no count and no “never used” while data is loading', {
  tags: 'thorough',
}, async () => {
  let releaseResponse = () => {}
  const released = new Promise<void>((resolve) => {
    releaseResponse = resolve
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
  releaseResponse()
  await getDrawer().getByText('never used').waitFor()
  await page.getByText('5 applications').waitFor()
})

test('View as asks about an uncopied new key, and then opens Tokens', {
  tags: 'thorough',
}, async () => {
  await getButton('New key').click()
  await readShownKey()
  await getDrawer().getByRole('button', { name: 'View as' }).click()
  await getQuestion().getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('Viewing as Checkout.').waitFor()
  await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor()
})

test('Elements: the drawer lists a page as soon as it uses the application’s key', {
  tags: 'thorough',
}, async () => {
  const engine = vault.host.getEngine()
  const origin = 'http://shop.localhost:3000'
  const row = getDrawer().locator('dt', { hasText: origin }).locator('+ dd')
  expect(await getDrawer().getByText('Used in pages').count()).toBe(0)
  engine?.identification.recordElementUse(engine.identification.identifyKey(key), origin)
  await row.getByText(formatHint(key)).waitFor()
  await row.locator('time').waitFor()
  await vault.owner.keys.remove({ id, keyId: (await readKeyStats())[0]?.id ?? '' })
  await row.getByText('a deleted key').waitFor()
  await goTo(page, `#/applications/${(await vault.owner.applications.list({})).data[0]?.id}`)
  await getDrawer().getByText('Newer', { exact: true }).waitFor()
  const line = /<script src="http:\/\/127\.0\.0\.1:\d+\/elements\.js"><\/script>/
  expect(await getDrawer().locator('pre').filter({ hasText: line }).count()).toBe(1)
  expect(await getDrawer().getByText('Used in pages').count()).toBe(0)
})
