import fs from 'node:fs'
import Driver from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Engine } from '../../electron/engine/engine.ts'
import { openListener } from '../../electron/http/listener.ts'
import { openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

async function startLockable() {
  const vault = openVault()
  let engine: Engine | null = vault.engine
  const listener = await openListener({ engine: () => engine, port: 0, origins: [], hosts: [] })
  onTestFinished(() => listener.close())
  const sendRequest = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(listener.url + path, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const lockVault = () => {
    engine = null
  }
  return { vault, sendRequest, lockVault }
}

/** Makes SQLite reject every commit. */
function refuseWrites(code: string) {
  const throwRefusal = () => {
    throw Object.assign(new Error('refused'), { code })
  }
  const database = new Driver(':memory:')
  const statements = Object.getPrototypeOf(database.prepare('SELECT 1')) as Driver.Statement
  database.close()
  const { run } = statements
  let attempts = 0
  const transaction = vi.spyOn(Driver.prototype, 'transaction').mockImplementation(() => {
    attempts++
    return throwRefusal()
  })
  const commit = vi.spyOn(statements, 'run').mockImplementation(function (this: Driver.Statement, ...params) {
    return this.source === 'COMMIT' ? throwRefusal() : run.apply(this, params)
  })
  const restoreWrites = () => {
    transaction.mockRestore()
    commit.mockRestore()
  }
  onTestFinished(restoreWrites)
  return { countAttempts: () => attempts, restoreWrites }
}

test('while the vault is locked, ready gives 503 with the reason and health gives 200', async () => {
  const { sendRequest, lockVault } = await startLockable()
  expect(await sendRequest('/_coffer/ready')).toEqual({ status: 200, body: { status: 'ready' } })
  expect((await sendRequest('/_coffer/ready', { method: 'HEAD' })).status).toBe(200)
  lockVault()
  expect(await sendRequest('/_coffer/ready')).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('locked') },
  })
  expect(await sendRequest('/_coffer/health')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('ready gives 503 if the vault’s files are missing', async () => {
  const { vault, sendRequest } = await startLockable()
  fs.rmSync(vault.file)
  expect(await sendRequest('/_coffer/ready')).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('removed') },
  })
})

test('ready and health give 503 while log records cannot be written, and recover', async () => {
  const { vault, sendRequest } = await startLockable()
  const { client } = await vault.application({ permissions: ['token:read'] })
  vault.engine.outcomes.flushLog()
  await client.tokens.list({})
  const transaction = vi.spyOn(Driver.prototype, 'transaction').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
  })
  onTestFinished(() => transaction.mockRestore())
  vault.engine.outcomes.flushLog()
  expect(await sendRequest('/_coffer/ready')).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('The disk is full') },
  })
  expect((await sendRequest('/_coffer/health')).status).toBe(503)
  transaction.mockRestore()
  vault.engine.outcomes.flushLog()
  expect(await sendRequest('/_coffer/ready')).toEqual({ status: 200, body: { status: 'ready' } })
})

test.each([
  ['SQLITE_FULL', 507, 'The disk is full', 'nothing was lost'],
  ['SQLITE_IOERR_FSYNC', 503, 'cannot be read or written', 'may or may not be stored'],
])(
  'X-71 ready and health give 503 after a write failed with %s, until the disk recovers',
  async (code, status, detail, advice) => {
    const { vault, sendRequest } = await startLockable()
    const { key } = await vault.application({ permissions: ['token:create'] })
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
    const createToken = () =>
      sendRequest('/tokens', { method: 'POST', headers, body: '{"type":"token","data":"x"}' })
    expect((await createToken()).status).toBe(201)
    vault.engine.outcomes.flushLog()
    expect((await sendRequest('/_coffer/ready')).status).toBe(200)
    const disk = refuseWrites(code)
    expect(await createToken()).toMatchObject({ status, body: { detail: expect.stringContaining(advice) } })
    const rejected = { status: 503, body: { code: 'unavailable', detail: expect.stringContaining(detail) } }
    expect(await sendRequest('/_coffer/ready')).toMatchObject(rejected)
    await waitFor(() => expect(disk.countAttempts()).toBeGreaterThan(2))
    expect(await sendRequest('/_coffer/ready')).toMatchObject(rejected)
    expect((await sendRequest('/_coffer/health')).status).toBe(503)
    disk.restoreWrites()
    await waitFor(async () => expect((await sendRequest('/_coffer/ready')).status).toBe(200))
    expect((await createToken()).status).toBe(201)
  },
)

test('X-71 ready gives 503 while the disk has only space for log records', async () => {
  const { vault, sendRequest } = await startLockable()
  const { key } = await vault.application({ permissions: ['token:create'] })
  const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
  const createToken = () =>
    sendRequest('/tokens', { method: 'POST', headers, body: '{"type":"token","data":"x"}' })
  const fetchReadyStatus = async () => (await sendRequest('/_coffer/ready')).status
  const none = { blocks: 1000, bfree: 0, bavail: 0, bsize: 4096 } as ReturnType<typeof fs.statfsSync>
  const space = vi.spyOn(fs, 'statfsSync').mockReturnValue(none)
  onTestFinished(() => space.mockRestore())
  const fillDisk = async () => {
    const disk = refuseWrites('SQLITE_FULL')
    expect((await createToken()).status).toBe(507)
    disk.restoreWrites()
    space.mockClear()
    await waitFor(() => expect(space.mock.calls.length).toBeGreaterThan(2))
    expect(await fetchReadyStatus()).toBe(503)
  }
  await fillDisk()
  expect((await createToken()).status).toBe(201)
  expect(await fetchReadyStatus()).toBe(200)
  await fillDisk()
  space.mockRestore()
  await waitFor(async () => expect(await fetchReadyStatus()).toBe(200))
})

test('ready rejects a foreign Origin', async () => {
  const { sendRequest } = await startLockable()
  expect((await sendRequest('/_coffer/ready', { headers: { Origin: 'https://evil.test' } })).status).toBe(403)
})
