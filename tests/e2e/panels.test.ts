import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { openWindow, type StartedWindow, visit } from './window-fixture.ts'

/** Changes what the vault answers to one operation, as no vault would answer. */
async function answerWrongly(page: Page, name: string, change: (output: never) => void): Promise<void> {
  await page.route('**/_coffer/console/call', async (route) => {
    if (route.request().postDataJSON().name !== name) return route.continue()
    const response = await route.fetch()
    const reply = await response.json()
    change(reply.output as never)
    await route.fulfill({ response, json: reply })
  })
  await page.reload()
}

const shop = ({ owner }: StartedWindow) =>
  owner.host.createVault({ name: 'shop', protection: { memory: true } })

test('the panel of a proxy opens with the calls that are kept, and when one comes while it is open', async () => {
  const { url: destination_url } = await startDestination((_request, response) => void response.end('{}'))
  let call = async () => {}
  let id = ''
  const { page } = await openWindow({
    async prepare(window) {
      await shop(window)
      const { owner } = window
      const listener = await owner.host.listenerOn()
      const proxy = await owner.proxies.create({ name: 'Charges', destination_url })
      id = proxy.id
      const permissions = ['proxy:invoke' as const]
      const { key = '' } = await owner.applications.create({ name: 'Shop', type: 'private', permissions })
      const headers = { 'SVC-API-KEY': key, 'SVC-PROXY-KEY': proxy.key }
      call = async () => {
        await (await fetch(`${listener.state === 'on' ? listener.url : ''}/proxy/pay`, { headers })).text()
      }
      await call()
    },
  })
  await visit(page, `#/proxies/${id}`)
  const calls = page.getByRole('complementary').getByRole('button', { name: 'GET /pay' })
  await calls.waitFor()
  await call()
  await calls.nth(1).waitFor()
})

test('a panel that cannot be shown leaves the screen, and can be closed and reported', async () => {
  let id = ''
  const { page } = await openWindow({
    expected: /Cannot convert undefined or null to object/,
    async prepare(window) {
      await shop(window)
      const { proxies } = window.owner
      id = (await proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })).id
    },
  })
  await answerWrongly(page, 'proxies.list', ({ data }: { data: { configuration: null }[] }) => {
    for (const proxy of data) proxy.configuration = null
  })
  await visit(page, `#/proxies/${id}`)
  const panel = page.getByRole('complementary')
  await panel.getByText('This panel could not be shown').waitFor()
  await panel.getByRole('button', { name: 'Copy details' }).click()
  await panel.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^TypeError\n? +at /)
  await panel.getByText('Close', { exact: true }).click()
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Charges/ }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('a screen that cannot be shown is left by its own link, and its Reload ends at a place that works', async () => {
  const { page } = await openWindow({
    expected: /reading 'split'|reading 'matchAll'|null/,
    prepare: async (window) => {
      await shop(window)
      await window.owner.proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })
    },
  })
  await answerWrongly(page, 'proxies.list', ({ data }: { data: { name: null }[] }) => {
    for (const proxy of data) proxy.name = null
  })
  await visit(page, '#/proxies?view=try')
  await visit(page, '#/proxies')
  const failure = page.getByText('Something went wrong in this window')
  await failure.waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
  await visit(page, '#/proxies/5f0c1c1e-0000-4000-8000-000000000000')
  await failure.waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForURL(/#\/proxies$/)
  await failure.waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForURL(/#\/home$/)
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})
