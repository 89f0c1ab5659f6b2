import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { controlFolder } from '../../electron/host/control/socket-folder.ts'
import manifest from '../../package.json' with { type: 'json' }
import { eventually } from '../eventually.ts'
import { tempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { builtCli, startCoffer } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')
const COFFER_PASSPHRASE = 'correct horse battery staple'
const served = { dataDir: '', url: '', keys: { management: '', private: '', public: '' } }

/** Runs a command in this process, against the vault that another one serves. */
const run = (...args: string[]) => runCommandLine(...args, '--data-dir', served.dataDir)

const ask = async (method: string, route: string, key = served.keys.private, body?: unknown) => {
  const answer = await fetch(`${served.url}${route}`, {
    method,
    headers: { 'SVC-API-KEY': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

beforeAll(async () => {
  if (process.platform === 'win32') return
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  served.dataDir = path.join(folder, 'data')
  const child = spawn(process.execPath, [builtCli, ...serve(served.dataDir)], {
    env: { ...process.env, COFFER_PASSPHRASE, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const lines = readline.createInterface({ input: child.stdout })
  Object.assign(served, JSON.parse(await new Promise<string>((resolve) => lines.once('line', resolve))))
  afterAll(async () => {
    child.kill('SIGKILL')
    await ended
    fs.rmSync(folder, { recursive: true, force: true })
  })
})

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  return () => vi.unstubAllEnvs()
})

function serve(dataDir: string, ...more: string[]): string[] {
  return ['serve', '--port', '0', '--json', '--data-dir', dataDir, ...more]
}

function soleSocket(dataDir: string): string {
  const [name = '', ...others] = fs.readdirSync(controlFolder(dataDir))
  expect(others).toEqual([])
  return path.join(controlFolder(dataDir), name)
}

unix('K-05 a key is created beside a running Coffer, without a passphrase, and works there at once', async () => {
  const made = await run('keys', 'create', '--type', 'private', '--name', 'Beside', '--json')
  expect(made.code).toBe(0)
  const { key, id } = JSON.parse(made.out)
  expect((await ask('POST', '/tokens', key, { type: 'token', data: 'x' })).status).toBe(201)
  const listed = await run('keys', 'list')
  expect(listed.out).toMatch(new RegExp(`${id} {2}private .*Beside`))
})

unix('the socket and its folder are for their owner alone, and go when Coffer stops', async () => {
  const dataDir = path.join(tempFolder(), 'data')
  const coffer = startCoffer(serve(dataDir), { COFFER_PASSPHRASE }, builtCli)
  await coffer.json()
  const socket = soleSocket(dataDir)
  expect(fs.statSync(controlFolder(dataDir)).mode & 0o777).toBe(0o700)
  expect(fs.statSync(socket).mode & 0o777).toBe(0o600)
  coffer.stop()
  expect(await coffer.ended).toBe(0)
  expect(fs.existsSync(controlFolder(dataDir))).toBe(false)
})

unix('a file is imported beside live writes; Ctrl-C stops it, and the next run resumes', async () => {
  const folder = tempFolder()
  const file = path.join(folder, 'tokens.ndjson')
  const ids = Array.from({ length: 5000 }, (_, at) => `imported-${at}`)
  fs.writeFileSync(file, ids.map((id) => `${JSON.stringify({ id, type: 'token', data: `v-${id}` })}\n`).join(''))
  const words = ['import', file, '--json', '--data-dir', served.dataDir]
  const first = startCoffer(words, {}, builtCli)
  await eventually(async () => expect((await ask('GET', '/tokens/imported-0')).status).toBe(200))
  const lives = [ask('POST', '/tokens', served.keys.private, { id: 'live', type: 'token', data: 'beside' })]
  first.signal('SIGINT')
  expect(await first.ended).toBe(130)
  expect(first.lines.join()).toContain('What was imported is kept')
  expect((await Promise.all(lives)).map(({ status }) => status)).toEqual([201])
  const second = await run('import', file, '--json')
  expect(JSON.parse(second.out)).toMatchObject({ created: 5000, refused: 0, records: 5000, resumed: true })
  expect((await ask('GET', '/tokens/imported-4999')).status).toBe(200)
})

unix('an export is masked without a question, and in clear only for who can open the vault', async () => {
  await ask('POST', '/tokens', served.keys.private, {
    id: 'card',
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2040 },
  })
  const masked = await run('export', '--out', '-')
  expect(masked.out).toContain('XXXXXXXXXXXX4242')
  expect(masked.out).not.toContain('4242424242424242')
  const file = path.join(tempFolder(), 'clear.ndjson')
  const clear = ['export', '--out', file, '--clear', '--confirm', 'default']
  expect((await run(...clear)).error).toMatch(/COFFER_PASSPHRASE/)
  vi.stubEnv('COFFER_PASSPHRASE', 'another passphrase here')
  expect((await run(...clear)).error).toMatch(/passphrase/)
  expect(fs.existsSync(file)).toBe(false)
  vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
  expect((await run(...clear)).code).toBe(0)
  expect(fs.readFileSync(file, 'utf8')).toContain('4242424242424242')
  const { body } = await ask('GET', '/logs?size=20', served.keys.management)
  expect(JSON.stringify(body)).toContain('tokens in clear')
})

unix('a vault that is open is pushed to another one, documents too', async () => {
  vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
  const there = startCoffer(serve(tempFolder(), '--ephemeral'), {}, builtCli)
  const { url, keys } = await there.json()
  const form = new FormData()
  form.set('request', JSON.stringify({ metadata: { of: 'push' } }))
  form.set('document', new Blob([Buffer.alloc(600_000, 7)], { type: 'image/png' }), 'x.png')
  const grant = await run('keys', 'create', '--type', 'private', '--json')
  const headers = { 'SVC-API-KEY': JSON.parse(grant.out).key }
  const uploaded = await fetch(`${served.url}/documents`, { method: 'POST', headers, body: form })
  expect(uploaded.status).toBe(201)
  const words = ['push', '--to', url, '--key', keys.private, '--json']
  const preview = await run(...words, '--dry-run')
  expect(JSON.parse(preview.out)).toMatchObject({ preview: true, documents_created: 1 })
  const pushed = JSON.parse((await run(...words, '--confirm', 'default')).out)
  expect(pushed).toMatchObject({ refused: 0, documents_created: 1 })
  const card = await fetch(`${url}/tokens/card`, { headers: { 'SVC-API-KEY': keys.private } })
  expect(await card.json()).toMatchObject({ data: { number: expect.stringContaining('4242') } })
})

unix('a backup beside a running Coffer is made there, without a passphrase, and is in its log', async () => {
  const file = path.join(tempFolder(), 'beside.coffer-backup')
  const made = await run('backup', '--out', file, '--json')
  expect(JSON.parse(made.out)).toMatchObject({ file, bytes: fs.statSync(file).size })
  expect((await run('backup', '--out', file)).error).toContain('already exists')
  await eventually(async () => {
    const { body } = await ask('GET', '/logs?size=20', served.keys.management)
    expect(JSON.stringify(body)).toContain('vault.backup')
  })
})
