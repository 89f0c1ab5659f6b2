import { expect, test } from 'vitest'
import { goTo, openWindow } from './window-fixture.ts'

test('names with bidirectional control characters are marked on every screen', {
  tags: 'thorough',
}, async () => {
  const name = 'Shop \u202egnp'
  const markedName = 'Shop U+202Egnp'
  let application = ''
  const { page, vault } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      application = (await owner.applications.create({ name, type: 'private', permissions: ['token:read'] }))
        .id
    },
  })
  const proxy = await vault.owner.proxies.create({ name, destination_url: 'https://echo.coffer.test' })
  const reactor = await vault.owner.reactors.create({ name, code: 'module.exports = () => ({})' })
  const webhook = await vault.owner.webhooks.create({
    name,
    url: 'http://127.0.0.1:9/',
    events: ['token.created'],
  })
  const places = { applications: application, proxies: proxy.id, reactors: reactor.id, webhooks: webhook.id }
  for (const [screen, id] of Object.entries(places)) {
    await goTo(page, `#/${screen}/${id}`)
    await page.getByRole('row', { name: markedName }).waitFor()
    expect(await page.locator('.panel-title').textContent()).toContain(markedName)
  }
  const search = { id: crypto.randomUUID(), name, screen: 'tokens', query: 'q=ada' } as const
  await vault.owner.tokens.saveSearch(search)
  await goTo(page, '#/tokens')
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: markedName, exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await goTo(page, '#/settings/transfer')
  const buffer = Buffer.from(`card_number,${name}\n4242424242424242,x\n`)
  await page.locator('input[type=file]').setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer })
  await page.getByRole('rowheader', { name: markedName }).waitFor()
  await page.getByText(`not imported: ${markedName}.`).waitFor()
  await goTo(page, '#/reactors?new=1')
  await page.getByRole('combobox', { name: 'Acts as' }).click()
  await page.getByRole('option', { name: markedName }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('Shop')
  await page.locator('#palette-hits').getByText(markedName, { exact: true }).first().waitFor()
  await page.keyboard.press('Escape')

  await goTo(page, `#/proxies/${proxy.id}`)
  await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click()
  const field = page.getByLabel(`Type ${markedName} to confirm`)
  await field.fill(markedName)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete proxy' }).click()
  await page.getByText('No proxies yet').waitFor()

  const listener = await vault.owner.host.listenerOn()
  const { key = '' } = await vault.owner.keys.create({ id: application })
  await fetch(`${listener.state === 'on' ? listener.url : ''}/applications`, {
    headers: { 'SVC-API-KEY': key, 'User-Agent': 'shop' },
  })
  await goTo(page, '#/requests?by=program')
  await page.getByRole('rowheader', { name: markedName }).waitFor()
  await goTo(page, '#/requests?q=status:4xx')
  await page.getByRole('row', { name: /403/ }).click()
  await page.getByText(`${markedName} needs application:read`).waitFor()
})
