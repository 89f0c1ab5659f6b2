import fs from 'node:fs'
import Driver from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Engine } from '../../electron/engine/engine.ts'
import { openListener } from '../../electron/http/listener.ts'
import { openVault } from '../vault.ts'

async function start() {
  const vault = openVault()
  let engine: Engine | null = vault.engine
  const listener = await openListener({ engine: () => engine, port: 0, origins: [], hosts: [] })
  onTestFinished(() => listener.close())
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(listener.url + path, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const lock = () => {
    engine = null
  }
  return { vault, ask, lock }
}

test('ready answers 200 while the vault is open, and 503 with the reason while it is locked; health says alive', async () => {
  const { ask, lock } = await start()
  expect(await ask('/_coffer/ready')).toEqual({ status: 200, body: { status: 'ready' } })
  expect((await ask('/_coffer/ready', { method: 'HEAD' })).status).toBe(200)
  lock()
  expect(await ask('/_coffer/ready')).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('locked') },
  })
  expect(await ask('/_coffer/health')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('ready looks at the files of the vault itself: where they are gone it answers 503', async () => {
  const { vault, ask } = await start()
  fs.rmSync(vault.file)
  expect(await ask('/_coffer/ready')).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('removed') },
  })
})

test('ready answers 503 while the disk takes no records, and 200 once it does again', async () => {
  const { vault, ask } = await start()
  const { client } = await vault.application({ permissions: ['token:read'] })
  vault.engine.flushLog()
  await client.tokens.list({})
  const transaction = vi.spyOn(Driver.prototype, 'transaction').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
  })
  onTestFinished(() => transaction.mockRestore())
  vault.engine.flushLog()
  expect(await ask('/_coffer/ready')).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('The disk is full.') },
  })
  expect((await ask('/_coffer/health')).status).toBe(200)
  transaction.mockRestore()
  vault.engine.flushLog()
  expect(await ask('/_coffer/ready')).toEqual({ status: 200, body: { status: 'ready' } })
})

test('ready is behind the guard as everything is', async () => {
  const { ask } = await start()
  expect((await ask('/_coffer/ready', { headers: { Origin: 'https://evil.test' } })).status).toBe(403)
})
