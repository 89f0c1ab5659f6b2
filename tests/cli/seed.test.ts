import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSeedProgress } from '../../electron/cli/terminal/progress.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine, serveInProcess } from './in-process.ts'
import { startInTerminal } from './run-coffer.ts'

const key = 'key_local_mgt_resetmanagement000000000'
const text = `
applications:
  - { name: Boss, type: management, key: ${key}, permissions: [tenant:read, tenant:update, report:read] }
generate:
  - { type: card, count: 10, id: 'card-{n}' }
`

function writeSeedFile(content = text): string {
  const file = path.join(createTempFolder(), 'seed.yaml')
  fs.writeFileSync(file, content)
  return file
}

test('serve --seed fills a vault, and reset and snapshots restore it', async () => {
  const faults = path.join(createTempFolder(), 'faults.yaml')
  fs.writeFileSync(faults, 'rules:\n  - { name: slow, operations: [tokens.list], delay_ms: 1 }\n')
  const { facts } = await serveInProcess(['--seed', writeSeedFile(), '--faults', faults, '--json'])
  const { url, keys, faults: set } = facts
  expect(keys.management).toBe(key)
  expect(set).toEqual(['slow'])
  const fetchStatus = async (method: string, at: string) =>
    (await fetch(url + at, { method, headers: { 'SVC-API-KEY': keys.private } })).status
  const here = ['--url', url, '--key', key]
  expect(await fetchStatus('GET', '/v2/tokens')).toBe(200)
  expect(await fetchStatus('DELETE', '/tokens/card-1')).toBe(204)
  expect(await runCommandLine('snapshot', 'save', 'fewer', ...here)).toMatchObject({
    code: 0,
    out: `Saved the in-memory vault at ${url} as the snapshot fewer.\n`,
  })
  expect(await runCommandLine('reset', ...here)).toMatchObject({
    code: 0,
    out: `The in-memory vault at ${url} was returned to its seed, or to the state it started in. It held 9 tokens and now holds 10.\n`,
  })
  expect(await fetchStatus('GET', '/tokens/card-1')).toBe(200)
  expect(await runCommandLine('snapshot', 'restore', 'fewer', ...here)).toMatchObject({
    code: 0,
    out: `The in-memory vault at ${url} was returned to the snapshot fewer. It held 10 tokens and now holds 9.\n`,
  })
  expect(await fetchStatus('GET', '/tokens/card-1')).toBe(404)
  expect((await runCommandLine('snapshot', 'list', ...here)).out).toMatch(/ {2}fewer\n$/)
  const readJson = async (...args: string[]) =>
    JSON.parse((await runCommandLine(...args, ...here, '--json')).out)
  expect(await readJson('reset')).toEqual({ url, tokens_before: 9, tokens: 10 })
  expect(await readJson('snapshot', 'save', 'all')).toEqual({ url, snapshot: 'all' })
  const restored = { url, snapshot: 'fewer', tokens_before: 10, tokens: 9 }
  expect(await readJson('snapshot', 'restore', 'fewer')).toEqual(restored)
  expect((await runCommandLine('reset', '--url', 'localhost:4747', '--key', key)).error).toContain(
    'must be a base URL',
  )
  const { error } = await runCommandLine('reset', '--url', url, '--key', keys.private)
  expect(error).toBe('This needs a management key with tenant:update.')
})

test('a faults file may be a list or an object with rules, and errors name the line', async () => {
  const file = path.join(createTempFolder(), 'faults.yaml')
  fs.writeFileSync(file, '- { name: busy, operations: [tokens.create], status: 503, count: 2 }\n')
  const { facts } = await serveInProcess(['--ephemeral', '--faults', file, '--json'])
  expect(facts.faults).toEqual(['busy'])
  const readFaultsError = async (text: string) => {
    fs.writeFileSync(file, text)
    return (await runCommandLine('serve', '--ephemeral', '--port', '0', '--faults', file)).error
  }
  expect(await readFaultsError('- { name: busy, status: 503 }\n- { name: odd, status: 20 }\n')).toMatch(
    /faults\.yaml:2 \[1\]\.status must /,
  )
  expect(await readFaultsError('rules:\n  - { name: odd }\n')).toMatch(
    /faults\.yaml:2 .*needs delay_ms, status or cut/,
  )
  expect(await readFaultsError('busy\n')).toMatch(/faults\.yaml:1 must be a list$/)
  expect(await runCommandLine('serve', '--faults', `${file}.none`)).toMatchObject({
    error: expect.stringMatching(/none cannot be read: there is no such file or folder\.$/),
  })
})

test('serve rejects an invalid seed, names the line and opens no vault', async () => {
  const file = writeSeedFile('tokens:\n  - { type: card, data: x }\n')
  const { error } = await runCommandLine('serve', '--port', '0', '--seed', file)
  expect(error).toMatch(/seed\.yaml:2 tokens\[0\]\.data must /)
  const unknown = writeSeedFile('tokens:\n  - { type: token, data: x, colour: red }\n')
  const refused = await runCommandLine('serve', '--port', '0', '--seed', unknown)
  expect(refused.error).toMatch(/seed\.yaml:2 tokens\[0\]\.colour is not a known member$/)
})

test('serve --keep seeds only a new vault, and rejects a seed with fixed keys', async () => {
  const place = ['--data-dir', path.join(createTempFolder(), 'data'), '--port', '0', '--keep']
  const env = { COFFER_PASSPHRASE: 'correct horse battery staple' }
  const more = writeSeedFile('generate:\n  - { type: token, count: 3 }\n')
  const fixed = await runCommandLine('serve', ...place, '--seed', writeSeedFile())
  expect(fixed.error).toContain('applications[0].key cannot be set in a vault on disk')
  const { facts } = await serveInProcess(['--json', ...place, '--seed', more], env)
  const headers = { 'SVC-API-KEY': facts.keys.management }
  expect((await fetch(`${facts.url}/_coffer/reset`, { method: 'POST', headers })).status).toBe(404)
  expect((await runCommandLine('serve', ...place, '--seed', more)).error).toContain('already exists')
  expect((await runCommandLine('serve', ...place)).error).toContain('--keep needs --seed')
})

test('a long seed prints its progress, on a single line at a terminal', () => {
  const written: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const { isTTY } = process.stderr
  onTestFinished(() => {
    write.mockRestore()
    now.mockRestore()
    process.stderr.isTTY = isTTY
  })
  process.stderr.isTTY = false
  const scripted = createSeedProgress('Filling the vault')
  scripted.onSeeded(1000, 200_000)
  now.mockReturnValue(11_000)
  scripted.onSeeded(20_000, 200_000)
  scripted.clear()
  expect(written.splice(0)).toEqual(['Filling the vault: 20,000 of 200,000 tokens\n'])
  process.stderr.isTTY = true
  const typed = createSeedProgress('Filling the vault')
  typed.onSeeded(1000, 200_000)
  typed.clear()
  expect(written).toEqual(['\rFilling the vault … 1,000 of 200,000 tokens', '\r\u001b[K'])
})

test.runIf(process.platform === 'linux')(
  'Ctrl-C while serve --keep fills a vault removes the unfinished vault',
  async () => {
    const dataDir = path.join(createTempFolder(), 'data')
    // So many that a busy machine presses Ctrl-C before the vault is full. Coffer first tries the whole seed in memory.
    const many = writeSeedFile('generate:\n  - { type: card, count: 20000 }\n')
    const place = ['--data-dir', dataDir, '--port', '0', '--keep', '--seed', many]
    const serving = startInTerminal(['serve', ...place], {
      COFFER_PASSPHRASE: 'correct horse battery staple',
    })
    await serving.waitForPrompt('Checking the seed')
    await serving.waitForPrompt('Filling the vault')
    serving.press('\u0003')
    expect(await serving.ended).toBe(130)
    expect(serving.getOutput()).toContain('coffer: Stopped. No vault was created.')
    expect(JSON.parse((await runCommandLine('status', '--json', '--data-dir', dataDir)).out)).toMatchObject({
      vaults: [],
      missing: [],
    })
  },
)
