import fs from 'node:fs'
import { expect, test } from 'vitest'
import { serveForConform, startAlteringProxy } from '../conform/serve-for-conform.ts'
import { openSettings } from './page-steps.ts'
import { openWindow } from './window-fixture.ts'

test('a service is compared with Coffer, and the report has no key', { timeout: 180_000 }, async () => {
  const { page } = await openWindow({
    prepareVault: ({ owner }) => owner.host.createVault({ name: 'demo', protection: { memory: true } }),
  })
  const server = await serveForConform()
  const url = await startAlteringProxy(server.url, ({ headers }) => {
    delete headers['bt-trace-id']
  })
  await openSettings(page, 'comparison')
  const section = page.getByRole('region', { name: 'Hosted service' })
  const compare = section.getByRole('button', { name: 'Compare with the hosted service' })
  await section.getByLabel('Private key').fill(server.keys.key)
  await compare.click()
  await section.getByText('Confirm that this is a test tenant.').waitFor()
  await section.getByLabel('These keys belong to a test tenant').check()
  await compare.click()
  await section.getByText('api.test.basistheory.com is not an allowed destination').waitFor()

  await section.getByLabel('Base URL').fill(url)
  await compare.click()
  await section.getByRole('button', { name: 'Stop' }).click()
  await section.getByText('Stopped. Everything that the run had created was deleted.').waitFor()
  await compare.click()
  // Without a management key, many statements are skipped, so that the run is short.
  await section.getByRole('heading', { name: 'Differs from the documents' }).waitFor({ timeout: 120_000 })
  await section.getByText('skipped because a management key is missing').waitFor()
  await section.getByText('A-11').first().waitFor()
  const download = page.waitForEvent('download')
  await section.getByRole('button', { name: 'Save to send' }).click()
  const template = fs.readFileSync(await (await download).path(), 'utf8')
  expect(template).toContain('### A-11')
  expect(template).not.toContain(server.keys.key)
})
