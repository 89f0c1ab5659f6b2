import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../ports.ts'
import { waitFor } from '../wait-for.ts'
import { pressKeys, runFromPalette } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const form = '#/applications?view=checkouts&new=1'

async function prepareVault({ owner: { host } }: StartedWindow): Promise<void> {
  await host.createVault({ name: 'shop', protection: { memory: true } })
  await host.listenerOn({ port: 0 })
}

/** Creates a checkout with a page of this origin. Returns the text of its `.env`. */
async function createCheckout(page: Page, origin: string, name?: string): Promise<string> {
  await goTo(page, form)
  if (name !== undefined) await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Origin of the page').fill(origin)
  await page.getByRole('button', { name: 'Create all' }).click()
  await page.getByText(/ is ready$/).waitFor()
  const panel = page.getByRole('complementary', { name: 'New checkout' })
  return (await panel.locator('pre').first().textContent()) ?? ''
}

const readVariable = (env: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(env)?.[1] ?? ''
const getLight = (page: Page, name: string) => page.locator('.checkouts-lights li').filter({ hasText: name })
const countMade = async ({ owner }: StartedWindow) => [
  (await owner.applications.list({})).pagination.total_items,
  (await owner.proxies.list({})).data.length,
  (await owner.webhooks.list({})).data.length,
  (await owner.checkouts.list()).data.length,
  (await owner.host.status()).settings.origins,
]

test('a checkout asks before its keys are lost, is undone at once, and opens from the palette', async () => {
  const { vault, page } = await openWindow({ prepareVault })
  const before = await countMade(vault)
  await createCheckout(page, 'http://localhost:3210', 'Checkout \u202ebad')
  // The name cannot turn the words around it.
  await page.getByRole('heading', { name: 'Checkout U+202E bad is ready' }).waitFor()
  await pressKeys(page, 'Escape')
  await page.getByRole('button', { name: 'Back to the key' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('all that was created for it were deleted').waitFor()
  expect(await countMade(vault)).toEqual(before)

  await createCheckout(page, ' http://LOCALHOST:3210/ ')
  expect((await vault.owner.host.status()).settings.origins).toContain('http://localhost:3210')
  await page.getByRole('button', { name: 'Copy .env' }).click()
  await page.getByText('The keys will not be shown again').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('COFFER_API_KEY=\n').first().waitFor()
  await goTo(page, '#/home')
  await page.getByRole('link', { name: /Checkout.*0 of 5 used/ }).waitFor()
  await runFromPalette(page, 'checkout lights')
  await page.getByRole('row', { name: /Checkout/ }).click()
  await getLight(page, 'Webhook').getByText('no use recorded').waitFor()
  const { data } = await vault.owner.checkouts.list()
  await goTo(page, `#/applications/${data[0]?.page_id}`)
  await page.getByRole('complementary').getByRole('button', { name: 'Checkout', exact: true }).click()
  await getLight(page, 'Key of the page').getByText('no use recorded').waitFor()
})

test('the origin of two checkouts stays allowed until both are deleted', async () => {
  const { vault, page } = await openWindow({ prepareVault })
  const listOrigins = async () => (await vault.owner.host.status()).settings.origins
  const before = await listOrigins()
  for (let at = 0; at < 2; at++) {
    await createCheckout(page, 'http://localhost:3210')
    await page.getByRole('button', { name: 'Copy .env' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
  }
  for (const { id, name } of (await vault.owner.checkouts.list()).data.reverse()) {
    expect(await listOrigins()).toEqual([...before, 'http://localhost:3210'])
    await goTo(page, `#/applications/${id}?view=checkouts`)
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await page.getByRole('button', { name: 'Delete checkout' }).click()
    await page.getByText(`${name} was deleted`, { exact: true }).waitFor()
  }
  await waitFor(async () => expect(await listOrigins()).toEqual(before))
})

test('a failure leaves nothing behind, and a refused call is explained on the page', async () => {
  const { vault, page } = await openWindow({ prepareVault, expected: /422|400/ })
  for (let at = 1; at <= 4; at++)
    await vault.owner.webhooks.create({ name: 'Full', url: 'http://localhost:1', events: ['token.created'] })
  const env = await createCheckout(page, 'http://localhost:3210')
  const made = await countMade(vault)
  await page.getByRole('button', { name: 'Copy .env' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'New checkout' }).click()
  await page.getByRole('button', { name: 'Create all' }).click()
  await page.getByText('A tenant has at most 5 webhooks').waitFor()
  expect(await countMade(vault)).toEqual(made)

  const { data } = await vault.owner.checkouts.list()
  await goTo(page, `#/applications/${data[0]?.id}?view=checkouts`)
  await getLight(page, 'Key of the server').getByText('no use recorded').waitFor()
  const storeToken = (key: string) =>
    fetch(`${readVariable(env, 'COFFER_BASE_URL')}/tokens`, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'token', data: 'x', containers: ['/pci/high/'] }),
    })
  expect((await storeToken('key_local_pvt_unknown')).status).toBe(401)
  await page.getByText('A request without a valid key was refused').waitFor()
  expect((await storeToken(readVariable(env, 'COFFER_API_KEY'))).status).toBe(403)
  await getLight(page, 'Key of the server').getByText('refused').waitFor()
  await page.getByText('Checkout server needs token:create, but nothing grants it.').waitFor()
  expect((await storeToken(readVariable(env, 'COFFER_PUBLIC_KEY'))).status).toBe(201)
  await getLight(page, 'Key of the page').getByText('used just now').waitFor()
  await getLight(page, 'Key of the server').getByText('refused').waitFor()
})

/** The programs that start the server of a checkout, by the language that the window names. */
const starters = {
  Node: [process.execPath, 'server.mjs'],
  Python: ['python3', 'server.py'],
  Go: ['go', 'run', 'main.go'],
  Java: ['java', 'Server.java'],
  PHP: ['php', '-S', 'localhost:$PORT', 'server.php'],
  Ruby: ['ruby', 'server.rb'],
} as const
type StarterLanguage = keyof typeof starters
const installed = (Object.keys(starters) as StarterLanguage[]).filter(
  (language) => spawnSync('which', [starters[language][0]]).status === 0,
)

/** Puts the files that the window shows into an empty folder, and starts the server there. */
async function startShop(page: Page, language: StarterLanguage, env: string): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'checkout-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  fs.writeFileSync(path.join(folder, '.env'), env)
  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: language, exact: true }).click()
  const [program, ...words] = starters[language]
  const server = words.at(-1) ?? ''
  await page.getByRole('heading', { name: server }).waitFor()
  for (const file of ['page.html', server]) {
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: file }) })
    fs.writeFileSync(path.join(folder, file), (await section.locator('pre').textContent()) ?? '')
  }
  const inPort = words.map((word) => word.replace('$PORT', readVariable(env, 'PORT')))
  const shop = spawn(program, inPort, { cwd: folder, detached: true, stdio: 'ignore' })
  onTestFinished(async () => {
    // `go run` starts another process, so the whole group is ended.
    if (shop.pid !== undefined) process.kill(-shop.pid, 'SIGKILL')
    await once(shop, 'exit')
  })
}

test.for(installed)(
  '%s: a page and a server from the window take a payment, and every light turns green',
  {
    tags: 'thorough',
    timeout: 120_000,
  },
  async (language) => {
    const { page } = await openWindow({ prepareVault })
    const origin = `http://localhost:${await findFreePort()}`
    const env = await createCheckout(page, origin)
    await startShop(page, language, env)
    const shop = await page.context().newPage()
    onTestFinished(() => shop.close())
    await waitFor(() => shop.goto(origin))
    const number = shop.frameLocator('iframe[title="Card"]').getByLabel('Card number')
    await number.click()
    for (const text of ['4242424242424242', '1230', '123']) await shop.keyboard.type(text)
    await shop.getByRole('button', { name: 'Pay' }).click()
    await shop.getByRole('status').getByText('paid').waitFor()
    for (const name of ['Key of the page', 'Allowed origin', 'Key of the server', 'Proxy', 'Webhook'])
      await getLight(page, name).getByText(/^used/).waitFor()
    expect(await page.locator('.checkouts-dot[data-state="used"]').count()).toBeGreaterThanOrEqual(5)
    await page.getByRole('button', { name: 'Copy .env' }).click()
  },
)
