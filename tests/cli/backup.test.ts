import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'
import { startServe } from './run-coffer.ts'

test('a served vault is backed up, verified and restored with its recovery key', async () => {
  const folder = createTempFolder()
  const dataDir = path.join(folder, 'data')
  const COFFER_PASSPHRASE = 'correct horse'
  const serve = startServe(dataDir, { COFFER_PASSPHRASE })
  const { url, keys, recovery_key } = await serve.json()
  const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ type: 'token', data: 'kept' })
  const token = (await (await fetch(`${url}/tokens`, { method: 'POST', headers, body })).json()) as {
    id: string
  }

  const file = path.join(folder, 'out.coffer-backup')
  const words = ['backup', '--data-dir', dataDir, '--out', file, '--json']
  const backup = await runWithEnv({ COFFER_PASSPHRASE }, ...words)
  expect(JSON.parse(backup.out)).toMatchObject({ file, name: 'default', reason: 'asked' })
  expect(backup.code).toBe(0)
  expect((await fetch(`${url}/tokens/${token.id}`, { headers })).status).toBe(200)
  serve.stop()

  const verify = await runWithEnv({}, 'verify', file)
  expect(verify.out).toMatch(/checksum is correct/)
  expect(verify.out).toContain(file)
  expect(verify.out).toContain('(backed up by hand)')
  const elsewhere = path.join(folder, 'elsewhere')
  const secrets = { COFFER_PASSPHRASE: recovery_key, COFFER_NEW_PASSPHRASE: 'battery staple' }
  const restore = await runWithEnv(secrets, 'restore', file, '--data-dir', elsewhere, '--json')
  expect(JSON.parse(restore.out)).toMatchObject({ name: 'default', protection: 'passphrase' })
  expect(restore.code).toBe(0)
  const again = ['--data-dir', elsewhere, '--json']
  const { facts } = await serveInProcess(again, { COFFER_PASSPHRASE: 'battery staple' })
  const found = await fetch(`${facts.url}/tokens/${token.id}`, { headers })
  expect(await found.json()).toMatchObject({ id: token.id, data: 'kept' })

  fs.truncateSync(file, fs.statSync(file).size - 1)
  const damaged = await runWithEnv({}, 'verify', file)
  expect(damaged).toMatchObject({
    code: 1,
    notes: expect.stringMatching(/^coffer: .*is a damaged backup: it is cut off/m),
  })
})
