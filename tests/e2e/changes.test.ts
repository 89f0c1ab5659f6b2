import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { openSettings, waitForFoot } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

let vault: StartedWindow
let page: Page
let ask: (method: string, path: string, body?: object) => Promise<void>

const prepareVault = async ({ owner: { host } }: StartedWindow) => {
  const { keys } = await host.createVault({ name: 'shop', protection: { memory: true } })
  const listener = await host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  ask = async (method, path, body) => {
    const response = await fetch(listener.url + path, {
      method,
      headers: { 'SVC-API-KEY': keys.management, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(response.status).toBeLessThan(300)
  }
}

/** Opens an in-memory vault with its listener and a window. */
beforeEach(async () => {
  ;({ vault, page } = await openWindow({ prepareVault }))
})

const number = '4242424242424242'
const getRow = (name: string) => page.getByRole('row', { name })
const createToken = (more: object = {}) => vault.owner.tokens.create({ type: 'token', data: 'x', ...more })
const getTimeInAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test('T-14 T-15 an expired token disappears, and a changed token is masked again', async () => {
  await createToken({ id: 'stays' })
  await page.keyboard.press('Control+2')
  await waitForFoot(page, '1 token')
  await createToken({ id: 'goes', expires_at: getTimeInAnHour() })
  await waitForFoot(page, '2 tokens')
  await getRow('goes').click()
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText('goes').first().waitFor()
  // Set the vault's clock forward, but not the window's.
  await ask('POST', '/_coffer/clock', { advance: 7200 })
  await getRow('goes').waitFor({ state: 'detached' })
  await waitForFoot(page, '1 token')
  await drawer.getByText('This token does not exist or has expired.').waitFor()

  const { id } = await vault.owner.tokens.create({ type: 'card_number', data: number })
  await getRow(id).click()
  await page.keyboard.press('r')
  await drawer.getByText(number).waitFor()
  await vault.owner.tokens.update({ id, data: '5555555555554444' })
  await drawer.getByText(number).waitFor({ state: 'detached' })
})

test('T-14 expired tokens disappear from Home', { tags: 'thorough' }, async () => {
  await createToken({ id: 'goes', expires_at: getTimeInAnHour() })
  const expiring = page.getByRole('link', { name: 'goes' })
  await expiring.waitFor()
  await page.getByText('1 in the vault').waitFor()
  await ask('POST', '/_coffer/clock', { advance: 7200 })
  await expiring.waitFor({ state: 'detached' })
  await page.getByText('1 in the vault').waitFor({ state: 'detached' })
})

test('T-04 the list shows changes of a token whose id the log masks', {
  tags: 'thorough',
}, async () => {
  await createToken()
  await page.keyboard.press('Control+2')
  await waitForFoot(page, '1 token')
  const id = '5555341244441115'
  await createToken({ id })
  await getRow(id).waitFor()
  await getRow(id).click()
  await vault.owner.tokens.update({ id, metadata: { colour: 'red' } })
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  await drawer.getByText('colour', { exact: true }).waitFor()
  await vault.owner.tokens.remove({ id })
  await getRow(id).waitFor({ state: 'detached' })
  await waitForFoot(page, '1 token')
})

test('resetting an in-memory vault updates every screen', {
  tags: 'thorough',
}, async () => {
  await createToken({ id: 'later' })
  await page.keyboard.press('Control+2')
  await getRow('later').waitFor()
  await ask('POST', '/_coffer/reset')
  await getRow('later').waitFor({ state: 'detached' })

  await page.keyboard.press('Control+4')
  await vault.owner.applications.create({ name: 'Later', type: 'private', permissions: ['token:read'] })
  await getRow('Later').waitFor()
  await ask('POST', '/_coffer/reset')
  await getRow('Later').waitFor({ state: 'detached' })

  await page.keyboard.press('Control+8')
  await createToken({ id: 'recorded' })
  await getRow('recorded').first().waitFor()
  await ask('POST', '/_coffer/reset')
  await getRow('recorded').first().waitFor({ state: 'detached' })
})

test('an open settings section shows changes by other clients and keeps unsaved input', {
  tags: 'thorough',
}, async () => {
  await openSettings(page, 'tenant')
  const name = page.getByLabel('Name', { exact: true })
  const quota = page.getByLabel('Tokens per tokenize request')
  await name.waitFor()
  await quota.fill('7')
  await ask('PUT', '/tenants/self', { name: 'Renamed', settings: {} })
  await expect.poll(() => name.inputValue()).toBe('Renamed')
  expect(await quota.inputValue()).toBe('7')
  await quota.fill('5')

  await openSettings(page, 'banks')
  await vault.owner.banks.put({ routing_number: '021000021', account_number: '00012345', status: 'enabled' })
  await getRow('00012345').waitFor()
  await vault.owner.banks.remove({ routing_number: '021000021', account_number: '00012345' })
  await getRow('00012345').waitFor({ state: 'detached' })

  await openSettings(page, 'bins')
  await vault.owner.host.importBins({ csv: 'from,to,brand\n424242,424242,visa', dry_run: false })
  await getRow('visa').waitFor()
  await vault.owner.bins.clear()
  await getRow('visa').waitFor({ state: 'detached' })

  await openSettings(page, 'faults')
  await page.getByText('No faults.').waitFor()
  await vault.owner.host.setFaults({ rules: [{ name: 'elsewhere', status: 500 }] })
  await page.getByText('elsewhere', { exact: true }).waitFor()
  await vault.owner.host.setFaults({ rules: [] })
  await page.getByText('elsewhere', { exact: true }).waitFor({ state: 'detached' })

  await openSettings(page, 'backups')
  const keptInput = page.getByLabel('Daily backups to keep')
  await keptInput.waitFor()
  await vault.owner.host.updateSettings({ backups_kept: 33 })
  await expect.poll(() => keptInput.inputValue()).toBe('33')
})

/**
 * Delays the response to the next call of this operation until `letGo` is called. `asked` resolves once the call was
 * made.
 */
async function delayResponse(name: string) {
  const asked = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  let isHeld = false
  await page.route('**/_coffer/console/call', async (route) => {
    if (isHeld || route.request().postDataJSON()?.name !== name) return route.fallback()
    isHeld = true
    const response = await route.fetch()
    asked.resolve()
    await letGo.promise
    await route.fulfill({ response })
  })
  return { asked: asked.promise, letGo: letGo.resolve }
}

test('T-04 the list includes changes made while its first page loads', {
  tags: 'thorough',
}, async () => {
  await createToken({ id: 'goes' })
  const answer = await delayResponse('tokens.find')
  await page.keyboard.press('Control+2')
  await answer.asked
  await createToken({ id: 'comes' })
  await vault.owner.tokens.remove({ id: 'goes' })
  await getRow('comes').waitFor()
  const late = page.waitForResponse((response) => response.request().postDataJSON()?.name === 'tokens.find')
  answer.letGo()
  await late
  // A change after the first page has loaded is applied after the changes made during loading.
  await createToken({ id: 'later' })
  await getRow('later').waitFor()
  await getRow('goes').waitFor({ state: 'detached' })
  await getRow('comes').waitFor()
  await waitForFoot(page, '2 tokens')
})

test('T-04 a token created and deleted during a request is not listed', {
  tags: 'thorough',
}, async () => {
  await createToken({ id: 'stays' })
  await page.keyboard.press('Control+2')
  await waitForFoot(page, '1 token')
  const answer = await delayResponse('tokens.find')
  await createToken({ id: 'goes' })
  await answer.asked
  const refreshed = page.waitForResponse(
    async (response) =>
      response.request().postDataJSON()?.name === 'stats.tokens' &&
      (await response.json()).output.total === 1,
  )
  await vault.owner.tokens.remove({ id: 'goes' })
  await refreshed
  answer.letGo()
  await createToken({ id: 'later' })
  await getRow('later').waitFor()
  await getRow('goes').waitFor({ state: 'detached' })
  await waitForFoot(page, '2 tokens')
})

test('a late response does not replace newer data', { tags: 'thorough' }, async () => {
  await createToken({ id: 'shown', metadata: { version: 'first' } })
  const drawer = page.getByRole('complementary', { name: 'Token', exact: true })
  const token = await delayResponse('tokens.get')
  await goTo(page, '#/tokens/shown')
  await token.asked
  await vault.owner.tokens.update({ id: 'shown', metadata: { version: 'second' } })
  await drawer.getByText('second', { exact: true }).waitFor()
  const late = page.waitForResponse((response) => response.request().postDataJSON()?.name === 'tokens.get')
  token.letGo()
  await late
  await drawer.getByText('first', { exact: true }).waitFor({ state: 'detached' })

  await page.keyboard.press('Control+4')
  const counts = await delayResponse('stats.tokens')
  await page.keyboard.press('Control+1')
  await counts.asked
  await createToken()
  await page.getByText('2 in the vault').waitFor()
  const lateCounts = page.waitForResponse(
    (response) => response.request().postDataJSON()?.name === 'stats.tokens',
  )
  counts.letGo()
  await lateCounts
  await page.getByText('1 in the vault').waitFor({ state: 'detached' })
  await page.getByText('2 in the vault').waitFor()
})

test('a form says at once that what it edits was deleted elsewhere, and keeps the input', async () => {
  const { id } = await createToken({ id: 'goes' })
  await goTo(page, `#/tokens/${id}?edit=1`)
  const form = page.getByRole('complementary')
  await form.getByLabel('Containers').or(form.getByLabel('Metadata')).first().waitFor()
  await form.getByText('Merge patch').click()
  await form.getByRole('textbox').fill('{"metadata":{"typed":"here"}}')
  await vault.owner.tokens.remove({ id })
  await form.getByText('This was deleted elsewhere').waitFor()
  expect(await form.getByRole('textbox').inputValue()).toContain('here')
  expect(await form.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true)
  await form.getByRole('button', { name: 'Copy the input' }).click()
  await form.getByText('Copied').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()

  const proxy = await vault.owner.proxies.create({
    name: 'Gone',
    destination_url: 'https://echo.coffer.test',
  })
  await goTo(page, `#/proxies/${proxy.id}?edit=1`)
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Typed')
  await page.setViewportSize({ width: 1280, height: 400 })
  await vault.owner.proxies.remove({ id: proxy.id })
  await form.locator('footer').getByText('This was deleted elsewhere').waitFor()
  // Neither the view nor the focus leaves the field.
  await page.keyboard.type(' on')
  const name = form.getByRole('textbox', { name: 'Name', exact: true })
  expect(await name.inputValue()).toBe('Typed on')
  expect(await form.locator('form').evaluate(({ parentElement }) => parentElement?.scrollTop)).toBe(0)
  await name.fill('Typed')
  await form.getByRole('button', { name: 'Create it again' }).click()
  await getRow('Typed').waitFor()
  await page.getByRole('complementary', { name: 'Proxy' }).getByText('Typed').first().waitFor()

  const { data } = await vault.owner.applications.list({})
  const [application] = data
  await goTo(page, `#/applications/${application?.id}?edit=1`)
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Typed again')
  await vault.owner.applications.remove({ id: application?.id ?? '' })
  await form.getByText('This was deleted elsewhere').waitFor()
  expect(await form.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Typed again')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await form.getByText('This application does not exist').waitFor()
})
