import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnFreePort } from '../outbound/destination.ts'
import { createTempFolder } from '../vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'
import { startCoffer, startInTerminal } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'

/** Opens a launch link. Returns a function that calls the console like the page. */
async function openLink(link: string) {
  const { origin, hash } = new URL(link)
  const headers = { Origin: origin, 'Content-Type': 'application/json' }
  const postToConsole = (name: string, body: unknown, more = {}) =>
    fetch(`${origin}/_coffer/console/${name}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    })
  const launched = await postToConsole('launch', { token: hash.slice('#launch='.length) })
  const Cookie = (launched.headers.get('set-cookie') ?? '').split(';', 1)[0] as string
  return {
    status: launched.status,
    call: async (name: string, input: unknown = {}) =>
      (await postToConsole('call', { name, input }, { Cookie })).json(),
  }
}

test('serve --console prints valid keys and a link to the window', async () => {
  const { facts, stop } = await serveInProcess([
    '--ephemeral',
    '--console',
    '--json',
    '--data-dir',
    createTempFolder(),
  ])
  expect(facts).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    tenant_id: expect.any(String),
    created: true,
    keys: { management: expect.any(String), private: expect.any(String), public: expect.any(String) },
    console: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/#launch=[\w-]{43}$/),
  })
  const window = await openLink(facts.console)
  const { output } = await window.call('host.status')
  expect(output).toMatchObject({ shell: 'console', vault: { protection: 'memory' } })
  expect(output.listener).toMatchObject({ state: 'on', url: facts.url })
  await window.call('host.lock')
  const response = await fetch(`${facts.url}/v2/tokens`, { headers: { 'SVC-API-KEY': facts.keys.private } })
  expect(response.status).toBe(423)
  expect(await stop()).toBe(0)
})

test('serve says once how to get a new key of a vault that exists', async () => {
  const dataDir = createTempFolder()
  const env = { COFFER_PASSPHRASE: passphrase }
  await runWithEnv(env, 'init', '--data-dir', dataDir)
  const { out } = await serveInProcess(['--console', '--data-dir', dataDir], env)
  expect(out).toMatch(
    /\nIts keys were shown when it was created\.\nCreate a new one in the window, or with: .*keys create --type private .*\n/,
  )
  expect(out.match(/new one/g)).toHaveLength(1)
})

test('serve without --console opens no window', { tags: 'thorough' }, async () => {
  const coffer = startCoffer([
    'serve',
    '--ephemeral',
    '--port',
    '0',
    '--json',
    '--data-dir',
    createTempFolder(),
  ])
  expect(await coffer.json()).not.toHaveProperty('console')
})

test('serve fails without a passphrase; with --console, the window can unlock the vault', async () => {
  const dataDir = createTempFolder()
  const place = ['--data-dir', dataDir, '--vault', 'work']
  await runWithEnv({ COFFER_PASSPHRASE: passphrase }, 'init', ...place, '--json')
  const alone = await runWithEnv({}, 'serve', '--port', '0', ...place)
  expect(alone).toMatchObject({ code: 1, error: expect.stringContaining('protected by a passphrase') })

  const { facts } = await serveInProcess(['--console', '--json', ...place])
  expect(facts).toMatchObject({ tenant_id: null, created: false, locked: true })
  expect((await fetch(`${facts.url}/v2/tokens`)).status).toBe(423)
  const window = await openLink(facts.console)
  expect((await window.call('host.status')).output).toMatchObject({ vault: null, last_vault: 'work' })
  expect(await window.call('host.unlock', { name: 'work', with: { passphrase } })).toMatchObject({ ok: true })
  expect((await fetch(`${facts.url}/v2/tokens`)).status).toBe(401)
})

test('X-12 the error for a port in use names the next free one', async () => {
  const server = net.createServer()
  onTestFinished(() => void server.close())
  const port = await listenOnFreePort(server)
  const refused = await runWithEnv(
    {},
    'serve',
    '--ephemeral',
    '--port',
    `${port}`,
    '--data-dir',
    createTempFolder(),
  )
  expect(refused.error).toMatch(new RegExp(`Port ${port} is taken.*--port \\d+`))
  expect(refused.code).toBe(1)
})

test('serve uses the port and origins saved in the window unless options override them', {
  tags: 'thorough',
}, async () => {
  const dataDir = createTempFolder()
  fs.writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify({ settings: { port: 0 } }))
  const COFFER_PASSPHRASE = passphrase
  const coffer = startCoffer(['serve', '--json', '--data-dir', dataDir], { COFFER_PASSPHRASE })
  expect(new URL((await coffer.json()).url).port).not.toBe('4747')
})

test('serve starts despite a damaged settings file, and names it', async () => {
  const dataDir = createTempFolder()
  fs.writeFileSync(path.join(dataDir, 'settings.json'), '{')
  const { notes } = await serveInProcess(['--ephemeral', '--json', '--data-dir', dataDir])
  expect(notes).toContain('settings.damaged.json')
})

test.runIf(process.platform === 'linux')(
  'Enter at the terminal prints a new valid link',
  { tags: 'thorough' },
  async () => {
    const args = ['serve', '--ephemeral', '--port', '0', '--console', '--data-dir', createTempFolder()]
    const coffer = startInTerminal(args)
    const first = await coffer.waitForLine(/#launch=/)
    await coffer.waitForLine(/Press Enter/)
    coffer.press('\n')
    const second = await coffer.waitForLine(/#launch=/, 2)
    const findLink = (line: string) => /http:\S+/.exec(line)?.[0] as string
    expect(findLink(second)).not.toBe(findLink(first))
    expect((await openLink(findLink(second))).status).toBe(200)
  },
)

test.runIf(process.platform === 'linux')(
  'a passphrase may be pasted twice, and backspace erases a whole character',
  async () => {
    const dataDir = createTempFolder()
    const terminal = startInTerminal(['serve', '--port', '0', '--data-dir', dataDir])
    await terminal.waitForPrompt('Passphrase for the new vault')
    terminal.press('Grüße-\u{1F511}\u{1F511}\u007fx\rGrüße-\u{1F511}x\r')
    await terminal.waitForLine(/Ctrl-C/)
    terminal.press('\u0003')
    await terminal.ended
    const keys = ['keys', 'list', '--data-dir', dataDir]
    expect(await runWithEnv({ COFFER_PASSPHRASE: 'Grüße-\u{1F511}x' }, ...keys)).toMatchObject({ code: 0 })
  },
)
