import { expect, test } from 'vitest'
import { openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery staple'

test('first steps are ticked when done, and can be hidden and shown again', {
  tags: 'thorough',
}, async () => {
  let key = ''
  const prepareVault = async ({ owner }: StartedWindow) => {
    const created = await owner.host.createVault({ name: 'shop', protection: { passphrase } })
    key = created.keys.private
  }
  const { vault, page } = await openWindow({ prepareVault })
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('0 of 5 done').waitFor()
  await steps.getByRole('button', { name: 'New token…' }).waitFor()

  const state = await vault.owner.host.listenerOn({})
  const url = state.state === 'on' ? state.url : ''
  await fetch(`${url}/tokens`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
    body: '{"type":"token","data":"x"}',
  })
  await steps.getByText('1 of 5 done').waitFor()
  await steps.getByRole('button', { name: 'A first token done' }).waitFor()
  await steps.getByRole('button', { name: 'New application…' }).waitFor()

  await steps.getByRole('button', { name: /^Hide/ }).click()
  await steps.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Listener' }).waitFor()
  expect(await steps.count()).toBe(0)
  await page.getByRole('button', { name: 'Vault shop' }).click()
  await page.getByRole('menuitem', { name: 'First steps' }).click()
  await steps.getByRole('button', { name: 'A backup to do' }).click()
  await steps.getByRole('button', { name: 'Back up…' }).click()
  await page.getByRole('region', { name: 'Backups' }).waitFor()
})
