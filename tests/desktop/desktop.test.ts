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
/** While a file exists at this path, the program waits before it derives a key from a passphrase. */
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

async function waitForLock() {
  await waitFor(async () => expect((await desktop.window.host.status()).vault).toBeNull())
}

test('the first run shows a recovery key, stores a token, locks and unlocks', async () => {
  const { runStep, runScript, window } = desktop
  await runStep('waitForText', 'Welcome to Coffer')
  await runStep('clickLabel', 'Required every time')
  await runStep('fillInput', 'Name', 'work')
  await runStep('fillInput', 'Passphrase', passphrase)
  await runStep('fillInput', 'Confirm passphrase', passphrase)
  await runStep('clickLabel', 'Add sample tokens')
  await runStep('clickButton', 'Create vault')
  await runStep('waitForText', 'Save your recovery key')
  expect(await runStep('saveFile', 'Save to a file')).toBe('coffer-work-recovery-key.txt')
  const groups = (await runScript(
    `[...document.querySelectorAll('.recovery-key-group')].map((group) => group.textContent)`,
  )) as string[]
  const question = String(await runScript(`document.querySelector('label').textContent`))
  await runStep('fillInput', question, groups[Number(/\d+/.exec(question)) - 1] ?? '')
  await runStep('clickButton', 'I have saved it')
  await runStep('clickButton', 'Run it here')
  await runStep('waitForText', 'XXXXXXXXXXXX4242')
  await runStep('clickButton', 'Copy all three')
  await runStep('clickButton', 'Go to the vault')
  expect((await window.tokens.list()).data).toMatchObject([{ type: 'card' }])
  await runStep('clickMenu', 'Lock')
  await runStep('waitForText', 'Unlock work')
  expect(await runScript(`document.body.textContent.includes('4242')`)).toBe(false)
  await runStep('fillInput', 'Passphrase', passphrase)
  await runStep('clickButton', 'Unlock')
  await runStep('waitForText', 'Tokens')
  expect((await window.host.status()).vault).toMatchObject({ name: 'work' })
})

test('host events report locks, log records and changes, but no data', async () => {
  const { runStep, runScript, window } = desktop
  await runScript('window.events = []; void window.vault.onEvent((event) => window.events.push(event))')
  const { id } = await window.tokens.create({ type: 'card_number', data: number })
  expect((await window.tokens.get({ id })).data).toBe('XXXXXXXXXXXX4242')
  const types = '[...new Set(window.events.map((event) => event.type))].sort()'
  await waitFor(async () =>
    expect(await runScript(types)).toEqual(expect.arrayContaining(['changes', 'log'])),
  )
  await runStep('clickTray', 'Lock')
  await waitFor(async () => expect(await runScript(types)).toEqual(['changes', 'log', 'status']))
  expect(await runScript(`JSON.stringify(window.events).includes('${number}')`)).toBe(false)
  expect(await catchProblem(window.tokens.get({ id }))).toMatchObject({ status: 423 })
  await window.host.unlock(credential)
})

test('the listener is off at start, and the tray shows and switches its state', async () => {
  const { runStep, window } = desktop
  expect((await window.host.status()).listener).toEqual({ state: 'off' })
  const { key } = await window.applications.create({
    name: 'Reader',
    type: 'private',
    permissions: ['token:read'],
  })
  const listener = await window.host.listenerOn({ port: 0 })
  if (listener.state !== 'on') throw new Error('refused')
  const getListStatus = async () =>
    (await fetch(`${listener.url}/v2/tokens`, { headers: { 'SVC-API-KEY': String(key) } })).status
  expect(await getListStatus()).toBe(200)
  expect(await runStep('listTrayLabels')).toEqual([
    'Vault work is open',
    `Listening on ${listener.url}`,
    'Open Coffer',
    'Lock',
    'Turn listener off',
    'Copy base URL',
    'Quit',
  ])
  await runStep('clickTray', 'Copy base URL')
  await waitFor(async () => expect(await runStep('readClipboard')).toBe(listener.url))
  await window.host.lock()
  expect(await getListStatus()).toBe(423)
  await window.host.unlock(credential)
  expect(await getListStatus()).toBe(200)
  await runStep('clickTray', 'Turn listener off')
  await waitFor(async () => expect((await window.host.status()).listener).toEqual({ state: 'off' }))
})

test('X-12 the tray names a port in use and offers the next free one', {
  tags: 'thorough',
}, async () => {
  const { runStep, window } = desktop
  const other = net.createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as net.AddressInfo
  const rejected = await window.host.listenerOn({ port })
  if (rejected.state !== 'refused' || rejected.next_port === undefined) throw new Error('not refused')
  expect(rejected.reason).toContain(String(port))
  const labels = await runStep('listTrayLabels')
  expect(labels).toContain(rejected.reason)
  expect(labels).toContain(`Turn listener on, port ${rejected.next_port}`)
  await runStep('clickTray', `Turn listener on, port ${rejected.next_port}`)
  await waitFor(async () => expect((await window.host.status()).listener).toMatchObject({ state: 'on' }))
  await window.host.listenerOff()
  await new Promise((resolve) => other.close(resolve))
})

test('suspend, lock screen and user switch lock a vault on disk', {
  tags: 'thorough',
}, async () => {
  const { runStep, window } = desktop
  for (const event of ['suspend', 'lock-screen', 'user-did-resign-active']) {
    await runStep('emitPowerEvent', event)
    await waitForLock()
    await window.host.unlock(credential)
  }
  await window.host.createVault(inMemory)
  await runStep('emitPowerEvent', 'suspend')
  expect((await window.host.status()).vault).toMatchObject({ protection: 'memory' })
  await window.host.unlock(credential)
})

test('the vault is locked after the computer slept longer than the idle time', {
  tags: 'thorough',
}, async () => {
  const { runStep, window } = desktop
  await window.host.updateSettings({ auto_lock_minutes: 15 })
  await runStep('moveClock', String(14 * 60_000))
  await runStep('emitPowerEvent', 'resume')
  expect((await window.host.status()).vault).not.toBeNull()
  await window.tokens.list()
  await runStep('moveClock', String(15 * 60_000))
  await runStep('emitPowerEvent', 'resume')
  await waitForLock()
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
  const { runStep, window } = desktop
  expect(await runStep('getTheme')).toBe('system')
  await window.host.updateSettings({ appearance: 'dark' })
  expect(await runStep('getTheme')).toBe('dark')
  await window.host.updateSettings({ appearance: 'system' })
})

test('X-40 lock, suspend and vault switch clear a copied secret, but no other text', async () => {
  const { runStep, window } = desktop
  expect(await window.host.copySecret({ text: 'secret' })).toEqual({ copied: true, clears_in_seconds: 30 })
  expect(await runStep('readClipboard')).toBe('secret')
  await window.host.lock()
  await waitFor(async () => expect(await runStep('readClipboard')).toBe(''))
  await window.host.copySecret({ text: 'again' })
  await runStep('emitPowerEvent', 'suspend')
  await waitFor(async () => expect(await runStep('readClipboard')).toBe(''))
  await window.host.unlock(credential)
  await window.host.copySecret({ text: 'of the vault before' })
  await window.host.createVault(inMemory)
  // The secret is cleared well before its 30 seconds have passed.
  await waitFor(async () => expect(await runStep('readClipboard')).toBe(''))
  await window.host.unlock(credential)
  await window.host.copySecret({ text: 'secret' })
  await runStep('copyText', 'shopping list')
  await window.host.lock()
  await runStep('emitPowerEvent', 'suspend')
  expect(await runStep('readClipboard')).toBe('shopping list')
  await window.host.unlock(credential)
})

test('the page reloads after it crashed, and the vault stays unlocked', async () => {
  const { runStep, window } = desktop
  await runStep('crashPage')
  await waitFor(async () => {
    expect((await window.host.status()).vault).toMatchObject({ name: 'work' })
  })
})

// The last test of the shared program, because it quits.
test('a second start shows the window, and quitting during a job asks first', async () => {
  const { runStep, runScript, window, dataDir, ended } = desktop
  const closeGate = () => fs.writeFileSync(gate, '')
  const openGate = () => fs.rmSync(gate)
  await window.host.listenerOn({ port: 0 })
  // The listener is on, so closing the window hides it in the tray.
  await runStep('closeWindow')
  await waitFor(async () => expect(await runStep('isVisible')).toBe(false))
  const second = startDesktop({ dataDir })
  expect(await second.ended).toBe(0)
  await waitFor(async () => expect(await runStep('isVisible')).toBe(true))
  expect((await window.host.status()).vault).toMatchObject({ name: 'work' })

  const startCreation = (name: string) =>
    runScript(
      `void ${callScript({
        name: 'host.createVault',
        input: { name, protection: { passphrase }, sample_data: true },
      })}`,
    )
  closeGate()
  await startCreation('second')
  await runStep('clickTray', 'Quit')
  await waitFor(async () => expect(await runStep('listQuestions')).toEqual(['A vault is being created.']))
  await runStep('clickDialogButton', 'Cancel')
  openGate()
  await waitFor(async () => {
    expect((await window.host.status()).vault).toMatchObject({ name: 'second' })
  })
  await window.host.copySecret({ text: 'secret' })
  closeGate()
  await startCreation('third')
  await runStep('quit')
  await waitFor(async () => expect(await runStep('listQuestions')).toHaveLength(2))
  await runStep('clickDialogButton', 'Quit when done')
  openGate()
  expect(await ended).toBe(0)
  expect(fs.readdirSync(dataDir)).toEqual(expect.arrayContaining(['second', 'third', 'work']))
  expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.lock.json'))).toEqual([])
  await expectRecordedCost({ dataDir, name: 'work', passphrase })
})

test('closing the window without a listener quits and saves its position', { tags: 'thorough' }, async () => {
  const { runStep, ended, dataDir } = startDesktop()
  await runStep('waitForText', 'Welcome to Coffer')
  const bounds = await runStep('getBounds')
  await runStep('closeWindow')
  // On macOS, programs keep running without a window.
  if (process.platform === 'darwin') await runStep('quit')
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
