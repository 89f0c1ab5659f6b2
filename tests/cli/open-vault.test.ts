import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { returnVault } from '../../electron/cli/actions/return-vault.ts'
import { CofferCommand } from '../../electron/cli/terminal/coffer-command.ts'
import { getControlFolder } from '../../electron/host/control/socket-folder.ts'
import manifest from '../../package.json' with { type: 'json' }
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { runCommandLine, serveInProcess } from './in-process.ts'
import { builtCli, getServeArgs, startCoffer, startInTerminal } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')
const COFFER_PASSPHRASE = 'correct horse battery staple'
const served = { dataDir: '', url: '', keys: { management: '', private: '', public: '' } }

/** Runs a command in this process, on the vault that another process serves. */
const runOnServed = (...args: string[]) => runCommandLine(...args, '--data-dir', served.dataDir)

const sendRequest = async (method: string, route: string, key = served.keys.private, body?: unknown) => {
  const response = await fetch(`${served.url}${route}`, {
    method,
    headers: { 'SVC-API-KEY': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** Stops the server of `beforeAll`. */
let stopServer = async () => {}

beforeAll(async () => {
  if (process.platform === 'win32') return
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  served.dataDir = path.join(folder, 'data')
  const child = spawn(process.execPath, [builtCli, ...getServeArgs(served.dataDir)], {
    env: { ...process.env, COFFER_PASSPHRASE, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  stopServer = async () => {
    child.kill('SIGKILL')
    await ended
    fs.rmSync(folder, { recursive: true, force: true })
  }
  const lines = readline.createInterface({ input: child.stdout })
  Object.assign(served, JSON.parse(await new Promise<string>((resolve) => lines.once('line', resolve))))
})

afterAll(() => stopServer())

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  return () => vi.unstubAllEnvs()
})

function findSocket(dataDir: string): string {
  const [name = '', ...others] = fs.readdirSync(getControlFolder(dataDir))
  expect(others).toEqual([])
  return path.join(getControlFolder(dataDir), name)
}

unix('K-05 keys create needs no passphrase while Coffer is running', async () => {
  const created = await runOnServed('keys', 'create', '--type', 'private', '--name', 'Beside', '--json')
  expect(created.code).toBe(0)
  const { key, id } = JSON.parse(created.out)
  expect((await sendRequest('POST', '/tokens', key, { type: 'token', data: 'x' })).status).toBe(201)
  const listed = await runOnServed('keys', 'list')
  expect(listed.out).toMatch(new RegExp(`${id} {2}private .*Beside`))
})

unix('H-05 keys create takes an application from a portal link', async () => {
  const link =
    'https://portal.example.com/applications/create?name=Till&permissions=token%3Acreate&type=public'
  const created = await runOnServed('keys', 'create', '--from', link, '--json')
  expect(JSON.parse(created.out)).toMatchObject({ name: 'Till', type: 'public' })
  const named = await runOnServed('keys', 'create', '--from', link, '--name', 'Desk', '--json')
  expect(JSON.parse(named.out)).toMatchObject({ name: 'Desk', type: 'public' })
  const bad = await runOnServed('keys', 'create', '--from', 'https://portal.example.com/?type=public')
  expect([bad.code, bad.error]).toEqual([1, expect.stringMatching(/^--from must be a portal link: /)])
})

unix('the socket is accessible only to its owner, and removed when serve stops', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const coffer = await serveInProcess(['--json', '--data-dir', dataDir], { COFFER_PASSPHRASE })
  const socket = findSocket(dataDir)
  expect(fs.statSync(getControlFolder(dataDir)).mode & 0o777).toBe(0o700)
  expect(fs.statSync(socket).mode & 0o777).toBe(0o600)
  expect(await coffer.stop()).toBe(0)
  expect(fs.existsSync(getControlFolder(dataDir))).toBe(false)
})

unix('a plaintext export needs the passphrase, a masked one does not', async () => {
  await sendRequest('POST', '/tokens', served.keys.private, {
    id: 'card',
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2040 },
  })
  const masked = await runOnServed('export', '--out', '-')
  expect(masked.out).toContain('XXXXXXXXXXXX4242')
  expect(masked.out).not.toContain('4242424242424242')
  const file = path.join(createTempFolder(), 'clear.ndjson')
  const clear = ['export', '--out', file, '--clear', '--confirm', 'default']
  expect((await runOnServed(...clear)).error).toMatch(/COFFER_PASSPHRASE/)
  vi.stubEnv('COFFER_PASSPHRASE', 'another passphrase here')
  expect((await runOnServed(...clear)).error).toMatch(/passphrase/)
  expect(fs.existsSync(file)).toBe(false)
  vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
  expect((await runOnServed(...clear)).code).toBe(0)
  expect(fs.readFileSync(file, 'utf8')).toContain('4242424242424242')
  const { body } = await sendRequest('GET', '/logs?size=20', served.keys.management)
  expect(JSON.stringify(body)).toContain('tokens in plaintext')
})

unix('push copies an open vault to another one, with documents', async () => {
  vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
  const { facts } = await serveInProcess(['--ephemeral', '--json', '--data-dir', createTempFolder()])
  const { url, keys } = facts
  const form = new FormData()
  form.set('request', JSON.stringify({ metadata: { of: 'push' } }))
  form.set('document', new Blob([Buffer.alloc(600_000, 7)], { type: 'image/png' }), 'x.png')
  const grant = await runOnServed('keys', 'create', '--type', 'private', '--json')
  const headers = { 'SVC-API-KEY': JSON.parse(grant.out).key }
  const uploaded = await fetch(`${served.url}/documents`, { method: 'POST', headers, body: form })
  expect(uploaded.status).toBe(202)
  const words = ['push', '--to', url, '--key', keys.private, '--json']
  const preview = await runOnServed(...words, '--dry-run')
  expect(JSON.parse(preview.out)).toMatchObject({ preview: true, documents_created: 1 })
  const pushed = JSON.parse((await runOnServed(...words, '--confirm', 'default')).out)
  expect(pushed).toMatchObject({ refused: 0, documents_created: 1 })
  const card = await fetch(`${url}/tokens/card`, { headers: { 'SVC-API-KEY': keys.private } })
  expect(await card.json()).toMatchObject({ data: { number: expect.stringContaining('4242') } })

  const report = path.join(createTempFolder(), 'report.ndjson')
  const again = [...words.slice(0, -1), '--confirm', 'default', '--report', report]
  const { out } = await runOnServed(...again)
  expect(out).toContain(`Compared: 2 tokens the same, 0 different, 0 missing. The report is in ${report}.\n`)
  expect(fs.readFileSync(report, 'utf8')).toContain('{"what":"token","id":"card","there":"same"}\n')
  expect((await runOnServed(...again)).error).toContain('already exists. It was not changed.')

  const merchants = '/tenants/self/merchants'
  const shop = await sendRequest('POST', merchants, served.keys.management, { name: 'Shop' })
  await sendRequest('POST', `${merchants}/${shop.body.id}/services`, served.keys.management, {})
  const managing = ['--management-key', keys.management, '--dry-run']
  const { notes } = await runOnServed(...words.slice(0, -1), ...managing)
  expect(notes).toContain('Not copied: the services of 1 merchant. Request them on the server.\n')
})

unix('backup needs no passphrase while Coffer is running, and is logged', async () => {
  const file = path.join(createTempFolder(), 'beside.coffer-backup')
  const created = await runOnServed('backup', '--out', file, '--json')
  expect(JSON.parse(created.out)).toMatchObject({ file, bytes: fs.statSync(file).size })
  expect((await runOnServed('backup', '--out', file)).error).toContain('already exists')
  await waitFor(async () => {
    const { body } = await sendRequest('GET', '/logs?size=20', served.keys.management)
    expect(JSON.stringify(body)).toContain('vault.backup')
  })
})

unix('rotate replaces the data key and the signing key of a running Coffer', async () => {
  expect(JSON.parse((await runOnServed('rotate', 'data', '--json')).out)).toEqual({ rotated: 'data' })
  expect((await sendRequest('GET', '/tokens/card')).status).toBe(200)
  const fetchPublicKeys = async () => (await fetch(`${served.url}/.well-known/webhooks.v1.key`)).text()
  const countPublicKeys = (text: string) => text.split('BEGIN PUBLIC KEY').length - 1
  expect((await runOnServed('rotate', 'signing-key', '--json')).code).toBe(0)
  expect(countPublicKeys(await fetchPublicKeys())).toBe(2)
  expect((await runOnServed('rotate', 'signing-key', '--finish', '--json')).code).toBe(0)
  expect(countPublicKeys(await fetchPublicKeys())).toBe(1)
})

unix('an import during other writes stops on Ctrl-C, and the next run resumes it', async () => {
  const folder = createTempFolder()
  const file = path.join(folder, 'tokens.ndjson')
  const ids = Array.from({ length: 3000 }, (_, at) => `imported-${at}`)
  fs.writeFileSync(
    file,
    ids.map((id) => `${JSON.stringify({ id, type: 'token', data: `v-${id}` })}\n`).join(''),
  )
  const words = ['import', file, '--json', '--data-dir', served.dataDir]
  const first = startCoffer(words, {}, builtCli)
  // Its journal exists before the first token is sent.
  await waitFor(() => expect(fs.readdirSync(folder).length).toBeGreaterThan(1))
  const lives = [
    sendRequest('POST', '/tokens', served.keys.private, { id: 'live', type: 'token', data: 'beside' }),
  ]
  first.signal('SIGINT')
  expect(await first.ended).toBe(130)
  expect(first.lines.join()).toContain('The imported tokens stay in the vault')
  expect((await Promise.all(lives)).map(({ status }) => status)).toEqual([201])
  const second = await runOnServed('import', file, '--json')
  expect(JSON.parse(second.out)).toMatchObject({ created: 3000, refused: 0, records: 3000, resumed: true })
  expect((await sendRequest('GET', '/tokens/imported-2999')).status).toBe(200)
})

unix('a command that disconnects early causes no internal error', async () => {
  // This command closes its connection while responses are still being sent to it.
  expect((await runOnServed('export', '--out', '-')).code).toBe(0)
  expect((await runOnServed('keys', 'list')).code).toBe(0)
  expect(fs.existsSync(path.join(served.dataDir, 'incidents.log'))).toBe(false)
})

/** Connects like another program of the same user, sends `lines`, and returns everything received until the end. */
async function exchangeLines(file: string, ...lines: string[]): Promise<string> {
  const socket = net.connect(file)
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  socket.write(lines.map((line) => `${line}\n`).join(''))
  await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
  return received
}

unix('X-64 the socket does not respond to browsers or clients of another version', async () => {
  const socket = findSocket(served.dataDir)
  const call = JSON.stringify({ id: 1, name: 'applications.list', input: {} })
  const http = ['GET / HTTP/1.1\r', 'Host: 127.0.0.1\r', '\r', call]
  const other = [JSON.stringify({ protocol: 1, version: '0.0.0' }), call]
  const noHello = [call, call]
  for (const lines of [http, other, noHello, ['x'.repeat(100)]]) {
    const received = (await exchangeLines(socket, ...lines)).trimEnd().split('\n')
    expect(received).toHaveLength(1)
    expect(Object.keys(JSON.parse(received[0] ?? ''))).toEqual([
      'protocol',
      'version',
      'pid',
      'command',
      'url',
      'vault',
      'nonce',
    ])
  }
  expect((await exchangeLines(socket, 'x'.repeat(17 * 1024 * 1024))).trimEnd().split('\n')).toHaveLength(1)
  expect((await runOnServed('keys', 'list')).code).toBe(0)
})

unix('X-64 the socket refuses operations that are reserved for the window', async () => {
  const hello = JSON.stringify({ protocol: 1, version: manifest.version })
  const calls: [string, unknown, string][] = [
    ['tokens.exportMany', { clear: true }, 'forbidden'],
    ['documents.revealToOwner', { id: 'x' }, 'forbidden'],
    ['tokens.reveal', { id: 'x' }, 'forbidden'],
    ['drafts.list', { kind: 'sent' }, 'not_found'],
    ['control.chunk', { document: 'x', number: 0 }, 'forbidden'],
    ['control.prove', { proof: 'f'.repeat(64) }, 'forbidden'],
    ['host.lock', {}, 'not_found'],
    ['host.updateSettings', {}, 'not_found'],
    ['host.exportTokens', {}, 'not_found'],
    ['reactors.react', {}, 'not_found'],
    ['constructor', {}, 'not_found'],
  ]
  const socket = net.connect(findSocket(served.dataDir))
  onTestFinished(() => void socket.destroy())
  const lines = readline.createInterface({ input: socket })[Symbol.asyncIterator]()
  await lines.next()
  socket.write(`${hello}\n`)
  for (const [id, [name, input, code]] of calls.entries()) {
    socket.write(`${JSON.stringify({ id, name, input })}\n`)
    const { value = '' } = await lines.next()
    expect([name, JSON.parse(value)]).toMatchObject([name, { id, reply: { ok: false, problem: { code } } }])
  }
})

unix('X-64 the socket’s operations cannot be reached over HTTP', async () => {
  for (const route of ['/.control', '/control', '/_coffer/control', '/_coffer/console/call'])
    expect(
      (await sendRequest('POST', route, served.keys.management, { id: 1, name: 'control.lent' })).status,
    ).toBe(404)
  const { hostname, port } = new URL(served.url)
  const socket = net.connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  socket.write(`${JSON.stringify({ protocol: 1, version: manifest.version })}\n`)
  await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
  expect(received).toMatch(/^HTTP\/1\.1 400 /)
  expect(received).not.toContain('nonce')
})

unix('a command opens the vault of a killed server, and serve removes the old socket', async () => {
  // This path is too long for a socket, so the socket is in another folder.
  const dataDir = path.join(createTempFolder(), 'd'.repeat(120))
  const coffer = startCoffer(getServeArgs(dataDir), { COFFER_PASSPHRASE }, builtCli)
  await coffer.json()
  coffer.signal('SIGKILL')
  await coffer.ended
  const dead = findSocket(dataDir)
  vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('management')
  // As if another process was killed before it renamed its socket.
  const unnamed = dead.replace(/\.sock$/, '')
  fs.linkSync(dead, unnamed)
  // A new server removes the sockets of killed processes in the background.
  const again = startCoffer(getServeArgs(dataDir), { COFFER_PASSPHRASE }, builtCli)
  await again.json()
  await waitFor(() => expect([dead, unnamed].filter((file) => fs.existsSync(file))).toEqual([]))
  vi.stubEnv('COFFER_PASSPHRASE', undefined)
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('management')
  again.stop()
  expect(await again.ended).toBe(0)
  expect(fs.existsSync(getControlFolder(dataDir))).toBe(false)
})

unix('X-64 commands reject a socket that other users can open, and Coffer keeps serving', async () => {
  const folder = createTempFolder()
  const control = getControlFolder(served.dataDir)
  const readKeysError = async () => (await runOnServed('keys', 'list')).error
  const file = findSocket(served.dataDir)
  fs.chmodSync(file, 0o666)
  expect(await readKeysError()).toMatch(
    /open in coffer serve .*Other users can open the socket .*\.sock\. Restart Coffer/,
  )
  fs.chmodSync(file, 0o600)
  fs.chmodSync(control, 0o755)
  expect(await readKeysError()).toMatch(/Other users can open the folder .*chmod 700 '.*\.control'/)
  fs.chmodSync(control, 0o700)
  fs.renameSync(control, path.join(folder, 'moved'))
  fs.symlinkSync(path.join(folder, 'moved'), control)
  expect(await readKeysError()).toContain('is not a folder. Remove it.')
  fs.unlinkSync(control)
  fs.renameSync(path.join(folder, 'moved'), control)
  fs.renameSync(file, `${file}.away`)
  fs.symlinkSync(`${file}.away`, file)
  expect(await readKeysError()).toContain('is not a socket. Remove it.')
  fs.rmSync(file)
  fs.renameSync(`${file}.away`, file)
  expect(await readKeysError()).toBeUndefined()

  const dataDir = path.join(folder, 'data')
  fs.mkdirSync(getControlFolder(dataDir), { recursive: true, mode: 0o755 })
  const without = startCoffer(getServeArgs(dataDir), { COFFER_PASSPHRASE }, builtCli)
  const { url } = await without.json()
  await without.waitForLine(
    /^Commands such as coffer keys cannot reach .*Other users can open the folder .*chmod 700/,
  )
  expect((await fetch(`${url}/_coffer/ready`)).status).toBe(200)
  const { error } = await runCommandLine('keys', 'list', '--data-dir', dataDir)
  expect(error).toMatch(/Close it there first\. Other users can open the folder/)
})

test.runIf(process.getuid?.() === 0)(
  'X-64 another user cannot open the socket, and root rejects another user’s socket',
  async () => {
    const folder = createTempFolder()
    for (const each of [folder, path.dirname(served.dataDir)]) fs.chmodSync(each, 0o755)
    const socket = findSocket(served.dataDir)
    const code = `require('net').connect(${JSON.stringify(socket)}).on('error', (e) => console.log(e.code)).on('connect', () => console.log('reached'))`
    const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '/usr/bin/env', '-i']
    const node = path.join(folder, 'node')
    fs.copyFileSync(process.execPath, node)
    fs.chmodSync(node, 0o755)
    const printed = await new Promise<string>((resolve) => {
      const child = spawn('setpriv', [...as, node, '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
      let text = ''
      child.stdout.on('data', (chunk) => {
        text += chunk
      })
      child.on('close', () => resolve(text.trim()))
    })
    expect(printed).toBe('EACCES')
    fs.chownSync(socket, 65534, 65534)
    const { error } = await runOnServed('keys', 'list')
    fs.chownSync(socket, 0, 0)
    expect(error).toContain('belongs to another user')
  },
)

unix('a command reports its own version and the server’s if they differ', async () => {
  const real = findSocket(served.dataDir)
  const greeting = JSON.parse((await exchangeLines(real, 'x')).trim())
  fs.renameSync(real, `${real}.away`)
  const older = net.createServer((socket) => {
    socket.end(`${JSON.stringify({ ...greeting, version: '0.0.1' })}\n`)
  })
  await new Promise<void>((resolve) => older.listen(real, resolve))
  fs.chmodSync(real, 0o600)
  onTestFinished(async () => {
    await new Promise((resolve) => older.close(resolve))
    fs.renameSync(`${real}.away`, real)
  })
  const { error } = await runOnServed('keys', 'list')
  expect(error).toBe(
    `The vault is open in coffer serve (process ${greeting.pid}) of Coffer 0.0.1, and this is Coffer ${manifest.version}. Use that version, or close the vault there first.`,
  )
})

/**
 * Starts an in-memory vault with one token, in the data folder that this process's commands use. Also returns a
 * function that counts its tokens. Returns null if it did not start.
 */
async function startWithToken(...port: string[]) {
  const dataDir = createTempFolder()
  vi.stubEnv('COFFER_DATA_DIR', dataDir)
  const coffer = startCoffer(['serve', '--ephemeral', '--json', '--data-dir', dataDir, ...port], {}, builtCli)
  const { url, keys, error } = await coffer.json()
  if (error) return null
  const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ type: 'token', data: 'x' })
  expect((await fetch(`${url}/tokens`, { method: 'POST', headers, body })).status).toBe(201)
  const countTokens = async () => {
    const { data } = (await (await fetch(`${url}/v2/tokens`, { headers })).json()) as { data: unknown[] }
    return data.length
  }
  return { dataDir, url: url as string, countTokens }
}

unix('reset needs a confirmation for an in-memory vault found on the default port', async () => {
  const running = await startWithToken('--port', '0')
  if (!running) throw new Error('It did not start.')
  const { url, countTokens } = running
  // Simulates a vault on the default port, which a test cannot reserve.
  const command = new CofferCommand('reset').withServer().setOptionValueWithSource('url', url, 'default')
  const notes = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => void vi.restoreAllMocks())
  const back = { path: '/_coffer/reset', to: 'its start' }
  await expect(returnVault({ url }, command, back)).rejects.toMatchObject({
    code: 'forbidden',
    message: 'Nothing was changed. Name the vault with --key or --url, or add --yes.',
  })
  expect(notes).toHaveBeenLastCalledWith(
    `The in-memory vault at ${url}, which holds 1 token, will return to its start. Later changes will be lost.\n`,
  )
  expect(await countTokens()).toBe(1)
  await returnVault({ url, yes: true }, command, back)
  expect(out).toHaveBeenLastCalledWith(
    `The in-memory vault at ${url} was returned to its start. It held 1 token and now holds 0.\n`,
  )
  expect(await countTokens()).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'reset asks at a terminal, and changes nothing unless confirmed',
  async ({ skip }) => {
    const running = await startWithToken()
    if (!running) return skip('The usual port is taken.')
    const { dataDir, countTokens } = running
    const answerPrompt = async (answer: string) => {
      const reset = startInTerminal(['reset'], { COFFER_DATA_DIR: dataDir })
      await reset.waitForPrompt('Discard them? Type yes: ')
      reset.press(`${answer}\r`)
      return reset.ended
    }
    expect(await answerPrompt('y')).toBe(1)
    expect(await countTokens()).toBe(1)
    expect(await answerPrompt('yes')).toBe(0)
    expect(await countTokens()).toBe(0)
  },
)

unix('commands find an in-memory vault by --ephemeral or --url', async () => {
  const dataDir = createTempFolder()
  const coffer = startCoffer(getServeArgs(dataDir, '--ephemeral'), {}, builtCli)
  const { url } = await coffer.json()
  const runInMemory = (...args: string[]) => runCommandLine(...args, '--data-dir', dataDir)
  const { key } = JSON.parse(
    (await runInMemory('keys', 'create', '--type', 'private', '--ephemeral', '--json')).out,
  )
  const body = JSON.stringify({ id: 'one', type: 'token', data: 'secret' })
  const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
  expect((await fetch(`${url}/tokens`, { method: 'POST', headers, body })).status).toBe(201)
  const clear = ['export', '--out', '-', '--clear', '--ephemeral']
  expect((await runInMemory(...clear)).error).toContain('--confirm in-memory')
  expect((await runInMemory(...clear, '--confirm', 'in-memory')).out).toContain('"secret"')
  expect((await runInMemory('status')).out).toContain(
    `in memory  open in coffer serve (process ${coffer.pid}), listening at ${url}\n`,
  )
  vi.stubEnv('COFFER_PUBLISHED_PORT', '5000')
  const { in_memory } = JSON.parse((await runInMemory('status', '--json')).out)
  expect(in_memory).toEqual([{ pid: coffer.pid, command: 'coffer serve', url: 'http://127.0.0.1:5000' }])
  vi.stubEnv('COFFER_PUBLISHED_PORT', undefined)

  vi.stubEnv('COFFER_DATA_DIR', dataDir)
  expect((await runCommandLine('snapshot', 'save', 'paid', '--url', url)).code).toBe(0)
  expect((await runCommandLine('snapshot', 'list', '--url', url)).out).toContain('paid')
  expect((await runCommandLine('reset', '--url', url)).code).toBe(0)
  // A vault on disk issues no keys.
  expect((await runCommandLine('snapshot', 'list', '--url', served.url)).error).toMatch(
    new RegExp(
      `Pass a management key .*coffer.* keys create --type management\\. Or select one of your running in-memory vaults .* --url: ${url}$`,
    ),
  )
  coffer.stop()
  await coffer.ended
  expect((await runInMemory('keys', 'list', '--ephemeral')).error).toContain('No in-memory vault is running')
})
