import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectRecordedCost } from '../host/full-cost.ts'
import { catchProblem, createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { callScript, isElectron, launchDesktop, startDesktop } from './start-desktop.ts'

// These tests start complete programs, so slow machines need a long timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const passphrase = 'correct horse battery staple'
const credential = { name: 'work', with: { passphrase } }
const inMemory = { name: 'demo', protection: { memory: true } } as const
const number = '4242424242424242'

/**
 * The program that the tests share unless they end it. Each of them starts with the vault `work` open and the listener
 * off.
 */
let desktop: ReturnType<typeof launchDesktop>
let folder: string
/** The path of a file. While it exists, the program waits before it derives a key from a passphrase. */
let gate: string

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  gate = path.join(folder, 'shut')
  vi.stubEnv('PASSPHRASES_WAIT_FOR', gate)
  desktop = launchDesktop(path.join(folder, 'data'))
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await desktop.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function locked() {
  await waitFor(async () => expect((await desktop.window.host.status()).vault).toBeNull())
}

test('the first run shows a recovery key, stores a token, locks and unlocks', async () => {
  const { ask, page, window } = desktop
  await ask('sees', 'Welcome to Coffer')
  await ask('choose', 'Required every time')
  await ask('fill', 'Name', 'work')
  await ask('fill', 'Passphrase', passphrase)
  await ask('fill', 'Confirm passphrase', passphrase)
  await ask('choose', 'Add sample tokens')
  await ask('click', 'Create vault')
  await ask('sees', 'Save your recovery key')
  expect(await ask('save', 'Save to a file')).toBe('coffer-work-recovery-key.txt')
  const groups = (await page(
    `[...document.querySelectorAll('.recovery-group')].map((group) => group.textContent)`,
  )) as string[]
  const question = String(await page(`document.querySelector('label').textContent`))
  await ask('fill', question, groups[Number(/\d+/.exec(question)) - 1] ?? '')
  await ask('click', 'I have saved it')
  await ask('click', 'Run it here')
  await ask('sees', 'XXXXXXXXXXXX4242')
  await ask('click', 'Copy all three')
  await ask('click', 'Go to the vault')
  expect((await window.tokens.list()).data).toMatchObject([{ type: 'card' }])
  await ask('menu', 'Lock')
  await ask('sees', 'Unlock work')
  expect(await page(`document.body.textContent.includes('4242')`)).toBe(false)
  await ask('fill', 'Passphrase', passphrase)
  await ask('click', 'Unlock')
  await ask('sees', 'Tokens')
  expect((await window.host.status()).vault).toMatchObject({ name: 'work' })
})

test('events report locks, log records and changes, but no data', async () => {
  const { ask, page, window } = desktop
  await page('window.events = []; void window.vault.onEvent((event) => window.events.push(event))')
  const { id } = await window.tokens.create({ type: 'card_number', data: number })
  expect((await window.tokens.get({ id })).data).toBe('XXXXXXXXXXXX4242')
  const types = '[...new Set(window.events.map((event) => event.type))].sort()'
  await waitFor(async () => expect(await page(types)).toEqual(expect.arrayContaining(['changes', 'log'])))
  await ask('tray', 'Lock')
  await waitFor(async () => expect(await page(types)).toEqual(['changes', 'log', 'status']))
  expect(await page(`JSON.stringify(window.events).includes('${number}')`)).toBe(false)
  expect(await catchProblem(window.tokens.get({ id }))).toMatchObject({ status: 423 })
  await window.host.unlock(credential)
})

test('the listener is off at start, and the tray shows and switches its state', async () => {
  const { ask, window } = desktop
  expect((await window.host.status()).listener).toEqual({ state: 'off' })
  const { key } = await window.applications.create({
    name: 'Reader',
    type: 'private',
    permissions: ['token:read'],
  })
  const listener = await window.host.listenerOn({ port: 0 })
  if (listener.state !== 'on') throw new Error('refused')
  const read = async () =>
    (await fetch(`${listener.url}/v2/tokens`, { headers: { 'SVC-API-KEY': String(key) } })).status
  expect(await read()).toBe(200)
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
  await waitFor(async () => expect(await ask('clipboard')).toBe(listener.url))
  await window.host.lock()
  expect(await read()).toBe(423)
  await window.host.unlock(credential)
  expect(await read()).toBe(200)
  await ask('tray', 'Turn listener off')
  await waitFor(async () => expect((await window.host.status()).listener).toEqual({ state: 'off' }))
})

test('X-12 the tray names a port in use and offers the next free one', {
  tags: 'thorough',
}, async () => {
  const { ask, window } = desktop
  const other = net.createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as net.AddressInfo
  const rejected = await window.host.listenerOn({ port })
  if (rejected.state !== 'refused' || rejected.next_port === undefined) throw new Error('not refused')
  expect(rejected.reason).toContain(String(port))
  const labels = await ask('trayLabels')
  expect(labels).toContain(rejected.reason)
  expect(labels).toContain(`Turn listener on, port ${rejected.next_port}`)
  await ask('tray', `Turn listener on, port ${rejected.next_port}`)
  await waitFor(async () => expect((await window.host.status()).listener).toMatchObject({ state: 'on' }))
  await window.host.listenerOff()
  await new Promise((resolve) => other.close(resolve))
})

test('suspend, lock screen and user switch lock a vault on disk', {
  tags: 'thorough',
}, async () => {
  const { ask, window } = desktop
  for (const event of ['suspend', 'lock-screen', 'user-did-resign-active']) {
    await ask('power', event)
    await locked()
    await window.host.unlock(credential)
  }
  await window.host.createVault(inMemory)
  await ask('power', 'suspend')
  expect((await window.host.status()).vault).toMatchObject({ protection: 'memory' })
  await window.host.unlock(credential)
})

test('the vault is locked after the computer slept longer than the idle time', {
  tags: 'thorough',
}, async () => {
  const { ask, window } = desktop
  await window.host.updateSettings({ auto_lock_minutes: 15 })
  await ask('sleep', String(14 * 60_000))
  await ask('power', 'resume')
  expect((await window.host.status()).vault).not.toBeNull()
  await window.tokens.list()
  await ask('sleep', String(15 * 60_000))
  await ask('power', 'resume')
  await locked()
  await window.host.unlock(credential)
})

test('X-30 the built program starts its backup thread', async () => {
  const { window } = desktop
  const { file } = await window.host.backup()
  expect(await window.host.verifyBackup({ file, with: { passphrase } })).toMatchObject({
    checked: 'database',
  })
})

test('the window follows the appearance setting', { tags: 'thorough' }, async () => {
  const { ask, window } = desktop
  expect(await ask('theme')).toBe('system')
  await window.host.updateSettings({ appearance: 'dark' })
  expect(await ask('theme')).toBe('dark')
  await window.host.updateSettings({ appearance: 'system' })
})

test('X-40 lock, suspend and vault switch clear a copied secret, but no other text', async () => {
  const { ask, window } = desktop
  expect(await window.host.copySecret({ text: 'secret' })).toEqual({ copied: true, clears_in_seconds: 30 })
  expect(await ask('clipboard')).toBe('secret')
  await window.host.lock()
  await waitFor(async () => expect(await ask('clipboard')).toBe(''))
  await window.host.copySecret({ text: 'again' })
  await ask('power', 'suspend')
  await waitFor(async () => expect(await ask('clipboard')).toBe(''))
  await window.host.unlock(credential)
  await window.host.copySecret({ text: 'of the vault before' })
  await window.host.createVault(inMemory)
  // The secret is cleared well before its 30 seconds have passed.
  await waitFor(async () => expect(await ask('clipboard')).toBe(''))
  await window.host.unlock(credential)
  await window.host.copySecret({ text: 'secret' })
  await ask('copy', 'shopping list')
  await window.host.lock()
  await ask('power', 'suspend')
  expect(await ask('clipboard')).toBe('shopping list')
  await window.host.unlock(credential)
})

test('the page reloads after it crashed, and the vault stays unlocked', async () => {
  const { ask, window } = desktop
  await ask('crash')
  await waitFor(async () => {
    expect((await window.host.status()).vault).toMatchObject({ name: 'work' })
  })
})

// The last test of the shared program, because it quits.
test('a second start shows the window, and quitting during a job asks first', async () => {
  const { ask, page, window, dataDir, ended } = desktop
  const shut = () => fs.writeFileSync(gate, '')
  const open = () => fs.rmSync(gate)
  await window.host.listenerOn({ port: 0 })
  // The listener is on, so closing the window hides it in the tray.
  await ask('closeWindow')
  await waitFor(async () => expect(await ask('isVisible')).toBe(false))
  const second = startDesktop({ dataDir })
  expect(await second.ended).toBe(0)
  await waitFor(async () => expect(await ask('isVisible')).toBe(true))
  expect((await window.host.status()).vault).toMatchObject({ name: 'work' })

  const create = (name: string) =>
    page(
      `void ${callScript({
        name: 'host.createVault',
        input: { name, protection: { passphrase }, sample_data: true },
      })}`,
    )
  shut()
  await create('second')
  await ask('tray', 'Quit')
  await waitFor(async () => expect(await ask('asked')).toEqual(['A vault is being created.']))
  await ask('answer', 'Cancel')
  open()
  await waitFor(async () => {
    expect((await window.host.status()).vault).toMatchObject({ name: 'second' })
  })
  await window.host.copySecret({ text: 'secret' })
  shut()
  await create('third')
  await ask('quit')
  await waitFor(async () => expect(await ask('asked')).toHaveLength(2))
  await ask('answer', 'Quit when done')
  open()
  expect(await ended).toBe(0)
  expect(fs.readdirSync(dataDir)).toEqual(expect.arrayContaining(['second', 'third', 'work']))
  expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.lock.json'))).toEqual([])
  await expectRecordedCost({ dataDir, name: 'work', passphrase })
})

test('closing the window without a listener quits and saves its position', { tags: 'thorough' }, async () => {
  const { ask, ended, dataDir } = startDesktop()
  await ask('sees', 'Welcome to Coffer')
  const bounds = await ask('bounds')
  await ask('closeWindow')
  // On macOS, programs keep running without a window.
  if (process.platform === 'darwin') await ask('quit')
  expect(await ended).toBe(0)
  const kept = JSON.parse(fs.readFileSync(path.join(dataDir, '.window', 'window.json'), 'utf8'))
  expect(kept).toEqual({ bounds, maximized: false })
})

test('a dialog reports a data folder that cannot be created', { tags: 'thorough' }, async () => {
  const file = path.join(createTempFolder(), 'file')
  fs.writeFileSync(file, '')
  const { ended, errors } = startDesktop({ dataDir: path.join(file, 'data') })
  expect(await ended).toBe(1)
  expect(errors).toEqual([expect.stringContaining('cannot')])
})

const unpackaged = isElectron ? ' (skipped: the real Electron runs unpackaged)' : ''
test.skipIf(isElectron)(`X-39 a packaged program does not start with a debugger${unpackaged}`, async () => {
  const desktop = startDesktop({ args: ['--remote-debugging-port=0'] })
  expect(await desktop.ended).toBe(1)
  expect(desktop.errors).toEqual([
    'Coffer cannot start: Coffer does not start with a debugger. Start it without one.',
  ])
})

test.skipIf(isElectron)(
  `X-39 a packaged program does not start without its sandbox${unpackaged}`,
  { tags: 'thorough' },
  async () => {
    const desktop = startDesktop({ args: ['--no-sandbox'] })
    expect(await desktop.ended).toBe(1)
    expect(desktop.errors).toEqual([expect.stringContaining('sandbox')])
  },
)
