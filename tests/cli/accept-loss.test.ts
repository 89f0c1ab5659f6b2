import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { digestFolder, flipBit } from '../soak/damage-log.ts'
import { createTempFolder } from '../vault.ts'
import { runForText, serveInProcess } from './in-process.ts'
import { getServeArgs, startCoffer, startServe } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'
const env = { COFFER_PASSPHRASE: passphrase }

/** Kills a serving vault and damages the second half of its write-ahead log. Returns its folders and a key. */
async function createDamagedVault() {
  const dataDir = path.join(createTempFolder(), 'data')
  const child = startServe(dataDir, env)
  const { url, keys } = await child.json()
  const sendRequest = (at: string, init: RequestInit = {}) =>
    fetch(url + at, { ...init, headers: { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' } })
  for (let number = 0; number < 20; number++) {
    const body = JSON.stringify({ id: `token-${number}`, type: 'token', data: `value ${number}` })
    expect((await sendRequest('/tokens', { method: 'POST', body })).status).toBe(201)
  }
  child.signal('SIGKILL')
  await child.ended
  const folder = path.join(dataDir, 'default')
  const log = path.join(folder, 'vault.db-wal')
  flipBit(log, Math.floor(fs.statSync(log).size / 2), 3)
  return { dataDir, folder, key: keys.private as string }
}

/** Returns the number of lost commits that the error names when the vault is opened. */
async function readMissingCommits(dataDir: string): Promise<number> {
  const { code, text } = await runForText(env, ...getServeArgs(dataDir))
  expect(code).not.toBe(0)
  return Number(/--accept-loss (\d+)/.exec(text)?.[1])
}

/** Accepts the loss while no file may grow beyond 200 blocks, so that the copy of the vault fails. */
function acceptOnFullDisk(dataDir: string, lost: number): string {
  const program = path.join(import.meta.dirname, '..', '..', 'electron', 'cli', 'run.mjs')
  const args = [program, ...getServeArgs(dataDir), '--accept-loss', `${lost}`]
  return execFileSync('sh', ['-c', 'ulimit -f 200 && exec "$@"', 'sh', process.execPath, ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...env },
  })
}

test('X-41 X-25 --accept-loss opens the vault after copying it, or changes nothing', async () => {
  const { dataDir, folder, key } = await createDamagedVault()
  const before = digestFolder(folder)
  const lost = await readMissingCommits(dataDir)
  expect(lost).toBeGreaterThan(0)
  for (const other of [lost + 1, lost - 1]) {
    const { code, text } = await runForText(env, ...getServeArgs(dataDir), '--accept-loss', `${other}`)
    expect(code).not.toBe(0)
    expect(text).toContain(`--accept-loss ${lost}`)
  }
  if (process.platform !== 'win32') {
    expect(() => acceptOnFullDisk(dataDir, lost)).toThrow(/disk is full/)
    expect(fs.readdirSync(dataDir).filter((each) => each.includes('aside'))).toEqual([])
    expect(await readMissingCommits(dataDir)).toBe(lost)
  }
  expect(digestFolder(folder)).toBe(before)
  const here = ['--data-dir', dataDir, '--json', '--accept-loss', `${lost}`]
  const { facts, out, notes, stop } = await serveInProcess(here, env)
  const { url } = facts
  const aside = /\S*default\.aside-\S*[^\s.]/.exec(out + notes)?.[0] ?? ''
  expect(digestFolder(aside)).toBe(before)
  const fetchStatus = async (id: string) =>
    (await fetch(`${url}/tokens/${id}`, { headers: { 'SVC-API-KEY': key } })).status
  expect(await fetchStatus('token-0')).toBe(200)
  expect(await fetchStatus('token-19')).toBe(404)
  expect(await stop()).toBe(0)
  // The next opening needs no confirmation.
  await using vault = await openVault({ dataDir, name: 'default', with: { passphrase } })
  const logs = await vault.engine.as({ kind: 'owner' }).logs.list({ action: 'vault.accepted_loss' } as never)
  expect(logs.data).toHaveLength(1)
})

test('X-41 --accept-loss is rejected for an intact vault or a value that is not a number', {
  tags: 'thorough',
}, async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const child = startServe(dataDir, env)
  await child.json()
  child.stop()
  await child.ended
  const refusal = await runForText(env, ...getServeArgs(dataDir), '--accept-loss', '0')
  expect(refusal.text).toContain('No commit of this vault is missing')
  expect(refusal.code).not.toBe(0)
  expect((await runForText(env, ...getServeArgs(dataDir), '--accept-loss', 'all')).text).toContain(
    'number of missing commits',
  )
})

test('X-41 a refusal to open a vault suggests --accept-loss with the exact number', {
  tags: 'thorough',
}, async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const place = ['--data-dir', dataDir]
  expect(await startCoffer(['init', ...place], env).ended).toBe(0)
  fs.rmSync(path.join(dataDir, 'default', 'vault.db-commits'))
  const expectRefusal = async (...words: string[]) => {
    const run = startCoffer([...words, ...place], env)
    const line = await run.waitForLine(/vault\.db was not opened/)
    expect(await run.ended).toBe(1)
    return line
  }
  const advice = /To open the vault anyway, run: .* serve --accept-loss 0 --data-dir /
  for (const words of [
    ['keys', 'list'],
    ['serve', '--port', '0'],
    ['serve', '--port', '0', '--accept-loss', '1'],
  ]) {
    expect(await expectRefusal(...words)).toMatch(advice)
  }
  const doctor = startCoffer(['doctor', '--open', ...place], env)
  expect(await doctor.waitForLine(/^fail {2}commits/)).toMatch(advice)
  expect(await doctor.ended).toBe(1)

  const server = startCoffer(['serve', '--port', '0', '--json', '--accept-loss', '0', ...place], env)
  const message = await server.waitForLine(/A copy of everything is in /)
  expect(message).toMatch(/^The vault was opened, and no lost commits are known\./)
  expect(fs.readdirSync(/ is in (.*)\.$/.exec(message)?.[1] ?? '')).toContain('vault.db')
  await server.json()
  server.stop()
  expect(await server.ended).toBe(0)
})
