import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { requestThroughProxy } from './hosted-program.ts'
import { openSettings } from './page-steps.ts'
import { openWindow } from './window-fixture.ts'

const program = `
fetch('https://api.basistheory.com/applications', { headers: { 'BT-API-KEY': process.env.KEY } })
  .then((response) => console.log(response.status))
`

test('H-06 a program runs unchanged from a terminal, and a refused destination can be allowed', async () => {
  let key = ''
  const { vault, page } = await openWindow({
    async prepareVault({ owner }) {
      const { keys } = await owner.host.createVault({ name: 'demo', protection: { memory: true } })
      key = keys.management
    },
  })
  const { host } = vault.owner
  await openSettings(page, 'listener')
  const listener = page.getByRole('region', { name: 'Listener' })
  await listener.getByRole('switch', { name: 'Answer as the hosted service' }).click()
  await listener.getByText('It starts with the listener, which is off.').waitFor()
  expect(await listener.getByText('api.basistheory.com', { exact: true }).count()).toBe(0)
  await host.listenerOn()
  await listener.getByText('api.basistheory.com', { exact: true }).waitFor()

  await listener.getByRole('button', { name: 'Copy line for the terminal' }).click()
  const line = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line}; node -e "$PROGRAM"`], {
    env: { ...process.env, PROGRAM: program, KEY: key },
    timeout: 30_000,
  })
  expect(stdout.trim()).toBe('200')
  await listener.getByRole('row', { name: /node api\.basistheory\.com preload answered 1/ }).waitFor()

  const shellFile = /'(.*)'/.exec(line)?.[1] ?? ''
  expect(await requestThroughProxy(shellFile, 'api.stripe.com:443')).toContain('403')
  const refused = listener.getByRole('row', { name: /curl\/8\.5\.0 api\.stripe\.com proxy refused/ })
  await refused.getByRole('button', { name: 'Allow api.stripe.com…' }).click()
  const destinations = page.getByRole('region', { name: 'Destinations' })
  expect(await destinations.getByLabel('Host, IP address or network').inputValue()).toBe('api.stripe.com')
  expect((await host.status()).settings.destinations.allow).toEqual([])
  await destinations.getByRole('button', { name: 'Allow', exact: true }).click()
  await destinations.getByRole('button', { name: 'Remove api.stripe.com' }).waitFor()

  await openSettings(page, 'listener')
  await refused.waitFor()
  expect(await refused.getByRole('button').count()).toBe(0)
  await listener.getByRole('switch', { name: 'Answer as the hosted service' }).click()
  await refused.waitFor({ state: 'detached' })
  await waitFor(() => expect(fs.existsSync(path.dirname(shellFile))).toBe(false))
})
