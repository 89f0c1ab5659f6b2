import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { problemOf, tempFolder } from '../vault.ts'
import { startDesktop } from './start-desktop.ts'

// Whole programs start here, and machines differ.
vi.setConfig({ testTimeout: 60_000 })

const passphrase = 'correct horse battery staple'
const kept = { name: 'work', protection: { passphrase } } as const
const inMemory = { name: 'demo', protection: { memory: true } } as const

test('creates, locks and unlocks a vault through the preload, and turns the listener on and off', async () => {
  const { window, page, ask } = startDesktop()
  await page('window.events = []; void window.vault.onEvent((event) => window.events.push(event))')
  expect(await page('Object.keys(window.vault).sort()')).toEqual(['call', 'onEvent'])
  const { keys } = await window.host.createVault(kept)
  const { id } = await window.tokens.create({ type: 'card_number', data: '4242424242424242' })
  expect((await window.tokens.get({ id })).data).toBe('XXXXXXXXXXXX4242')
  const listener = await window.host.listenerOn({ port: 0 })
  if (listener.state !== 'on') throw new Error('refused')
  const read = () => fetch(`${listener.url}/tokens/${id}`, { headers: { 'SVC-API-KEY': keys.private } })
  expect((await read()).status).toBe(200)
  expect(await ask('trayLabels')).toEqual([
    'Vault work is open',
    `Listening on ${listener.url}`,
    'Open Coffer',
    'Lock',
    'Turn listener off',
    'Copy base URL',
    'Quit',
  ])
  await ask('tray', 'Copy base URL')
  expect(await ask('clipboard')).toBe(listener.url)
  await ask('menu', 'Lock')
  expect((await read()).status).toBe(423)
  expect(await problemOf(window.tokens.get({ id }))).toMatchObject({ status: 423 })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  expect((await read()).status).toBe(200)
  await ask('tray', 'Turn listener off')
  await vi.waitFor(async () => expect((await window.host.status()).listener).toEqual({ state: 'off' }))
  const types = await page('[...new Set(window.events.map((event) => event.type))].sort()')
  expect(types).toEqual(['log', 'status'])
  expect(await page('JSON.stringify(window.events).includes("4242424242424242")')).toBe(false)
})

test('suspend and screen lock lock the vault; one in memory stays', async () => {
  const { window, ask } = startDesktop()
  await window.host.createVault(kept)
  await ask('power', 'suspend')
  expect((await window.host.status()).vault).toBeNull()
  await window.host.unlock({ name: 'work', with: { passphrase } })
  await ask('power', 'lock-screen')
  expect((await window.host.status()).vault).toBeNull()
  await window.host.createVault(inMemory)
  await ask('power', 'suspend')
  expect((await window.host.status()).vault).toMatchObject({ protection: 'memory' })
})

test('a second start shows the window of the first and ends; quitting locks and ends', async () => {
  const first = startDesktop()
  await first.window.host.createVault(kept)
  await first.window.host.listenerOn({ port: 0 })
  // The listener is on: the window goes into the tray.
  expect(await first.ask('closeWindow')).toBe(false)
  expect(await first.ask('window')).toMatchObject({ visible: false })
  const second = startDesktop({ dataDir: first.dataDir })
  expect(await second.ended).toBe(0)
  await vi.waitFor(async () => expect(await first.ask('window')).toMatchObject({ visible: true }))
  expect((await first.window.host.status()).vault).toMatchObject({ name: 'work' })
  await first.ask('tray', 'Quit')
  expect(await first.ended).toBe(0)
  expect(fs.existsSync(path.join(first.dataDir, 'work.lock.json'))).toBe(false)
})

test('without a listener, closing the window quits; its place is kept', async () => {
  const { ask, ended, dataDir } = startDesktop()
  await ask('closeWindow').catch(() => undefined)
  expect(await ended).toBe(0)
  const again = startDesktop({ dataDir })
  expect(await again.ask('window')).toMatchObject({ rest: { x: 20, y: 30, width: 900, height: 700 } })
})

test('a data folder that cannot be made is said in a box', async () => {
  const file = path.join(tempFolder(), 'file')
  fs.writeFileSync(file, '')
  const { ended, errors } = startDesktop({ dataDir: path.join(file, 'data') })
  expect(await ended).toBe(1)
  expect(errors).toEqual([expect.stringContaining('cannot')])
})

test('X-30 the packaged bundle finds the thread that backs up', async () => {
  const { window } = startDesktop()
  await window.host.createVault(kept)
  const { file } = await window.host.backup()
  expect(await window.host.verifyBackup({ file, with: { passphrase } })).toMatchObject({
    checked: 'database',
  })
})

test('the window follows the appearance that was chosen', async () => {
  const { window, ask } = startDesktop()
  expect(await ask('theme')).toBe('system')
  await window.host.updateSettings({ appearance: 'dark' })
  expect(await ask('theme')).toBe('dark')
})

describe('X-40 a copied secret', () => {
  test('leaves the clipboard on lock and on quit', async () => {
    const { window, ask, ended } = startDesktop()
    await window.host.createVault(kept)
    expect(await window.host.copySecret({ text: 'secret' })).toEqual({ copied: true, clears_in_seconds: 30 })
    expect(await ask('clipboard')).toBe('secret')
    await window.host.lock()
    await vi.waitFor(async () => expect(await ask('clipboard')).toBe(''))
    await window.host.copySecret({ text: 'again' })
    await ask('power', 'suspend')
    await vi.waitFor(async () => expect(await ask('clipboard')).toBe(''))
    await ask('quit')
    expect(await ended).toBe(0)
  })

  test('stays out of the way of what was copied since', async () => {
    const { window, ask } = startDesktop()
    await window.host.createVault(inMemory)
    await window.host.copySecret({ text: 'secret' })
    await ask('copy', 'shopping list')
    await window.host.lock()
    await ask('power', 'suspend')
    expect(await ask('clipboard')).toBe('shopping list')
  })
})
